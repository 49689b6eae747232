#include "sim/report/policy_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sim/report/columns.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

constexpr std::size_t label_width = 22;
// Longer tables are for the JSON document.
constexpr std::size_t most_rows = 12;

std::string reasons(const EvictionAccount& sum) {
  std::string text;
  for (std::size_t i = 0; i < EvictionAccount::reasons; ++i) {
    if (sum.by_reason[i] == 0) continue;
    text += (text.empty() ? "" : "  ") + std::string(eviction_reason_names[i]) + " " + grouped(sum.by_reason[i]);
  }
  return text;
}

std::string histogram(const std::vector<PreemptionHistogram::Bin>& bins) {
  std::string text;
  for (const PreemptionHistogram::Bin& bin : bins) {
    if (bin.requests == 0) continue;
    const std::string range = std::to_string(bin.from) + (bin.to > bin.from ? "-" + std::to_string(bin.to) : "");
    text += (text.empty() ? "" : "  ") + range + ": " + grouped(bin.requests);
  }
  return text;
}

void ledger(const Report& report, std::ostream& out) {
  const EvictionReport& e = report.evictions;
  const EvictionAccount& sum = e.run.account;
  const auto count = static_cast<double>(sum.preemptions);
  std::string rule = report.header.victim_rule.empty() ? "" : "; victim: " + printable(report.header.victim_rule);
  if (sum.of_itself > 0) rule += ", who needed the room itself " + counted(sum.of_itself, "time");
  write_line(out, "  for", reasons(sum) + rule);
  const double usable = count * static_cast<double>(report.header.usable_blocks);
  const auto used = [&](std::int64_t free) { return percent(std::max(0.0, 1 - static_cast<double>(free) / usable)); };
  write_line(out, "  freed",
             counted(sum.blocks, "block") + "; KV use " + used(sum.free_before) + " before and " +
                 used(sum.free_before + sum.blocks) + " after, on average");
  if (sum.by_fate[static_cast<std::size_t>(KvFate::swapped)] > 0) {
    const TransferTime& time = sum.transfers;
    const std::string beside = time_text(to_seconds(time.overlapped())) + " beside steps";
    write_line(out, "  swapped",
               bytes_text(report.transfers.out.value()) + " out and " + bytes_text(report.transfers.in.value()) +
                   " in, " + (time.overlapped() > Duration{} ? beside + "; " : "for which ") + "steps waited " +
                   time_text(to_seconds(time.waited)));
  }
  if (sum.found_again_tokens > 0) {
    write_line(out, "  spared",
               counted(sum.found_again_tokens, "token") + " found in place by victims that came back, of " +
                   grouped(sum.discarded_tokens) + " they had lost");
  }
  write_line(out, "  away", time_text(to_seconds(sum.away) / count) + " without a place, on average");
  write_line(out, "  of one request", histogram(e.run.histogram));
  if (e.run.goodput_lost && e.run.goodput_lost->missed > 0) {
    const GoodputLost& lost = *e.run.goodput_lost;
    write_line(out, "  goodput",
               counted(lost.missed, "request") + " missed a limit, " + grouped(lost.missed_preempted) +
                   " of them preempted; " + grouped(lost.missed_by_recompute) +
                   " would have kept it without recompute");
  }
}

/// Columns that say something of these groups.
void table(std::string_view title, const std::vector<GroupReport>& groups, const Report& report, std::ostream& out) {
  if (groups.size() < 2) return;
  const bool deadlines =
      std::any_of(groups.begin(), groups.end(), [](const GroupReport& one) { return one.with_deadline > 0; });
  const bool goodput = !std::isnan(report.request_goodput);
  const auto row = [&](const std::string& name, const std::vector<std::string>& cells) {
    std::string line = left(name, label_width);
    for (const std::string& cell : cells) line += right(cell, 10);
    out << line << '\n';
  };
  std::vector<std::string> heads{"requests", "completed", "TTFT ms", "p99",      "TPOT ms",
                                 "p99",      "E2E p99",   "tok/s",   "preempted"};
  if (goodput) heads.emplace_back("good/s");
  if (deadlines) heads.emplace_back("in time");
  row(std::string(title), heads);
  for (std::size_t i = 0; i < std::min(groups.size(), most_rows); ++i) {
    const GroupReport& one = groups[i];
    std::vector<std::string> cells{grouped(one.requests),      grouped(one.completed),
                                   significant(one.ttft.mean), significant(one.ttft.p99),
                                   significant(one.tpot.mean), significant(one.tpot.p99),
                                   significant(one.e2el.p99),  significant(one.output_throughput),
                                   grouped(one.preemptions)};
    if (goodput) cells.push_back(significant(one.request_goodput));
    if (deadlines) {
      const double share = static_cast<double>(one.deadlines_met) / static_cast<double>(one.with_deadline);
      cells.push_back(one.with_deadline > 0 ? percent(share) : "-");
    }
    row("  " + printable_name(one.name), cells);
  }
  if (groups.size() > most_rows)
    out << "  and " << grouped(static_cast<std::int64_t>(groups.size() - most_rows)) << " more: --json has them all\n";
}

