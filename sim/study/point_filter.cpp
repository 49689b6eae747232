#include "sim/study/point_filter.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include "sim/core/suggest.hpp"

namespace decodesim {

namespace {

struct FilterColumn {
  std::string_view name;
  std::string (*of)(const MeasuredPoint& point, const PointSetup& setup);
  bool whole;  // must be equal, not only contained
};

std::string number(std::int64_t value) { return std::to_string(value); }

constexpr std::array filter_columns{
    FilterColumn{"id", [](const MeasuredPoint& p, const PointSetup&) { return p.id; }, false},
    FilterColumn{"setup", [](const MeasuredPoint&, const PointSetup& s) { return s.name; }, false},
    FilterColumn{"model", [](const MeasuredPoint& p, const PointSetup&) { return p.model; }, false},
    FilterColumn{"gpu", [](const MeasuredPoint& p, const PointSetup&) { return p.gpu.empty() ? p.node : p.gpu; },
                 false},
    FilterColumn{"engine", [](const MeasuredPoint& p, const PointSetup&) { return p.engine; }, false},
    FilterColumn{"weights", [](const MeasuredPoint& p, const PointSetup&) { return p.weights; }, true},
    FilterColumn{"tp", [](const MeasuredPoint& p, const PointSetup&) { return number(p.tp); }, true},
    FilterColumn{"input_tokens", [](const MeasuredPoint& p, const PointSetup&) { return number(p.input_tokens); },
                 true},
    FilterColumn{"output_tokens", [](const MeasuredPoint& p, const PointSetup&) { return number(p.output_tokens); },
                 true},
    FilterColumn{"concurrency", [](const MeasuredPoint& p, const PointSetup&) { return number(p.concurrency); }, true},
};

const FilterColumn* find(std::string_view name) {
  for (const FilterColumn& column : filter_columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

}  // namespace

PointFilter parse_point_filter(const std::string& text) {
  const std::size_t equals = text.find('=');
  PointFilter filter{text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)};
  if (filter.text.empty()) throw std::invalid_argument("'" + text + "' is not COLUMN=TEXT");
  if (find(filter.column) == nullptr) {
    std::vector<std::string_view> names;
    names.reserve(std::size(filter_columns));
    for (const FilterColumn& column : filter_columns) names.push_back(column.name);
    throw std::invalid_argument("there is no column '" + filter.column + "' to filter by; " +
                                suggestion(filter.column, names));
  }
  return filter;
}

bool fits(const PointFilter& filter, const MeasuredPoint& point, const PointSetup& setup) {
  const FilterColumn& column = *find(filter.column);
  const std::string value = column.of(point, setup);
  return column.whole ? value == filter.text : value.find(filter.text) != std::string::npos;
}

}  // namespace decodesim
