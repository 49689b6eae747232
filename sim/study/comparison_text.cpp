// The table of a comparison, for people.

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/report/columns.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/study/variant_comparison.hpp"

namespace decodesim {

namespace {

constexpr std::size_t page_width = 120;
constexpr std::size_t widest_heading = 30;

std::string numbered(std::size_t variant) { return "[" + std::to_string(variant + 1) + "]"; }

/// The number and as much of the name as fits.
std::string heading(const VariantComparison& comparison, std::size_t variant) {
  const std::string text = numbered(variant) + " " + printable(comparison.variants[variant].name);
  if (width_of(text) <= widest_heading) return text;
  std::string cut;
  for (std::size_t at = 0; width_of(cut) + 1 < widest_heading;) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text, at));
    cut += text.substr(at, length);
    at += length;
  }
  return cut + "~";
}

/// Counts whole, all else with four digits.
std::string mean_text(double number) {
  const bool whole = std::fabs(number) < 1e15 && number == std::floor(number);
  return whole ? grouped(static_cast<std::int64_t>(number)) : significant(number);
}

/// "-6.82 % +- 0.31": of the first's mean, or in the metric's own unit where that is zero.
std::string difference_text(const PairedDifference& difference) {
  if (difference.pairs == 0) return "";
  if (difference.mean == 0 && !(difference.half_width > 0)) return "equal";
  const bool relative = difference.first_mean != 0;
  const double amount = relative ? difference.relative(difference.mean) : difference.mean;
  const double half = relative ? difference.relative(difference.half_width) : difference.half_width;
  const int decimals = std::fabs(amount) < 0.1 && !(half >= 0.1) ? 2 : 1;
  const auto size = [&](double number) {
    return relative ? fixed_text(std::fabs(number) * 100, decimals) : significant(std::fabs(number));
  };
  std::string text = (amount < 0 ? "-" : "+") + size(amount) + (relative ? " %" : "");
  if (difference.pairs > 1) text += " +- " + size(half);
  return difference.within_noise() ? text + " within noise" : text;
}

/// Is there anything to show of this metric?
bool shown(const MetricRow& row) {
  return std::any_of(row.standings.begin(), row.standings.end(), [&](const Standing& one) {
    // What is zero in every variant (evictions, where there are none) says nothing.
    return !std::isnan(one.mean) && one.mean != 0;
  });
}

/// A heading and two lines a metric.
struct Column {
  std::vector<std::string> lines;
  [[nodiscard]] std::size_t width() const {
    std::size_t most = 0;
    for (const std::string& line : lines) most = std::max(most, width_of(line));
    return most;
  }
};

Column labels(const VariantComparison& comparison) {
  Column column{{""}};
  for (const MetricRow& row : comparison.rows) {
    if (!shown(row)) continue;
    column.lines.emplace_back(row.metric->label);
    column.lines.emplace_back();
  }
  return column;
}

Column column_of(const VariantComparison& comparison, std::size_t variant) {
  Column column{{heading(comparison, variant)}};
  const bool ran = comparison.played[variant].objection.empty();
  for (const MetricRow& row : comparison.rows) {
    if (!shown(row)) continue;
    const Standing& one = row.standings[variant];
    const bool top = column.lines.size() == 1;
    column.lines.push_back(ran ? (one.best ? "* " : "") + mean_text(one.mean) : top ? "cannot run" : "-");
    column.lines.push_back(difference_text(one.difference));
  }
  return column;
}

void write_columns(const std::vector<const Column*>& columns, std::ostream& out) {
  for (std::size_t i = 0; i < columns.front()->lines.size(); ++i) {
    std::string line = left(columns.front()->lines[i], columns.front()->width());
    for (std::size_t c = 1; c < columns.size(); ++c) line += "  " + right(columns[c]->lines[i], columns[c]->width());
    line.erase(line.find_last_not_of(' ') + 1);
    // The second line of a metric is empty where the first is alone.
    if (!line.empty()) out << line << '\n';
  }
  out << '\n';
}

/// As many variants abreast as a page is wide; the first heads every table.
void write_tables(const VariantComparison& comparison, std::ostream& out) {
  const Column names = labels(comparison);
  const Column first = column_of(comparison, *comparison.first);
  std::vector<Column> others;
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) {
    if (v != *comparison.first) others.push_back(column_of(comparison, v));
  }
  const std::size_t room = page_width - names.width() - first.width() - 2;
  std::vector<const Column*> abreast{&names, &first};
  std::size_t taken = 0;
  for (const Column& other : others) {
    const std::size_t width = other.width() + 2;
    if (taken > 0 && taken + width > room) {
      write_columns(abreast, out);
      abreast = {&names, &first};
      taken = 0;
    }
    abreast.push_back(&other);
    taken += width;
  }
  write_columns(abreast, out);
}

void write_variants(const VariantComparison& comparison, std::ostream& out) {
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) {
    const Variant& variant = comparison.variants[v];
    out << "  " << left(numbered(v), 5) << printable(variant.name);
    const std::string& objection = comparison.played[v].objection;
    if (!comparison.hashes[v].empty()) out << "  (scenario " << comparison.hashes[v] << ')';
    if (!objection.empty()) out << ": cannot run: " << printable(objection);
    out << '\n';
    if (comparison.played[v].oracles.empty()) continue;
    const char* before = "       it knows what no real server could: ";
    for (const std::string& oracle : comparison.played[v].oracles) {
      out << before << printable(oracle);
      before = "; ";
    }
    out << '\n';
  }
}

void write_meaning(const VariantComparison& comparison, std::ostream& out) {
  if (comparison.seeds_are_equal) out << "Every seed gave the same: nothing in these variants is drawn by chance.\n";
  const std::string first = printable(comparison.variants[*comparison.first].name);
  const auto n = static_cast<std::int64_t>(comparison.complete_seeds.size());
  if (n > 1) {
    out << "Means over " << n << " seeds; below them the mean difference to " << first
        << " on the same seeds and half the width of its\n95 % confidence interval (Student's t, "
        << counted(n - 1, "degree") << " of freedom). \"within noise\": that interval holds zero. * best of the row.\n";
  } else {
    out << "One seed: differences to " << first
        << " have no confidence interval (--seeds gives one). * best of the row.\n";
  }
}

}  // namespace

void write_text(const VariantComparison& comparison, std::ostream& out) {
  const auto n = static_cast<std::int64_t>(comparison.complete_seeds.size());
  out << "Comparison of " << counted(static_cast<std::int64_t>(comparison.variants.size()), "variant") << " on "
      << counted(n, "seed");
  if (n > 0) out << " (" << comparison.complete_seeds.front();
  if (n > 1) out << " to " << comparison.complete_seeds.back();
  out << (n > 0 ? ")" : "");
  if (comparison.request_notes.empty()) out << ", each on the same requests";
  if (comparison.interrupted) out << "; interrupted, of " << counted(comparison.seeds, "seed");
  out << '\n';
  write_variants(comparison, out);
  for (const std::string& note : comparison.request_notes) out << "Note: " << printable(note) << '\n';
  out << '\n';
  if (comparison.rows.empty()) {
    out << "Nothing was played on a seed by all of them.\n";
  } else {
    write_tables(comparison, out);
    write_meaning(comparison, out);
  }
  for (const Regression& regression : comparison.regressions) {
    out << "Regression: " << printable(regression.why) << "; the limit is " << percent(regression.limit.share) << '\n';
  }
  out << "decodesim " << printable(comparison.version) << '\n';
}

}  // namespace decodesim
