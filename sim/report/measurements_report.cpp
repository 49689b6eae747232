// The second half of Measurements: from sums to the numbers of a report.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/measurements.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/slo_limits.hpp"

namespace decodesim {

namespace {

// A 99th percentile of fewer than a hundred values rests on its largest alone.
constexpr std::int64_t few_requests = 100;
// A window of ten lifetimes of a request forgets how the run began: in a closed loop each client has asked ten times.
constexpr double few_lifetimes = 10;

double milliseconds(double nanoseconds) { return nanoseconds / 1e6; }

template <class T, std::size_t size>
std::size_t largest(const std::array<T, size>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// What took the largest part of a step, as a clause.
std::string step_answer(BoundBy reason, double share) {
  const std::string took = " took " + percent(share) + " of a step";
  switch (reason) {
    case BoundBy::bandwidth:
      return "memory bandwidth" + took;
    case BoundBy::compute:
      return "compute" + took;
    case BoundBy::latency:
      return "the least times of kernels" + took;
    case BoundBy::collectives:
      return "collectives" + took;
    case BoundBy::transfers:
      return "KV transfers to and from the host" + took;
    case BoundBy::host:
      return "host time" + took;
    case BoundBy::fixed:
      return "the scenario fixes the length of a step";
  }
  return {};
}

}  // namespace

Report Measurements::report() const {
  Report report;
  report.header = header_;
  report.run = run_;
  report.slo = slo_;
  report.requests_in = totals_.arrived;
  report.completed = totals_.outcomes[static_cast<std::size_t>(Outcome::completed)];
  report.rejected = totals_.outcomes[static_cast<std::size_t>(Outcome::rejected)];
  report.cancelled = totals_.outcomes[static_cast<std::size_t>(Outcome::cancelled)];
  report.unanswered_tokens = totals_.unanswered_tokens;
  report.unfinished = totals_.outcomes[static_cast<std::size_t>(Outcome::unfinished)];
  report.duration = report.completed > 0 ? last_completion_ - first_arrival_ : Duration{};
  report.total_input_tokens = totals_.completed_input_tokens;
  report.total_output_tokens = totals_.completed_output_tokens;
  report.emitted_tokens = totals_.emitted_tokens;
  report.passes = totals_.passes;
  report.busy = totals_.busy;
  report.end = run_facts_.end;
  for (const auto& [key, count] : reasons_) report.outcomes.push_back({key.first, key.second, count});
  report.interrupted = run_facts_.interrupted;
  report.watchdog = run_facts_.watchdog;
  report.window = window_report();
  report_latencies(report);
  report_evictions(report);
  report_groups(report);
  report_use(report);
  report_saturation(report);
  report_limits(report);
  report_warnings(report);
  return report;
}

WindowReport Measurements::window_report() const {
  WindowReport window;
  window.whole_run = window_.opens_at_start() && !window_.closes_early();
  window.opened = window_.opened();
  window.requests = sums_.requests;
  window.completed = static_cast<std::int64_t>(completed_.size());
  window.open = !window.opened ? run_facts_.end : window_.opens_at_start() ? first_arrival_ : window_.open();
  // A window that never closed ends with the last completion, or with the run where that came before the opening.
  const Time last = last_completion_ > window.open ? last_completion_ : std::max(run_facts_.end, window.open);
  window.close = window_.closed() ? window_.close() : last;
  return window;
}

void Measurements::report_goodput_lost(Report& report) const {
  GoodputLost& run = report.evictions.run.goodput_lost.emplace();
  const auto rate = [&](GoodputLost& lost) {
    lost.per_second = ratio(static_cast<double>(lost.missed_by_recompute), report.window.seconds());
  };
  for (EvictionSummary& one : report.evictions.classes) {
    const auto found = sums_.lost.find(one.name);
    one.goodput_lost = found == sums_.lost.end() ? GoodputLost{} : found->second;
    rate(*one.goodput_lost);
    run += *one.goodput_lost;
  }
  rate(run);
}

void Measurements::report_evictions(Report& report) const {
  EvictionReport& evictions = report.evictions;
  evictions.run = evictions_.run();
  evictions.classes = evictions_.classes();
  evictions.first = totals_.first_preemption;
  if (totals_.first_preemption) evictions.last = totals_.last_preemption;
  if (has_slo()) report_goodput_lost(report);
  report.transfers = totals_.transfers;
  report.transfers.host_tier = evictions_.victims().host_tier();
  report.prefix = totals_.prefix;
  const auto count = [](std::int64_t number) { return static_cast<double>(number); };
  report.prefix.hit_rate = ratio(count(totals_.prefix.found_tokens), count(totals_.prefix.prompt_tokens));
  report.prefix.found_again_share =
      ratio(count(totals_.prefix.found_again_tokens), count(evictions.run.account.discarded_tokens));
}

void Measurements::report_groups(Report& report) const {
  const double seconds = report.window.seconds();
  report.classes = classes_.report(completed_, seconds, has_slo());
  if (!class_slo_.empty()) {
    for (GroupReport& one : report.classes) one.slo = limits_of(one.name, class_slo_, slo_);
  }
  report.tenants = tenants_.report(completed_, seconds, has_slo());
  report.priorities = priorities_.report(completed_, seconds, has_slo());
  report.jain_index = jain_index(report.tenants);
  report.starvation = {std::max(totals_.longest_wait, evictions_.victims().longest_away()),
                       std::max(totals_.longest_wait, evictions_.victims().oldest_return()), totals_.longest_gap};
}

void Measurements::report_latencies(Report& report) const {
  const double seconds = report.window.seconds();
  // Without a window, tokens are those that the client counts, of completed requests. With one they are those that the
  // server emitted in it, since a long output belongs to the window only in part.
  const auto output_tokens =
      static_cast<double>(report.window.whole_run ? sums_.completed_output_tokens : sums_.emitted_tokens);
  report.request_throughput = ratio(static_cast<double>(completed_.size()), seconds);
  report.output_throughput = ratio(output_tokens, seconds);
  report.total_token_throughput = ratio(static_cast<double>(sums_.completed_input_tokens) + output_tokens, seconds);
  if (has_slo()) {
    report.request_goodput = ratio(static_cast<double>(sums_.good_requests), seconds);
    report.good_share =
        ratio(static_cast<double>(sums_.good_requests), static_cast<double>(sums_.requests - sums_.unwanted));
  }

  // One metric after the other, so that no more than one value a request is held beside what all of them rest on.
  std::vector<double> values;
  values.reserve(completed_.size());
  const auto summary_of = [&](const auto& value_of) {
    values.clear();
    for (const CompletedRequest& request : completed_) {
      const std::optional<double> value = value_of(request);
      if (value) values.push_back(*value);
    }
    return summarize(values);
  };
  using Value = std::optional<double>;
  report.ttft = summary_of([](const CompletedRequest& one) { return Value(one.ttft_ms()); });
  report.e2el = summary_of([](const CompletedRequest& one) { return Value(one.e2el_ms()); });
  report.tpot = summary_of([](const CompletedRequest& one) { return one.tpot_ms(); });
  report.user_decode = summary_of([](const CompletedRequest& one) {
    if (one.output_tokens < 2 || one.e2el == one.ttft) return Value();
    return Value(static_cast<double>(one.output_tokens - 1) / to_seconds(one.e2el - one.ttft));
  });
  report.user_end_to_end = summary_of([](const CompletedRequest& one) {
    if (one.e2el == Duration{}) return Value();
    return Value(static_cast<double>(one.output_tokens) / to_seconds(one.e2el));
  });

  report.itl.count = gap_moments_.count();
  report.itl.mean = milliseconds(gap_moments_.mean());
  report.itl.std = milliseconds(gap_moments_.standard_deviation());
  report.itl.p1 = milliseconds(gap_histogram_.quantile(0.01));
  report.itl.p10 = milliseconds(gap_histogram_.quantile(0.10));
  report.itl.p50 = milliseconds(gap_histogram_.quantile(0.50));
  report.itl.p90 = milliseconds(gap_histogram_.quantile(0.90));
  report.itl.p99 = milliseconds(gap_histogram_.quantile(0.99));
}

void Measurements::report_use(Report& report) const {
  // Between steps the server sleeps with an empty pool, which counts towards the averages.
  const double covered = static_cast<double>((sums_.last - report.window.open).count());
  const auto passes = static_cast<double>(sums_.computing_passes);
  report.steps = {sums_.passes,
                  sums_.passes - sums_.computing_passes,
                  milliseconds(ratio(static_cast<double>(sums_.computing_time.count()), passes)),
                  ratio(static_cast<double>(sums_.batch), passes),
                  sums_.batch_peak,
                  ratio(sums_.running_time, covered),
                  sums_.running_peak};
  const auto drafted = static_cast<double>(sums_.drafted_tokens);
  const auto accepted = static_cast<double>(sums_.accepted_tokens);
  report.speculation = {sums_.drafted_tokens, sums_.accepted_tokens, ratio(accepted, drafted),
                        1 + ratio(accepted * static_cast<double>(header_.draft_tokens), drafted)};
  const auto usable = static_cast<double>(header_.usable_blocks);
  KvReport& kv = report.kv;
  kv.usage_mean = ratio(sums_.used_time, covered * usable);
  kv.usage_peak = sums_.passes > 0 ? ratio(static_cast<double>(sums_.used_peak), usable) : not_measured;
  kv.tokens_per_sequence_mean = ratio(sums_.cached_time, sums_.running_time);
  kv.token_states_mean = ratio(sums_.cached_time, covered * usable * static_cast<double>(header_.block_size));
  kv.internal_waste_mean = kv.usage_mean - kv.token_states_mean;
  kv.free_mean = 1 - kv.usage_mean;
  report.waste = waste_.report();
  report.ledger = sums_.ledger;
  report.saturation.mean_waiting = ratio(sums_.waiting_time, covered);
  report.saturation.peak_waiting = sums_.waiting_peak;
  Duration something_waits{};
  for (Duration part : sums_.limited_waiting) something_waits += part;
  report.saturation.waiting_share = ratio(static_cast<double>(something_waits.count()), covered);
}

void Measurements::report_limits(Report& report) const {
  const auto step_time = static_cast<double>(sums_.step_time.count());
  LimitReport& limits = report.limits;
  for (std::size_t i = 0; i < limits.admission.size(); ++i) {
    limits.admission[i] = ratio(static_cast<double>(sums_.limited[i].count()), step_time);
  }
  const auto ledger_time = static_cast<double>(sums_.ledger.duration().count());
  for (std::size_t i = 0; i < limits.step.size(); ++i) {
    limits.step[i] = ratio(static_cast<double>(sums_.ledger.bound[i].count()), ledger_time);
  }
  if (sums_.step_time.count() == 0) return;
  const AdmissionLimit holder = holder_of_batch(report.saturation.verdict);
  switch (holder) {
    case AdmissionLimit::arrivals:
      limits.batch_limit = header_.closed_loop ? "clients" : "arrivals";
      break;
    case AdmissionLimit::kv_capacity:
      limits.batch_limit = "KV capacity";
      break;
    case AdmissionLimit::max_num_seqs:
      limits.batch_limit = "max_num_seqs";
      break;
    case AdmissionLimit::token_budget:
      limits.batch_limit = "token budget";
      break;
    case AdmissionLimit::policy:
      limits.batch_limit = "the engine's own rule";
      break;
    case AdmissionLimit::kv_loads:
      limits.batch_limit = "KV loads";
      break;
  }
  if (sums_.computing_passes == 0) {
    limits.binding =
        holder == AdmissionLimit::arrivals ? "no sequence ran" : limits.batch_limit + " let no sequence run";
    return;
  }
  limits.binding = limits.batch_limit + " held the batch at " + significant(report.steps.batch_mean) + " sequences";
  // What the server itself allows is seen at the peak; the mean also holds the filling and the draining.
  if (holder != AdmissionLimit::arrivals) {
    limits.binding += " on average, " + grouped(report.steps.batch_peak) + " at most";
  }
  const std::size_t bound = largest(sums_.ledger.bound);
  limits.binding += "; " + step_answer(static_cast<BoundBy>(bound), limits.step[bound]);
}

AdmissionLimit Measurements::holder_of_batch(const std::optional<Saturation>& verdict) const {
  const bool keeps_up = verdict == Saturation::stable || verdict == Saturation::client_limited;
  std::array<Duration, admission_limit_names.size()> waiting = sums_.limited_waiting;
  waiting[static_cast<std::size_t>(AdmissionLimit::arrivals)] = {};
  const std::size_t holder = largest(waiting);
  if (keeps_up || waiting[holder] == Duration{}) return static_cast<AdmissionLimit>(largest(sums_.limited));
  return static_cast<AdmissionLimit>(holder);
}

void Measurements::report_saturation(Report& report) const {
  SaturationReport& saturation = report.saturation;
  const bool all_came = totals_.arrived == header_.requests;
  SaturationInputs inputs;
  inputs.closed_loop = header_.closed_loop;
  inputs.arrival_span = (all_came ? last_arrival_ : std::max(last_step_end_, last_arrival_)) - first_arrival_;
  inputs.arrivals = totals_.arrived;
  inputs.gave_up_waiting = totals_.gave_up_waiting;
  inputs.queue_slope_per_s = header_.closed_loop ? not_measured : trend_.slope(inputs.arrival_span);
  inputs.waiting_share = saturation.waiting_share;
  saturation.queue_slope_per_s = inputs.queue_slope_per_s;
  // A server that completed nothing has kept up with nothing, however short its queue was.
  if (report.completed > 0 && report.window.opened) saturation.verdict = saturation_verdict(inputs);
}

void Measurements::report_warnings(Report& report) const {
  report.warnings = header_.warnings;
  const std::string& remedy = header_.more_requests;
  const WindowReport& window = report.window;
  if (!window.opened) {
    report.warnings.push_back("the run ended before its window opened: nothing was measured");
    return;
  }
  if (!window_.closed() && window_.closes_early()) {
    report.warnings.push_back("the run ended before its window closed");
  }
  if (window.requests < few_requests) {
    report.warnings.push_back("only " + counted(window.requests, "request") + " ended in the window: fewer than " +
                              grouped(few_requests) + ", so percentiles rest on single requests; " + remedy);
  }
  const std::int64_t wanted = sums_.requests - sums_.unwanted;
  const std::int64_t unanswered = wanted - window.completed;
  if (has_slo() && !slo_.min_goodput && unanswered * few_requests > wanted) {
    report.warnings.push_back(grouped(unanswered) + " of " + counted(wanted, "request") +
                              " were not answered, and the limits speak of the others: state slo.min_goodput to hold "
                              "all of them against it");
  }
  const std::int64_t not_asked = header_.requests - totals_.arrived;
  if (header_.closes && not_asked > 0 && header_.requests_known && !run_facts_.interrupted) {
    report.warnings.push_back(grouped(not_asked) + " of " + counted(header_.requests, "request") +
                              " were not asked for: nobody asks from " + significant(to_seconds(*header_.closes)) +
                              " s on");
  }
  for (const auto& [slo_class, limits] : class_slo_) {
    const bool met = std::any_of(report.classes.begin(), report.classes.end(),
                                 [&](const GroupReport& one) { return one.name == slo_class; });
    if (!met) report.warnings.push_back("slo has limits for class '" + slo_class + "', and no request is of it");
  }
  const double lifetimes = ratio(window.seconds() * 1e3, report.e2el.mean);
  if (lifetimes < few_lifetimes) {
    report.warnings.push_back("the window is " + significant(lifetimes, 2) +
                              " times as long as a request lives on average: below " + significant(few_lifetimes, 2) +
                              ", results still depend on how the run began; " + remedy);
  }
}

}  // namespace decodesim
