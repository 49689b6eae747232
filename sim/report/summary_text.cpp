#include "sim/report/summary_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/histogram.hpp"
#include "sim/report/case_table.hpp"
#include "sim/report/client_block.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/cost_note.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/policy_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/report/verdict_text.hpp"
#include "sim/report/workload_report.hpp"

namespace decodesim {

namespace {

void user_rates(const Report& report, std::ostream& out) {
  constexpr std::size_t column = 10;
  out << left("Tokens/s a user", 24);
  for (std::string_view name : {"mean", "p1", "p10", "p50", "p90", "p99"}) out << right(name, column);
  out << '\n';
  const auto row = [&](std::string_view label, const Summary& s) {
    out << left(label, 24);
    for (double value : {s.mean, s.p1, s.p10, s.p50, s.p90, s.p99}) out << right(significant(value), column);
    out << '\n';
  };
  row("  decoding, 1/TPOT", report.user_decode);
  row("  in all, output/E2E", report.user_end_to_end);
}

void kv_use(const Report& report, std::ostream& out) {
  const RunHeader& header = report.header;
  const KvReport& kv = report.kv;
  write_line(out, "KV cache",
             grouped(header.usable_blocks) + " usable blocks of " + counted(header.block_size, "token") + " = " +
                 grouped(header.usable_blocks * header.block_size) + " tokens (" + grouped(header.num_blocks) +
                 " blocks as a server prints them)");
  write_line(out, "  in use", "mean " + percent(kv.usage_mean) + "  peak " + percent(kv.usage_peak));
  write_line(out, "  holds",
             "token states " + percent(kv.token_states_mean) +
                 (kv.internal_waste_mean < 0 ? ", those of shared blocks once for each sequence"
                                             : "  internal waste " + percent(kv.internal_waste_mean)) +
                 "  free " + percent(kv.free_mean));
  const WasteReport& waste = report.waste;
  if (waste.reserves) {
    write_line(out, "  while some wait",
               "token states " + percent(waste.token_states) + "  reserved " + percent(waste.reservation) +
                   "  internal " + percent(waste.internal) + "  other " + percent(waste.other) + "  for " +
                   significant(waste.running_mean) + " sequences");
  }
  if (report.completed == 0) return;
  // Beside the mean prompt, so that what answers add to it can be seen.
  const double prompt = static_cast<double>(report.total_input_tokens) / static_cast<double>(report.completed);
  write_line(out, "  a sequence",
             significant(kv.tokens_per_sequence_mean) + " tokens on average, of prompts of " + significant(prompt));
}

void steps(const Report& report, std::ostream& out) {
  const StepReport& s = report.steps;
  const std::string idle = s.idle_count > 0 ? ", " + grouped(s.idle_count) + " of them idle" : "";
  write_line(out, "Steps", grouped(s.count) + idle + ", mean " + time_text(s.mean_ms / 1e3));
  write_line(out, "  batch, per step", "mean " + significant(s.batch_mean) + "  peak " + grouped(s.batch_peak));
  write_line(out, "  running, over time", "mean " + significant(s.running_mean) + "  peak " + grouped(s.running_peak));
}

void speculation(const Report& report, std::ostream& out) {
  if (report.header.draft_tokens == 0) return;
  const SpeculationReport& s = report.speculation;
  write_line(out, "Speculation",
             counted(report.header.draft_tokens, "draft token") + " a step: " + significant(s.tokens_per_step) +
                 " tokens a step and sequence");
  write_line(out, "  drafts",
             grouped(s.drafted_tokens) + " verified, " + grouped(s.accepted_tokens) +
                 " accepted = " + percent(s.acceptance_rate));
}

void ledger(const Report& report, std::ostream& out) {
  const Ledger& sum = report.ledger;
  const double seconds = to_seconds(sum.duration());
  const double bytes = sum.total_bytes().value();
  const auto row = [&](std::string_view name, const std::string& amount, double share) {
    write_line(out, "  " + std::string(name), right(amount, 10) + right(percent(share), 9));
  };
  write_line(out, "Time in steps", right(time_text(seconds), 10));
  for (std::size_t i = 0; i < time_part_names.size(); ++i) {
    const double part = to_seconds(sum.time[i]);
    if (part > 0) row(time_part_names[i], time_text(part), part / seconds);
  }
  if (sum.hidden_host > Duration{})
    write_line(out, "  host, beside the device", right(time_text(to_seconds(sum.hidden_host)), 10));
  if (sum.hidden_transfers > Duration{})
    write_line(out, "  transfers, beside", right(time_text(to_seconds(sum.hidden_transfers)), 10));
  if (bytes <= 0) return;
  write_line(out, "Bytes moved", right(bytes_text(bytes), 10));
  for (std::size_t i = 0; i < byte_kind_names.size(); ++i) {
    const double part = sum.bytes[i].value();
    if (part > 0) row(byte_kind_names[i], bytes_text(part), part / bytes);
  }
}

template <std::size_t size>
std::string shares(const std::array<std::string_view, size>& names, const std::array<double, size>& values) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    if (values[i] > 0) text += (text.empty() ? "" : "  ") + std::string(names[i]) + " " + percent(values[i]);
  }
  return text.empty() ? "n/a" : text;
}

