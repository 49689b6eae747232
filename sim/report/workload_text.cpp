// A workload's description for people.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "sim/core/math.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/policy_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/report/workload_report.hpp"

namespace decodesim {

namespace {

/// Bars from nothing to the highest.
std::string bars(const std::vector<double>& heights) {
  constexpr std::string_view eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double highest = heights.empty() ? 0 : *std::max_element(heights.begin(), heights.end());
  std::string text;
  for (const double height : heights) {
    const double part = highest > 0 ? height / highest * 8 : 0;
    // Whatever is there shows.
    const auto step = height > 0 ? std::max<std::size_t>(1, static_cast<std::size_t>(part + 0.5)) : 0;
    text += eighths[step];
  }
  return text;
}

void draw_arrivals(const WorkloadStatistics& statistics, std::size_t width, std::ostream& out) {
  const std::vector<std::int64_t>& counts = statistics.curve.counts();
  if (counts.size() < 2) return;
  // Parts are put together, as many to each column, so that no column is higher by having more of them.
  const std::size_t parts = (counts.size() + width - 1) / width;
  std::vector<double> heights;
  for (std::size_t i = 0; i < counts.size(); i += parts) {
    double sum = 0;
    for (std::size_t j = i; j < std::min(i + parts, counts.size()); ++j) sum += static_cast<double>(counts[j]);
    heights.push_back(sum);
  }
  const double column = static_cast<double>(statistics.curve.part().count()) / 1e9 * static_cast<double>(parts);
  const double highest = *std::max_element(heights.begin(), heights.end()) / column;
  out << "\nArrivals, " << time_text(column, 3, Zeros::trimmed) << " a column, up to " << significant(highest, 3)
      << " req/s\n  " << bars(heights) << '\n';
}

/// A column a twelfth of a power of ten, or wider where the numbers need it.
void draw_lengths(std::string_view name, const TokenCounts& counts, std::size_t width, std::ostream& out) {
  if (counts.count() == 0) return;
  std::size_t decades = 1;
  for (std::int64_t power = 10; power <= counts.max(); power *= 10) ++decades;
  const auto columns = std::min(width, decades * 12);
  const auto edge = [&](std::size_t column) {
    const double power = static_cast<double>(decades * column) / static_cast<double>(columns);
    return static_cast<std::int64_t>(std::ceil(math::exp(power * std::numbers::ln10) - 1e-6));
  };
  std::vector<double> heights;
  for (std::size_t i = 0; i < columns; ++i)
    heights.push_back(static_cast<double>(counts.between(edge(i), edge(i + 1))));
  out << '\n'
      << name << ", from 1 to " << grouped(edge(columns)) << " on a logarithmic scale\n  " << bars(heights) << "\n  ";
  std::string scale;
  std::int64_t power = 1;
  for (std::size_t decade = 0; decade < decades; ++decade, power *= 10) {
    scale.resize(std::max(scale.size(), columns * decade / decades), ' ');
    scale += "|" + grouped(power);
  }
  out << scale << '\n';
}

void write_arrivals(const WorkloadReport& report, std::ostream& out) {
  const WorkloadStatistics& s = report.statistics;
  if (report.concurrency) {
    write_line(out, "Arrivals",
               "a closed loop of " + grouped(*report.concurrency) + " in flight: they come as others end");
    return;
  }
  const std::string turns =
      s.sessions.empty() ? "" : ", later turns of sessions left out: they come when they are answered";
  write_line(out, "Span", seconds_text(s.span(), Zeros::trimmed) + " s from the first arrival to the last" + turns);
  if (s.span() == Duration{}) return;
  const bool sessions = s.turns_longest() > 1;
  write_line(out, "Rate", fixed_text(s.rate(), 3) + (sessions ? " req/s that hang on no answer" : " req/s"));
  write_line(
      out, "Gaps",
      "CV " + significant(s.gap_cv()) + ", " + grouped(s.distinct_arrivals()) + " distinct arrivals" +
          (s.smallest_gap() ? ", the smallest gap " +
                                  time_text(static_cast<double>(s.smallest_gap()->count()) / 1e9, 4, Zeros::trimmed)
                            : ""));
  write_line(out, "Dispersion",
             "index " + significant(s.dispersion_1s.index(), 3) + " over 1 s, " +
                 significant(s.dispersion_10s.index(), 3) + " over 10 s, " + significant(s.dispersion_60s.index(), 3) +
                 " over 60 s (variance over mean of the number that arrives: 1 is Poisson, more is bursty)");
}

void write_lengths(const WorkloadStatistics& s, std::ostream& out) {
  out << left("Tokens", 24);
  for (const std::string_view name : {"mean", "p50", "p90", "p99", "max", "all"}) out << "  " << right(name, 10);
  out << '\n';
  const auto row = [&](std::string_view label, const TokenCounts& counts) {
    out << left(label, 24) << "  " << right(significant(counts.mean()), 10);
    for (const double q : {0.5, 0.9, 0.99}) out << "  " << right(significant(counts.quantile(q)), 10);
    out << "  " << right(grouped(counts.max()), 10) << "  " << right(grouped(counts.total()), 10) << '\n';
  };
  row("  input", s.input);
  row("  output", s.output);
}

void write_sharing(const WorkloadStatistics& s, std::ostream& out) {
  if (s.prefix.found_tokens() == 0) {
    write_line(out, "Prefix sharing", "none is stated");
    return;
  }
  const double share = ratio(static_cast<double>(s.prefix.found_tokens()), static_cast<double>(s.input.total()));
  write_line(out, "Prefix sharing",
             percent(share) + " of input tokens stand at the head of an earlier prompt (" +
                 grouped(s.prefix.found_tokens()) + "), in " + counted(s.prefix.sharing_requests(), "request"));
  if (s.prefix.blocks() == 0) return;
  write_line(out, "  blocks of hash ids",
             grouped(s.prefix.found_blocks()) + " of " + grouped(s.prefix.blocks()) + ", " +
                 percent(ratio(static_cast<double>(s.prefix.found_blocks()), static_cast<double>(s.prefix.blocks()))) +
                 ": what a cache that never evicts finds at most");
}

void write_sessions(const WorkloadStatistics& s, std::ostream& out) {
  if (s.sessions.empty()) return;
  std::int64_t turns = 0;
  for (const auto& [name, count] : s.sessions) turns += count;
  const auto sessions = static_cast<std::int64_t>(s.sessions.size());
  write_line(out, "Sessions",
             grouped(sessions) + ", turns mean " +
                 significant(static_cast<double>(turns) / static_cast<double>(sessions), 3) + ", max " +
                 grouped(s.turns_longest()) + ", think time mean " + time_text(s.think_time_mean(), 3, Zeros::trimmed));
}

void write_names(std::string_view label, const std::map<std::string, std::int64_t>& names, std::ostream& out) {
  if (names.empty()) return;
  constexpr std::size_t most = 8;
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [name, count] : names) sorted.emplace_back(-count, name);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
    text += (i == 0 ? "" : ", ") + printable(sorted[i].second) + " " + grouped(-sorted[i].first);
  if (sorted.size() > most) text += ", and " + grouped(static_cast<std::int64_t>(sorted.size() - most)) + " more";
  write_line(out, label, text);
}

}  // namespace