/// What each class's requests are held against, where classes have limits of their own.
void class_limits(const std::vector<GroupReport>& classes, std::ostream& out) {
  for (const GroupReport& one : classes) {
    if (!one.slo) continue;
    std::string limits;
    const auto add = [&](std::string_view name, const std::optional<Duration>& limit) {
      if (!limit) return;
      limits +=
          (limits.empty() ? "" : ", ") + std::string(name) + " <= " + time_text(to_seconds(*limit), 4, Zeros::trimmed);
    };
    add("TTFT", one.slo->ttft_p99);
    add("TPOT", one.slo->tpot_p99);
    add("E2EL", one.slo->e2el_p99);
    write_line(out, "  limits of " + printable_name(one.name), limits.empty() ? "none" : limits);
  }
}

}  // namespace

void write_line(std::ostream& out, std::string_view label, const std::string& text) {
  out << left(label, label_width) << text << '\n';
}

void write_evictions(const Report& report, std::ostream& out) {
  const EvictionReport& e = report.evictions;
  const EvictionAccount& sum = e.run.account;
  if (sum.preemptions == 0) {
    write_line(out, "Evictions", "none");
    return;
  }
  write_line(out, "Evictions",
             counted(sum.preemptions, "preemption") + " of " + counted(e.run.preempted, "request") + ", at most " +
                 grouped(e.run.most) + " of one");
  if (e.first && e.last) {
    write_line(
        out, "  when",
        "from " + significant(to_seconds(*e.first)) + " s to " + significant(to_seconds(*e.last)) + " s of the run");
  }
  write_line(out, "  recomputed",
             counted(sum.recomputed_tokens, "token") + " in " + time_text(to_seconds(sum.recompute_time)) + ", " +
                 percent(ratio(to_seconds(sum.recompute_time), to_seconds(report.busy))) + " of GPU time");
  ledger(report, out);
}

void write_prefix(const Report& report, std::ostream& out) {
  const PrefixReport& prefix = report.prefix;
  if (prefix.found_tokens == 0 && prefix.cached_blocks_evicted == 0) return;
  const bool elsewhere = prefix.found_tokens > 0 && prefix.found_tokens == prefix.from_elsewhere_tokens;
  const bool arrive = report.header.prompts_arrive_computed || elsewhere;
  write_line(out, arrive ? "Prompts" : "Prefix cache",
             counted(prefix.found_tokens, "token") + " of " + grouped(prefix.prompt_tokens) +
                 (arrive ? " arrived computed or were found in place, " : " of prompts found in place, ") +
                 percent(prefix.hit_rate) + "; " + counted(prefix.cached_blocks_evicted, "cached block") + " evicted");
  if (prefix.from_host_tokens > 0)
    write_line(out, "  from the host", counted(prefix.from_host_tokens, "token") + ", those of victims included");
  if (prefix.from_elsewhere_tokens > 0)
    write_line(out, "  from elsewhere", counted(prefix.from_elsewhere_tokens, "token"));
  if (prefix.loads > 0) {
    const double each = to_seconds(prefix.loading) / static_cast<double>(prefix.loads);
    write_line(out, "  loads", grouped(prefix.loads) + " that requests waited for, " + time_text(each) + " on average");
  }
}

void write_groups(const Report& report, std::ostream& out) {
  table("By class", report.classes, report, out);
  class_limits(report.classes, out);
  table("By tenant", report.tenants, report, out);
  table("By priority", report.priorities, report, out);
  if (!std::isnan(report.jain_index)) {
    write_line(out, "Fairness",
               "Jain's index " + fixed_text(report.jain_index, 3) + " over the tokens a second of " +
                   counted(static_cast<std::int64_t>(report.tenants.size()), "tenant"));
  }
  if (report.classes.size() < 2 && report.tenants.size() < 2 && report.priorities.size() < 2) return;
  const StarvationReport& worst = report.starvation;
  write_line(out, "Starvation",
             "longest wait " + time_text(to_seconds(worst.longest_wait)) + "  oldest that waited " +
                 time_text(to_seconds(worst.oldest_waiting)) + "  longest gap " +
                 time_text(to_seconds(worst.longest_gap)));
}

}  // namespace decodesim
