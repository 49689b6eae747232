#include "sim/report/case_table.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "sim/report/columns.hpp"
#include "sim/report/cost_note.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

std::string name_of(const Report& report) {
  return printable(report.header.case_name.empty() ? report.header.scenario : report.header.case_name);
}

/// A factor as people say it, whole where it is 10 or more, and with two decimals behind it where these say more:
/// 32x (31.95x), 1.5x (1.54x), 2x.
std::string times(double factor) {
  std::string exact = fixed_text(factor, 2);
  std::string round = fixed_text(factor, factor >= 9.95 ? 0 : 1);
  if (round.ends_with(".0")) round.resize(round.size() - 2);
  if (exact == round + ".00" || exact == round + "0") return round + "x";
  return round + "x (" + exact + "x)";
}
std::string precise_times(double factor) { return significant(factor, 3) + "x"; }

/// Tokens that a decoding sequence gets in a step: one, but where drafts are verified.
double gained_a_step(const Report& report) {
  return report.header.draft_tokens > 0 && report.speculation.tokens_per_step > 0 ? report.speculation.tokens_per_step
                                                                                  : 1;
}

void gap(const Report& first, const Report& last, std::ostream& out) {
  const bool falls = first.output_throughput >= last.output_throughput;
  const Report& fast = falls ? first : last;
  const Report& slow = falls ? last : first;
  const double factor = fast.output_throughput / slow.output_throughput;
  if (!(factor > 0) || factor > 1e9) return;
  out << "The gap between " << name_of(first) << " and " << name_of(last) << " is " << times(factor) << ": ";
  const double batch = fast.steps.running_mean / slow.steps.running_mean;
  const double pace = slow.steps.mean_ms / fast.steps.mean_ms;
  out << significant(fast.steps.running_mean, 3) << " sequences decode at once in " << name_of(fast) << " and "
      << significant(slow.steps.running_mean, 3) << " in " << name_of(slow) << " (" << precise_times(batch)
      << "), with steps of " << significant(fast.steps.mean_ms, 3) << " and " << significant(slow.steps.mean_ms, 3)
      << " ms (" << precise_times(pace) << ")";
  const double gained = gained_a_step(fast);
  const double gained_slowly = gained_a_step(slow);
  if (gained != gained_slowly) {
    out << ", each of " << significant(gained, 3) << " and " << significant(gained_slowly, 3) << " tokens a sequence ("
        << precise_times(gained / gained_slowly) << ")";
  }
  out << ".\n";
  if (fast.limits.batch_limit == "KV capacity" && slow.limits.batch_limit == "KV capacity") {
    out << "In both the KV cache is full: it holds " << grouped(fast.header.usable_blocks * fast.header.block_size);
    const std::int64_t other = slow.header.usable_blocks * slow.header.block_size;
    if (other != fast.header.usable_blocks * fast.header.block_size) out << " and " << grouped(other);
    out << " tokens, and the longer a sequence is, the fewer fit.\n";
  }
}

void shared_cost(std::string_view cost_model, std::ostream& out) {
  if (cost_model == "ideal") {
    out << "Cost is ideal: bytes move at the full bandwidth and nothing else takes time; "
           "a tuned stack reaches about half of the ideal figure.\n";
  } else if (!cost_note(cost_model).empty()) {
    out << "Cost is " << cost_model << ": " << cost_note(cost_model) << ".\n";
  }
}

}  // namespace

void write_case_table(std::span<const Report> reports, std::ostream& out) {
  std::size_t width = 4;
  for (const Report& report : reports) width = std::max(width, width_of(name_of(report)));
  const auto row = [&](std::string_view name, std::initializer_list<std::string> cells, std::string_view bound) {
    out << left(name, width);
    for (const std::string& cell : cells) out << "  " << right(cell, 12);
    out << "  " << bound << '\n';
  };
  row("case", {"running", "step ms", "tok/s", "tok/s a user", "KV use"}, "bound by");
  for (const Report& report : reports) {
    row(name_of(report),
        {significant(report.steps.running_mean), significant(report.steps.mean_ms),
         significant(report.output_throughput), significant(report.user_decode.mean), percent(report.kv.usage_mean)},
        report.limits.batch_limit.empty() ? "n/a" : report.limits.batch_limit);
  }
  out << '\n';
  gap(reports.front(), reports.back(), out);
  if (same_cost(reports)) shared_cost(reports.front().header.cost_model, out);
}

bool same_cost(std::span<const Report> reports) {
  return std::all_of(reports.begin(), reports.end(), [&](const Report& report) {
    return report.header.cost_model == reports.front().header.cost_model;
  });
}

}  // namespace decodesim