void limits(const Report& report, std::ostream& out) {
  write_line(out, "Bound by", report.limits.binding.empty() ? "n/a" : report.limits.binding);
  write_line(out, "  admission", shares(admission_limit_names, report.limits.admission));
  write_line(out, "  steps", shares(bound_by_names, report.limits.step));
}

std::string_view saturation_meaning(Saturation verdict) {
  switch (verdict) {
    case Saturation::stable:
      return "the server keeps up with what comes";
    case Saturation::backlogged:
      return "a queue stands most of the time, but it does not keep growing";
    case Saturation::overloaded:
      return "more comes than the server can do: the queue keeps growing, or clients give up waiting";
    case Saturation::saturated:
      return "requests wait most of the time: more clients would bring no more tokens";
    case Saturation::client_limited:
      return "the server waits for its clients: more of them would bring more tokens";
  }
  return "";
}

void saturation(const Report& report, std::ostream& out) {
  const SaturationReport& s = report.saturation;
  if (s.verdict) {
    write_line(out, "Saturation",
               std::string(saturation_names[static_cast<std::size_t>(*s.verdict)]) + ": " +
                   std::string(saturation_meaning(*s.verdict)));
  } else {
    write_line(out, "Saturation",
               report.completed == 0 ? "NOTHING SERVED: whether a server keeps up shows in requests that complete"
                                     : "n/a: nothing was measured");
  }
  std::string queue = "mean " + significant(s.mean_waiting, 3) + "  peak " + grouped(s.peak_waiting) + "  not empty " +
                      percent(s.waiting_share) + " of the time";
  if (!std::isnan(s.queue_slope_per_s)) {
    // A queue that grows by less than a thousandth of a request a second stands still.
    const std::string slope = fixed_text(s.queue_slope_per_s, 3);
    queue += "  while requests come " + std::string(slope.starts_with('-') ? "" : "+") + slope + " requests/s";
  }
  write_line(out, "  queue", queue);
}

void outcomes(const Report& report, std::ostream& out) {
  static constexpr std::string_view names[] = {"Completed", "Rejected", "Cancelled", "Unfinished"};
  for (const OutcomeCount& row : report.outcomes) {
    std::string text = grouped(row.count) + ": " + printable(row.reason);
    if (row.reason == reason_prompt_too_long && report.header.max_model_len > 0)
      text +=
          " (" + grouped(report.header.max_model_len) + " tokens: scheduler.max_model_len, as far as the model allows)";
    write_line(out, names[static_cast<std::size_t>(row.outcome)], text);
  }
  if (report.unanswered_tokens == 0) return;
  const double share = ratio(static_cast<double>(report.unanswered_tokens), static_cast<double>(report.emitted_tokens));
  write_line(out, "  for nothing",
             counted(report.unanswered_tokens, "output token") + ", " + percent(share) +
                 " of all, went to clients that left before the end");
}

