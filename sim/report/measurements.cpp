#include "sim/report/measurements.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/core/check.hpp"
#include "sim/report/slo_limits.hpp"

namespace decodesim {

namespace {

std::size_t place(Outcome outcome) { return static_cast<std::size_t>(outcome); }
double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

}  // namespace

Measurements::Measurements(RunHeader header, const RunSpec& run, const SloSpec& slo,
                           std::map<std::string, SloSpec> class_slo)
    : header_(std::move(header)),
      run_(run),
      slo_(slo),
      class_slo_(std::move(class_slo)),
      window_(run.window, header_.requests) {
  completed_.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(header_.requests, 0, 1 << 20)));
}

void Measurements::arrived(const Request& request) {
  if (totals_.arrived == 0) first_arrival_ = request.arrival;
  last_arrival_ = request.arrival;
  ++totals_.arrived;
  classes_.arrived(request.slo_class, request.arrival);
  tenants_.arrived(request.tenant, request.arrival);
  priorities_.arrived(request.priority, request.arrival);
}

void Measurements::step(const StepFacts& facts) {
  const Duration lasted = facts.end - facts.start;
  check(header_.bound.allows(facts.ledger), "a step was faster than the memory and the arithmetic of its GPUs allow");
  take_back(facts.withdrawn);
  ++totals_.passes;
  totals_.emitted_tokens += tokens_out(facts);
  totals_.accepted_tokens += facts.accepted_tokens;
  totals_.transfers.out += facts.swapped_out_bytes;
  totals_.transfers.in += facts.swapped_in_bytes;
  totals_.transfers.stored += facts.stored_bytes;
  totals_.transfers.loaded += facts.loaded_bytes;
  totals_.transfers.loaded_beside += facts.loaded_beside_bytes;
  totals_.prefix.from_host_tokens += facts.host_found_tokens;
  totals_.prefix.from_elsewhere_tokens += facts.remote_found_tokens;
  totals_.transfers.time += {facts.transfer_time, facts.ledger.of(TimePart::transfers)};
  totals_.prefix.found_tokens += facts.found_tokens;
  totals_.prefix.found_again_tokens += facts.found_again_tokens;
  totals_.prefix.cached_blocks_evicted += facts.cached_blocks_evicted;
  evictions_.step(facts);
  late_.settle([this](const RequestFacts& left) { evictions_.ended(left); });
  totals_.busy += lasted;
  last_step_end_ = facts.end;
  if (facts.preempted > 0) {
    if (!totals_.first_preemption) totals_.first_preemption = facts.start;
    totals_.last_preemption = facts.start;
  }
  const bool inside = last_step_inside_ = window_.holds(facts.end);
  for (const TokenGap& gap : facts.gaps) {
    totals_.gaps += gap.count;
    if (gap.count > 0) totals_.longest_gap = std::max(totals_.longest_gap, gap.gap);
    if (!inside) continue;
    gap_moments_.add(gap.gap.count(), gap.count);
    gap_histogram_.add(gap.gap.count(), gap.count);
  }
  if (!header_.closed_loop && facts.waiting > 0) add_to_trend(facts);
  if (inside) {
    add_to_window(facts);
  } else {
    totals_.accounted_outside += facts.ledger.duration();
  }
}

// What the step before told of tokens that are lost since, where it was counted. A gap comes again, as part of a longer one.
void Measurements::take_back(std::span<const WithdrawnToken> tokens) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  totals_.emitted_tokens -= count;
  if (last_step_inside_) sums_.emitted_tokens -= count;
  for (const WithdrawnToken& token : tokens) {
    if (!token.gap) continue;
    --totals_.gaps;
    if (!last_step_inside_) continue;
    gap_moments_.add(token.gap->count(), -1);
    gap_histogram_.add(token.gap->count(), -1);
  }
}

void Measurements::add_to_trend(const StepFacts& facts) {
  // Until the last arrival is known it lies ahead of this step, since arrivals during a step are told before it.
  const bool all_came = totals_.arrived == header_.requests || (header_.closes && facts.start >= *header_.closes);
  const Time end = all_came ? std::min(facts.end, last_arrival_) : facts.end;
  if (facts.start < end) trend_.add(facts.start - first_arrival_, end - first_arrival_, facts.waiting);
}

