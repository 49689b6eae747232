// The table of a sweep, for people.

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "sim/report/columns.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/study/sweep.hpp"
#include "sim/study/table_text.hpp"

namespace decodesim {

namespace {

/// The last key of each path, or all of it where two end alike.
std::vector<std::string> path_labels(const std::vector<std::string>& paths) {
  std::map<std::string, int> uses;
  const auto last_key = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  for (const std::string& path : paths) ++uses[last_key(path)];
  std::vector<std::string> labels;
  labels.reserve(paths.size());
  for (const std::string& path : paths) labels.push_back(printable(uses[last_key(path)] > 1 ? path : last_key(path)));
  return labels;
}

/// The number of the point, its case and its values.
TableLine point_head(const Sweep& sweep) {
  TableLine head{"point"};
  if (sweep.points.has_cases) head.emplace_back("case");
  for (const std::string& label : path_labels(sweep.points.paths)) head.push_back(label);
  return head;
}

TableLine point_cells(const Sweep& sweep, std::size_t index) {
  const SweepPoint& point = sweep.points.points[index];
  TableLine cells{std::to_string(index + 1)};
  if (sweep.points.has_cases) cells.push_back(printable(point.scenario.case_name));
  for (const std::string& value : point.values) cells.push_back(value.empty() ? "-" : printable(value));
  return cells;
}

/// Goodput is shown where any point has limits, and requests turned away where there are any.
bool is_shown(const Sweep& sweep, std::size_t metric) {
  const SweepMetric& column = sweep_metrics()[metric];
  if (column.label.empty()) return false;
  if (column.name != "request_goodput" && column.name != "rejected") return true;
  return std::any_of(sweep.results.begin(), sweep.results.end(), [&](const PointResult& one) {
    return !one.metrics.empty() && (column.count ? one.metrics[metric] > 0 : !std::isnan(one.metrics[metric]));
  });
}

std::string number_cell(const SweepMetric& column, double number) {
  return column.count ? grouped(static_cast<std::int64_t>(number)) : significant(number);
}

std::string status_words(PointStatus status) {
  std::string words(point_status_names[static_cast<std::size_t>(status)]);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string last_cell(const PointResult& result) {
  if (result.status != PointStatus::done) return status_words(result.status);
  return (result.batch_limit.empty() ? "n/a" : result.batch_limit) +
         (result.slo_met && !*result.slo_met ? ", SLO missed" : "");
}

/// Words in the last column begin alike, though a table sets its last columns to the right.
void align_last(TableLine& head, std::vector<TableLine>& lines) {
  std::size_t width = width_of(head.back());
  for (const TableLine& line : lines) width = std::max(width, width_of(line.back()));
  head.back() = left(head.back(), width);
  for (TableLine& line : lines) line.back() = left(line.back(), width);
}

/// "1, 2, 3 and 9 more"
std::string points_text(const std::vector<std::size_t>& points) {
  constexpr std::size_t most = 8;
  std::string text = points.size() > 1 ? "points " : "point ";
  for (std::size_t i = 0; i < std::min(points.size(), most); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(points[i] + 1);
  return points.size() > most ? text + " and " + std::to_string(points.size() - most) + " more" : text;
}

/// Every reason once, with the points that have it, in the order of the first of them.
void write_reasons(const Sweep& sweep, std::ostream& out) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> reasons;
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    const std::string& why = sweep.results[i].why;
    if (why.empty()) continue;
    auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& one) { return one.first == why; });
    if (known == reasons.end()) known = reasons.insert(known, {why, {}});
    known->second.push_back(i);
  }
  if (!reasons.empty()) out << '\n';
  for (const auto& [why, points] : reasons) {
    out << points_text(points) << ' ' << status_words(sweep.results[points.front()].status) << ": " << printable(why)
        << '\n';
  }
}

/// What concerns single runs would fill pages; it matters where a row is looked at.
void write_doubts(const Sweep& sweep, std::ostream& out) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    const PointResult& result = sweep.results[i];
    if (result.warnings.size() > result.deployment_warnings.size()) points.push_back(i);
  }
  if (points.empty()) return;
  out << "\nThe runs of " << points_text(points)
      << " have warnings of their own, such as few requests; --json holds them.\n";
}

std::string counts_text(const Sweep& sweep) {
  const auto all = static_cast<std::int64_t>(sweep.results.size());
  std::string text = "Sweep of " + counted(all, "point");
  for (PointStatus status : {PointStatus::infeasible, PointStatus::failed, PointStatus::not_played}) {
    const auto count = std::count_if(sweep.results.begin(), sweep.results.end(),
                                     [&](const PointResult& one) { return one.status == status; });
    if (count > 0) text += ", " + grouped(count) + " " + status_words(status);
  }
  if (sweep.points.excluded > 0)
    text += "; " + grouped(sweep.points.excluded) + " excluded" + (sweep.points.has_cases ? " in each case" : "");
  return text + (sweep.interrupted ? "; interrupted" : "");
}

}  // namespace

void write_text(const Sweep& sweep, std::ostream& out) {
  TableLine head = point_head(sweep);
  const std::size_t words = head.size();
  std::vector<std::size_t> shown;
  for (std::size_t m = 0; m < sweep_metrics().size(); ++m) {
    if (!is_shown(sweep, m)) continue;
    shown.push_back(m);
    head.emplace_back(sweep_metrics()[m].label);
  }
  head.emplace_back("bound by");
  std::vector<TableLine> lines;
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    const PointResult& result = sweep.results[i];
    TableLine line = point_cells(sweep, i);
    for (std::size_t m : shown)
      line.push_back(result.metrics.empty() ? "-" : number_cell(sweep_metrics()[m], result.metrics[m]));
    line.push_back(last_cell(result));
    lines.push_back(std::move(line));
  }
  align_last(head, lines);
  out << counts_text(sweep) << "\n\n";
  write_table(head, lines, words, out);
  write_reasons(sweep, out);
  write_doubts(sweep, out);
  out << "decodesim " << printable(sweep.version) << '\n';
}

void write_list(const Sweep& sweep, std::ostream& out) {
  TableLine head = point_head(sweep);
  head.emplace_back("scenario");
  std::vector<TableLine> lines;
  for (std::size_t i = 0; i < sweep.points.points.size(); ++i) {
    const SweepPoint& point = sweep.points.points[i];
    TableLine line = point_cells(sweep, i);
    line.push_back(point.hash + (point.objection.empty() ? "" : "  infeasible: " + printable(point.objection)));
    lines.push_back(std::move(line));
  }
  write_table(head, lines, head.size(), out);
}

}  // namespace decodesim