void defaults(std::span<const DefaultUsed> used, std::ostream& out) {
  std::string_view label = "Defaults";
  for (const DefaultUsed& one : used) {
    write_line(out, label, printable(one.path) + " = " + printable(one.value) + " [" + printable(one.source) + "]");
    label = "";
  }
}

void cost(const Report& report, std::ostream& out) {
  const std::string& model = report.header.cost_model;
  const std::string_view note = cost_note(model);
  write_line(out, "Cost", printable(model) + (note.empty() ? "" : ": ") + std::string(note));
  // Part by part, since together they are longer than a line.
  std::string_view label = "Trust";
  for (std::string_view left = report.header.trust; !left.empty(); label = "") {
    const std::size_t end = left.find("; ");
    write_line(out, label, printable(left.substr(0, end)));
    left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 2);
  }
}

void definitions(std::ostream& out) {
  out << "TPOT=(E2E-TTFT)/(out-1) per request, outputs of one token left out; ITL=all gaps pooled, percentiles within "
      << fixed_text(Histogram::relative_error * 100, 2) << " %; percentiles interpolate at q(n-1)\n";
}

/// All that is said of one case alone.
void body(const Report& report, std::ostream& out) {
  write_verdict(report, out);
  out << '\n';
  write_client_block(report, out);
  out << '\n';
  user_rates(report, out);
  kv_use(report, out);
  write_evictions(report, out);
  write_prefix(report, out);
  steps(report, out);
  speculation(report, out);
  ledger(report, out);
  limits(report, out);
  saturation(report, out);
  write_groups(report, out);
  outcomes(report, out);
  if (report.header.trace) write_account(*report.header.trace, out);
  for (const std::string& oracle : report.header.oracles) write_line(out, "Oracle", "knows " + printable(oracle));
  for (const std::string& warning : report.warnings) write_line(out, "Warning", printable(warning));
}

void footer(const Report& report, std::ostream& out) {
  const RunHeader& header = report.header;
  out << "decodesim " << printable(header.version) << "  scenario " << printable(header.hash) << "  seed "
      << header.seed << "  cost " << printable(header.cost_model) << '\n';
}

bool same_defaults(std::span<const Report> reports) {
  const auto same = [](const DefaultUsed& a, const DefaultUsed& b) {
    return a.path == b.path && a.value == b.value && a.source == b.source;
  };
  const std::vector<DefaultUsed>& first = reports.front().header.defaults;
  return std::all_of(reports.begin(), reports.end(), [&](const Report& report) {
    const std::vector<DefaultUsed>& other = report.header.defaults;
    return std::equal(first.begin(), first.end(), other.begin(), other.end(), same);
  });
}

}  // namespace

void write_text(const Report& report, std::ostream& out) { write_text(std::span(&report, 1), out); }

void write_text(std::span<const Report> reports, std::ostream& out) {
  if (reports.empty()) return;
  // What all cases share is said once, after them.
  const bool shared = same_defaults(reports);
  const bool cost_follows = reports.size() > 1 && same_cost(reports);
  for (const Report& report : reports) {
    body(report, out);
    if (!cost_follows) cost(report, out);
    if (!shared) defaults(report.header.defaults, out);
    if (reports.size() > 1) footer(report, out);
    out << '\n';
  }
  if (reports.size() > 1) {
    write_case_table(reports, out);
    out << '\n';
  }
  if (shared) defaults(reports.front().header.defaults, out);
  definitions(out);
  if (reports.size() == 1) footer(reports.front(), out);
}

}  // namespace decodesim