void Measurements::add_to_window(const StepFacts& facts) {
  // A rejection may open the window in the middle of a step, which then counts from there.
  const Time start = window_.opens_at_start() ? facts.start : std::max(facts.start, window_.open());
  const Duration lasted = facts.end - start;
  const double weight = nanoseconds(lasted);
  const std::int64_t used = header_.usable_blocks - facts.free_blocks;
  sums_.last = facts.end;
  ++sums_.passes;
  if (facts.scheduled > 0) {
    ++sums_.computing_passes;
    sums_.computing_time += facts.end - facts.start;
    sums_.batch += facts.scheduled;
  }
  sums_.batch_peak = std::max(sums_.batch_peak, facts.scheduled);
  sums_.running_peak = std::max(sums_.running_peak, facts.running);
  sums_.waiting_peak = std::max(sums_.waiting_peak, facts.waiting);
  sums_.used_peak = std::max(sums_.used_peak, used);
  sums_.running_time += static_cast<double>(facts.running) * weight;
  sums_.waiting_time += static_cast<double>(facts.waiting) * weight;
  sums_.used_time += static_cast<double>(used) * weight;
  sums_.cached_time += static_cast<double>(facts.cached_tokens) * weight;
  if (facts.waiting > 0) sums_.limited_waiting[static_cast<std::size_t>(facts.limit)] += lasted;
  sums_.step_time += lasted;
  sums_.limited[static_cast<std::size_t>(facts.limit)] += lasted;
  sums_.ledger += facts.ledger;
  waste_.add(facts, weight);
  sums_.emitted_tokens += tokens_out(facts);
  sums_.drafted_tokens += facts.shape.drafts;
  sums_.accepted_tokens += facts.accepted_tokens;
}

void Measurements::idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) {
  (void)first;
  (void)free_blocks;
  totals_.passes += count;
  // A run of idle passes follows an ending, and the window changes at endings only: all of them are on one side.
  if (window_.opened() && start >= window_.open() && start < window_.close()) sums_.passes += count;
}

void Measurements::ended(const RequestFacts& facts) {
  window_.ended(facts.ended);
  ++totals_.outcomes[place(facts.outcome)];
  totals_.output_tokens += facts.output_tokens;
  if (client_left(facts)) totals_.unanswered_tokens += facts.output_tokens;
  if (facts.reason == reason_timed_out && facts.output_tokens == 0) ++totals_.gave_up_waiting;
  totals_.first_tokens += facts.output_tokens > 0 ? 1 : 0;
  totals_.request_found_tokens += facts.found_tokens;
  totals_.prefix.loads += facts.loads;
  totals_.prefix.loading += facts.loading;
  if (facts.scheduled >= Time{}) totals_.prefix.prompt_tokens += facts.request->input_tokens;
  if (!late_.keep(facts)) evictions_.ended(facts);
  totals_.longest_wait = std::max(totals_.longest_wait, facts.first_wait());
  const bool inside = window_.holds(facts.ended);
  if (inside) ++sums_.requests;
  if (inside && (facts.reason == reason_cancelled_by_client || facts.reason == reason_turn_unanswered))
    ++sums_.unwanted;
  const std::size_t measured = completed_.size();
  bool good = false;
  if (facts.outcome != Outcome::completed) {
    ++reasons_[{facts.outcome, std::string(facts.reason)}];
  } else {
    last_completion_ = facts.ended;
    totals_.completed_input_tokens += facts.request->input_tokens;
    totals_.completed_output_tokens += facts.output_tokens;
    if (inside) good = measure_completed(facts);
  }
  const Request& request = *facts.request;
  const CompletedRequest* completed = completed_.size() > measured ? &completed_.back() : nullptr;
  classes_.ended(request.slo_class, facts, completed, good);
  tenants_.ended(request.tenant, facts, completed, good);
  priorities_.ended(request.priority, facts, completed, good);
}

// Adds a completed request to the window. True where it keeps every limit of the SLO.
bool Measurements::measure_completed(const RequestFacts& facts) {
  const CompletedRequest request = completed_request(facts);
  completed_.push_back(request);
  sums_.completed_input_tokens += facts.request->input_tokens;
  sums_.completed_output_tokens += facts.output_tokens;
  const SloSpec& slo = limits_of(facts.request->slo_class, class_slo_, slo_);
  if (keeps(slo, request)) {
    ++sums_.good_requests;
    return true;
  }
  GoodputLost& lost = sums_.lost[facts.request->slo_class];
  ++lost.missed;
  if (facts.preemptions > 0) ++lost.missed_preempted;
  if (keeps(slo, without_recompute(facts))) ++lost.missed_by_recompute;
  return false;
}

void Measurements::run_ended(const RunFacts& facts) {
  run_facts_ = facts;
  late_.settle([this](const RequestFacts& left) { evictions_.ended(left); });
  check_conservation();
}

void Measurements::check_conservation() const {
  std::int64_t outcomes = 0;
  for (std::int64_t count : totals_.outcomes) outcomes += count;
  check(totals_.arrived == outcomes, "requests in are not completed + rejected + cancelled + unfinished");
  check(totals_.emitted_tokens == totals_.output_tokens, "the tokens of the steps are not those of the requests");
  check(totals_.gaps + totals_.first_tokens + totals_.accepted_tokens == totals_.output_tokens,
        "first tokens, gaps and accepted drafts are not all the tokens");
  check(totals_.accounted_outside + sums_.ledger.duration() == totals_.busy,
        "the ledgers' times do not add up to the time that steps took");
  check(totals_.prefix.found_tokens == totals_.request_found_tokens, "a hit is not told of its request");
  evictions_.run_ended();
}

}  // namespace decodesim
