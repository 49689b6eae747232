#include "sim/serving/replica.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/core/check.hpp"
#include "sim/serving/leaving.hpp"

namespace decodesim {

namespace {
const EngineRow& engine_named(const std::string& name) {
  const EngineRow* row = find_engine(name);
  if (row == nullptr) throw std::invalid_argument("there is no engine '" + name + "'");
  return *row;
}

}  // namespace

Replica::Replica(const ServerConfig& server, bool wants_schedule, bool wants_memory)
    : Replica(server, engine_named(server.scheduler.engine).make(server), wants_schedule) {
  wants_memory_ = wants_memory;
  if (!wants_schedule && !wants_memory) state_.memory->numbers_unseen();
}

Replica::Replica(const ServerConfig& server, EngineParts parts, bool wants_schedule)
    : state_(server, std::move(parts.memory), std::move(parts.queue_order), parts.running_order),
      scheduler_(std::move(parts.scheduler)),
      plans_ahead_(parts.plans_ahead),
      wants_schedule_(wants_schedule),
      predictor_(goes_by_length(server.scheduler) ? std::optional<Predictor>(server) : std::nullopt),
      watchdog_(server.scheduler.max_num_seqs) {}

std::int64_t Replica::blocks_for(std::int64_t tokens) const { return ReplicaView(state_).blocks_for(tokens); }

std::string_view Replica::refusal(const Request& request) const {
  const ServerConfig& server = state_.config;
  if (request.input_tokens >= server.max_model_len) return reason_prompt_too_long;
  if (server.scheduler.never_fits != NeverFits::reject) return {};
  const std::int64_t output = output_tokens_of(request, server.max_model_len);
  return scheduler_->fits_alone(ReplicaView(state_), request, output) ? std::string_view{} : reason_never_fits;
}

void Replica::enqueue(Request&& request) {
  Sequence& sequence = new_sequence();
  sequence.request = std::move(request);
  const Request& own = sequence.request;
  sequence.output_tokens =
      std::min(output_tokens_of(own, state_.config.max_model_len), scheduler_->output_limit(ReplicaView(state_), own));
  sequence.recompute_at_arrival = recompute_until(own.arrival);
  sequence.arrival = arrivals_++;
  sequence.tenant = tenants_.try_emplace(own.tenant, tenants_.size()).first->second;
  sequence.waits_since = own.arrival;
  if (predictor_) sequence.predicted = predictor_->predict(own, sequence.output_tokens);
  if (may_leave(own)) may_leave_.emplace(own.index, &sequence);
  state_.waiting.push_back(sequence);
  scheduler_->arrived(sequence);
  watchdog_.progress();
}

Sequence& Replica::new_sequence() {
  if (unused_.empty()) {
    Sequence& fresh = storage_.emplace_back();
    fresh.slot = storage_.size() - 1;
    return fresh;
  }
  Sequence& sequence = *unused_.back();
  unused_.pop_back();
  // The lists keep their memory, since the next sequence is likely to need as much.
  BlockTable blocks = std::move(sequence.blocks);
  PrefixChain chain = std::move(sequence.chain);
  chain.clear();
  const std::size_t slot = sequence.slot;
  std::destroy_at(&sequence);
  std::construct_at(&sequence);
  sequence.blocks = std::move(blocks);
  sequence.chain = std::move(chain);
  sequence.slot = slot;
  return sequence;
}

std::int64_t Replica::in_system() const {
  const std::size_t beside = state_.swapped.size() + state_.loading.size();
  return state_.waiting.size() + state_.running.size() + static_cast<std::int64_t>(beside);
}

bool Replica::plan(std::int64_t number, Time start, bool grid) {
  tell_idle_passes(start);
  departures_.clear();
  state_.now = start;
  do {
    decisions_.clear();
    Draft draft(state_, decisions_);
    scheduler_->plan(ReplicaView(state_), draft);
    // Nothing is in flight behind an empty pass, so what waited for that is free for another.
  } while (!grid && decisions_.empty(state_.cohort.size()) && finished_.empty() &&
           (state_.memory->retire() || decisions_.moved));
  // Who was evicted with its last token under way has lost it.
  std::erase_if(finished_, [](const Sequence* sequence) { return !sequence->over; });
  for (const GivenUp& one : decisions_.dropped) given_up_.push_back({one.sequence, Outcome::cancelled, one.reason});
  cancel_refused();
  if (!may_leave_.empty()) {
    for (const Departure& one : given_up_) may_leave_.erase(one.sequence->request.index);
  }

  const std::int64_t decodes = decisions_.decodes ? state_.cohort.size() : 0;
  const bool empty = decisions_.empty(state_.cohort.size()) && given_up_.empty() && finished_.empty();
  if (empty && !grid) return false;
  busy_ = true;
  facts_ = {};
  facts_.number = number;
  facts_.start = start;
  facts_.limit = decisions_.limit;
  facts_.running = state_.running.size();
  facts_.waiting = state_.waiting.size() + static_cast<std::int64_t>(state_.loading.size());
  facts_.swapped = static_cast<std::int64_t>(state_.swapped.size());
  facts_.scheduled = decodes + static_cast<std::int64_t>(decisions_.chunks.size());
  facts_.preempted = static_cast<std::int64_t>(decisions_.evictions.size());
  facts_.evictions = decisions_.evictions;
  facts_.withdrawn = decisions_.withdrawn;
  facts_.free_blocks = state_.memory->free();
  facts_.slots = state_.memory->slots();
  facts_.found_tokens = decisions_.found_first;
  facts_.found_again_tokens = decisions_.found_again;
  facts_.cached_blocks_evicted = state_.memory->cached_blocks_evicted() - cached_blocks_evicted_;
  cached_blocks_evicted_ += facts_.cached_blocks_evicted;
  price_pass();
  price_transfers();
  facts_.cached_tokens = state_.cached_tokens + facts_.shape.known_tokens();
  tell_entered();
  if (wants_schedule_) describe_schedule();
  watchdog_.preempted(facts_.evictions);
  const bool freed = state_.memory->retire();
  if (plans_ahead_ != PlansAhead::no) scheduler_->results_seen(ReplicaView(state_));
  release_held();
  return !empty || decisions_.moved || freed;
}

// An engine that spins while nobody is there may come to rest meanwhile.
void Replica::tell_idle_passes(Time start) {
  if (!emptied_) return;
  const Duration gone = start - *emptied_;
  emptied_.reset();
  if (gone == Duration{}) return;
  scheduler_->idled(state_.config.grid_step > Duration{} ? gone / state_.config.grid_step : 2);
}

// Time spent on recompute by then. Within the step that runs it comes last.
Duration Replica::recompute_until(Time now) const {
  if (!busy_) return recompute_time_;
  const Duration rest = facts_.start + step_duration() - now;
  return recompute_time_ + std::max(Duration{}, facts_.recompute_time - rest);
}

// The price of the step, and by how much it would be lower without the tokens that preemptions made it compute again.
void Replica::price_pass() {
  StepShape& shape = facts_.shape;
  if (decisions_.decodes) {
    shape.decodes = shape.samples = state_.cohort.size();
    shape.decode_context = state_.cohort.next_context();
    shape.decode_clipped = state_.cohort.next_clipped();
    const std::int64_t drafts = state_.config.scheduler.speculative.draft_tokens;
    shape.drafts = drafts * shape.decodes;
    shape.draft_pairs = drafts * shape.decode_context + shape.decodes * (drafts * (drafts + 1) / 2);
  }
  StepShape without = shape;
  recomputes_.clear();
  for (const auto& [sequence, tokens] : decisions_.chunks) {
    const std::int64_t end = sequence->cached + tokens;
    const std::int64_t again = std::max<std::int64_t>(0, std::min(end, sequence->cached_before) - sequence->cached);
    shape.add(sequence->cached, tokens, state_.config.attention_clip);
    without.add(sequence->cached + again, tokens - again, state_.config.attention_clip);
    if (sequence->over) {
      thrown_away_ += tokens;
    } else if (end == sequence->known()) {
      shape.samples += 1;
    }
    facts_.recomputed_tokens += again;
    sequence->recomputed += again;
    if (again > 0) recomputes_.push_back({&sequence->request, again});
  }
  facts_.recomputes = recomputes_;
  const bool grid = state_.config.grid_step > Duration{};
  if (grid || !shape.empty()) facts_.ledger = state_.config.cost->price(shape + decisions_.padding);
  if (facts_.recomputed_tokens == 0) return;
  without.samples = shape.samples;
  const Duration rest =
      grid || !without.empty() ? state_.config.cost->price(without + decisions_.padding).duration() : Duration{};
  facts_.recompute_time = std::max(Duration{}, facts_.ledger.duration() - rest);
}

// What moving KV to the host and back takes, and adds to the step.
void Replica::price_transfers() {
  const HostTransfer& host = state_.config.host;
  for (const EvictionFacts& one : decisions_.evictions) {
    if (one.fate == KvFate::swapped) facts_.swapped_out_tokens += one.tokens;
  }
  for (const Chunk& one : decisions_.swapped_in) facts_.swapped_in_tokens += one.tokens;
  facts_.swapped_out_bytes = host.bytes(decisions_.blocks_out);
  facts_.swapped_in_bytes = host.bytes(decisions_.blocks_in);
  facts_.host_found_tokens = decisions_.host_found;
  facts_.remote_found_tokens = decisions_.remote_found;
  facts_.stored_bytes = host.bytes(decisions_.blocks_stored);
  facts_.loaded_bytes = host.bytes(decisions_.blocks_loaded);
  facts_.loaded_beside_bytes = host.bytes(decisions_.blocks_loading);
  facts_.transfer_time = host.time(decisions_.blocks_out + decisions_.blocks_stored) +
                         host.time(decisions_.blocks_in + decisions_.blocks_loaded);
  facts_.ledger.of(ByteKind::host_transfer) +=
      facts_.swapped_out_bytes + facts_.swapped_in_bytes + facts_.stored_bytes + facts_.loaded_bytes;
  facts_.host_tier_blocks = decisions_.blocks_stored + decisions_.blocks_loaded;
  facts_.swaps = decisions_.swaps;
  facts_.ledger.spend_transfers(facts_.transfer_time, host.beside_step);
  // Where transfers last longer than what would be left without the recompute, that much of it costs nothing.
  facts_.recompute_time = std::min(facts_.recompute_time, facts_.ledger.duration() - facts_.transfer_time);
}

// Under `fail_after` a request that even an empty server refuses is given up, as is one that evicted itself too often.
void Replica::cancel_refused() {
  if (state_.config.scheduler.never_fits != NeverFits::fail_after) return;
  const bool nobody_else = state_.running.empty() && state_.swapped.empty() && !state_.memory->defers();
  // Who has loaded waits for no more than the others do, once all loads are over and known of.
  std::vector<Sequence*>& loaded = state_.loading;
  const bool all_loaded = loaded.empty() || (decisions_.loads.empty() && !decisions_.moved && !next_load());
  const bool idle = nobody_else && all_loaded && decisions_.preempted.empty() && decisions_.dropped.empty();
  if (!idle || decisions_.limit != AdmissionLimit::kv_capacity) return;
  Sequence* refused = state_.waiting.empty() ? nullptr : &state_.waiting.head();
  if (!loaded.empty() && (refused == nullptr || state_.waiting.comes_first(*loaded.front(), *refused))) {
    refused = loaded.front();
    loaded.erase(loaded.begin());
    state_.memory->release(*refused, Released::finished);
  } else if (refused != nullptr) {
    state_.waiting.remove(*refused);
  }
  if (refused != nullptr) given_up_.push_back({refused, Outcome::cancelled, reason_never_admitted});
}

void Replica::complete(Time end) {
  busy_ = false;
  gaps_.clear();
  finished_.clear();
  facts_.end = end;
  if (decisions_.decodes && state_.cohort.size() > 0) {
    const std::int64_t members = state_.cohort.size();
    facts_.accepted_tokens = state_.cohort.advance(end, gaps_, finished_) - members;
  }
  state_.cached_tokens += facts_.shape.known_tokens() + facts_.accepted_tokens - thrown_away_;
  thrown_away_ = 0;
  recompute_time_ += facts_.recompute_time;
  play_left();
  tokens_ += facts_.shape.samples + facts_.accepted_tokens - facts_.unclaimed_tokens -
             static_cast<std::int64_t>(facts_.withdrawn.size());
  if (tokens_ > most_tokens_) watchdog_.progress();
  most_tokens_ = std::max(most_tokens_, tokens_);

  for (const Chunk& chunk : decisions_.chunks) play_chunk(chunk, end);
  if (!decisions_.chunks.empty()) {
    std::erase_if(state_.prefilling, [](const Sequence* s) { return s->state != SequenceState::prefilling; });
  }
  facts_.gaps = gaps_;
  scheduler_->step_ended(end - facts_.start);

  std::sort(finished_.begin(), finished_.end(), before_in_batch);
  if (plans_ahead_ != PlansAhead::no) {
    for (Sequence* sequence : finished_) hold(*sequence);
  } else {
    release_held();
  }
  for (Sequence* sequence : leaving_) let_go(*sequence);
  leaving_.clear();
  departures_.insert(departures_.end(), given_up_.begin(), given_up_.end());
  given_up_.clear();
  if (!departures_.empty()) watchdog_.progress();
  if (in_system() == 0) emptied_ = end;
  if (wants_schedule_) {
    scheduler_->describe(schedule_.ended);
    facts_.schedule = &schedule_;
  }
  if (wants_memory_) {
    memory_facts_ = {};
    state_.memory->describe(memory_facts_);
    facts_.memory = &memory_facts_;
  }
  // Nothing is in flight in an empty server.
  if (in_system() == 0) state_.memory->retire();
}

// It keeps its place and its memory until the next pass is planned. Who may get more tokens, as far as the engine can
// know, stands among those that are served beside the cohort.
void Replica::hold(Sequence& sequence) {
  sequence.over = true;
  const bool counted_out = plans_ahead_ == PlansAhead::of_endings &&
                           sequence.generated == declared_output_of(sequence.request, state_.config.max_model_len);
  sequence.state = counted_out ? SequenceState::finishing : SequenceState::prefilling;
  if (sequence.state == SequenceState::finishing) return;
  std::vector<Sequence*>& beside = state_.prefilling;
  beside.insert(std::upper_bound(beside.begin(), beside.end(), &sequence, before_in_batch), &sequence);
}

void Replica::release_held() {
  for (Sequence* sequence : finished_) {
    if (wants_schedule_) schedule_.finished.push_back(&sequence->request);
    finish(*sequence);
  }
  finished_.clear();
  if (!departures_.empty()) watchdog_.progress();
}

void Replica::play_chunk(const Chunk& chunk, Time end) {
  Sequence& sequence = *chunk.sequence;
  if (sequence.over || sequence.left) return;  // it is gone by now, and this token is thrown away
  if (sequence.scheduled < Time{}) sequence.scheduled = facts_.start;
  sequence.cached += chunk.tokens;
  if (sequence.cached < sequence.known()) return;  // part of a prompt; it yields nothing yet
  if (sequence.has_emitted()) {
    gaps_.push_back({end - sequence.last_token, 1});
  } else {
    sequence.first_token = end;
    sequence.recompute_at_first_token = recompute_time_;
  }
  sequence.token_before = sequence.last_token;
  sequence.last_token = end;
  sequence.generated += 1;
  state_.cohort.count_outside(sequence);
  // A sequence that was stalled becomes a member again with the token that it was served.
  if (sequence.generated == sequence.output_tokens) {
    sequence.state = SequenceState::decoding;
    finished_.push_back(&sequence);
  } else {
    state_.cohort.join(sequence);
  }
}

void Replica::finish(Sequence& sequence) {
  if (!may_leave_.empty()) may_leave_.erase(sequence.request.index);
  scheduler_->ended(sequence);
  // The pass that was planned meanwhile may have evicted it.
  if (sequence.state != SequenceState::waiting) {
    if (sequence.state == SequenceState::prefilling) std::erase(state_.prefilling, &sequence);
    state_.running.remove(sequence);
    state_.cached_tokens -= sequence.cached;
    state_.memory->release(sequence, Released::finished);
  }
  departures_.push_back({&sequence, Outcome::completed, {}});
}

std::optional<Time> Replica::next_load() const {
  std::optional<Time> next;
  for (const Sequence* sequence : state_.loading) {
    if (sequence->load_ends > state_.now && (!next || sequence->load_ends < *next)) next = sequence->load_ends;
  }
  return next;
}

void Replica::dismiss_departed() {
  for (const Departure& departure : departures_) departed_.push_back(departure.sequence);
  departures_.clear();
  if (busy_) return;
  unused_.insert(unused_.end(), departed_.begin(), departed_.end());
  departed_.clear();
}

void Replica::abandon(std::string_view reason) {
  departures_.clear();
  while (Sequence* sequence = state_.running.front()) {
    if (sequence->state == SequenceState::decoding) state_.cohort.leave(*sequence);
    state_.running.remove(*sequence);
    state_.memory->release(*sequence, Released::finished);
    departures_.push_back({sequence, Outcome::unfinished, reason});
  }
  while (!state_.waiting.empty()) {
    Sequence& head = state_.waiting.head();
    departures_.push_back({&head, Outcome::unfinished, reason});
    state_.waiting.remove(head);
  }
  for (Sequence* sequence : state_.swapped) departures_.push_back({sequence, Outcome::unfinished, reason});
  state_.swapped.clear();
  for (Sequence* sequence : state_.loading) {
    state_.memory->release(*sequence, Released::finished);
    departures_.push_back({sequence, Outcome::unfinished, reason});
  }
  state_.loading.clear();
  state_.prefilling.clear();
  std::sort(departures_.begin(), departures_.end(), [](const Departure& a, const Departure& b) {
    return a.sequence->request.index < b.sequence->request.index;
  });
}

}  // namespace decodesim