void write_account(const TraceAccount& account, std::ostream& out) {
  std::string how = "format " + account.format;
  if (!account.time_unit.empty()) how += ", times in " + account.time_unit;
  if (account.block_size > 0) how += ", hash ids of " + counted(account.block_size, "token");
  if (account.spread != "none") how += ", equal times spread (" + account.spread + ", seeded)";
  if (account.time_scale != 1) how += ", gaps times " + significant(account.time_scale, 6);
  write_line(out, "Trace", printable(account.file) + ", " + how);
  write_line(
      out, "  rows",
      grouped(account.rows) + " read = " + grouped(account.kept) + " kept + " + grouped(account.dropped) + " dropped");
  for (const TraceException& one : account.exceptions)
    write_line(out, "    " + one.action, grouped(one.rows) + ": " + one.reason);
}

void write_text(const WorkloadReport& report, std::size_t width, std::ostream& out) {
  const WorkloadStatistics& s = report.statistics;
  if (report.account != nullptr) {
    write_account(*report.account, out);
  } else {
    write_line(out, "Workload", printable(report.name));
  }
  write_line(out, "Requests", grouped(s.requests()));
  if (s.requests() == 0) return;
  write_arrivals(report, out);
  write_lengths(s, out);
  write_sharing(s, out);
  write_sessions(s, out);
  write_names("Tenants", s.tenants, out);
  write_names("Classes", s.classes, out);
  const std::size_t columns = std::min<std::size_t>(std::max<std::size_t>(width, 22) - 2, 120);
  if (!report.concurrency) draw_arrivals(s, columns, out);
  draw_lengths("Input tokens", s.input, columns, out);
  draw_lengths("Output tokens", s.output, columns, out);
}

}  // namespace decodesim
