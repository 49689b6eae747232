#include "sim/serving/replica.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {
const EngineRow& engine_named(const std::string& name) {
  const EngineRow* row = find_engine(name);
  if (row == nullptr) throw std::invalid_argument("there is no engine '" + name + "'");
  return *row;
}

bool by_rank(const Sequence* a, const Sequence* b) { return a->rank < b->rank; }
}  // namespace

Replica::Replica(const ServerConfig& server, bool wants_schedule)
    : Replica(server, engine_named(server.scheduler.engine).make(server), wants_schedule) {}

Replica::Replica(const ServerConfig& server, EngineParts parts, bool wants_schedule)
    : state_(server, std::move(parts.memory), std::move(parts.queue_order), parts.running_order),
      scheduler_(std::move(parts.scheduler)),
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

void Replica::enqueue(Request request) {
  Sequence& sequence = new_sequence();
  sequence.output_tokens = std::min(output_tokens_of(request, state_.config.max_model_len),
                                    scheduler_->output_limit(ReplicaView(state_), request));
  sequence.request = std::move(request);
  sequence.arrival = arrivals_++;
  sequence.client = clients_.emplace(sequence.request.client, clients_.size()).first->second;
  sequence.waits_since = sequence.request.arrival;
  if (predictor_) sequence.predicted = predictor_->predict(sequence.request, sequence.output_tokens);
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
  // The table keeps its memory, since the next sequence is likely to need as much.
  BlockTable blocks = std::move(sequence.blocks);
  const std::size_t slot = sequence.slot;
  sequence = Sequence{};
  sequence.blocks = std::move(blocks);
  sequence.slot = slot;
  return sequence;
}

std::int64_t Replica::in_system() const {
  return state_.waiting.size() + state_.running.size() + static_cast<std::int64_t>(state_.swapped.size());
}

bool Replica::plan(std::int64_t number, Time start, bool grid) {
  tell_idle_passes(start);
  departures_.clear();
  state_.now = start;
  do {
    decisions_.clear();
    Draft draft(state_, decisions_);
    scheduler_->plan(ReplicaView(state_), draft);
  } while (!grid && decisions_.moved && decisions_.empty(state_.cohort.size()));
  for (Sequence* sequence : decisions_.dropped) departures_.push_back({sequence, Outcome::cancelled, reason_given_up});
  cancel_hopeless();

  const std::int64_t decodes = decisions_.decodes ? state_.cohort.size() : 0;
  const bool empty = decisions_.empty(state_.cohort.size()) && departures_.empty();
  if (empty && !grid) return false;
  busy_ = true;
  facts_ = {};
  facts_.number = number;
  facts_.start = start;
  facts_.limit = decisions_.limit;
  facts_.running = state_.running.size();
  facts_.waiting = state_.waiting.size();
  facts_.swapped = static_cast<std::int64_t>(state_.swapped.size());
  facts_.scheduled = decodes + static_cast<std::int64_t>(decisions_.chunks.size());
  facts_.preempted = static_cast<std::int64_t>(decisions_.preempted.size());
  facts_.evictions = decisions_.evictions;
  facts_.free_blocks = state_.memory->free();
  facts_.slots = state_.memory->slots();
  facts_.found_tokens = decisions_.found_first;
  facts_.found_again_tokens = decisions_.found_again;
  facts_.cached_blocks_evicted = state_.memory->cached_blocks_evicted() - cached_blocks_evicted_;
  cached_blocks_evicted_ += facts_.cached_blocks_evicted;
  price_pass();
  price_transfers();
  if (wants_schedule_) describe_schedule();
  watchdog_.preempted(facts_.evictions);
  return !empty || decisions_.moved;
}

// An engine that spins while nobody is there may come to rest meanwhile.
void Replica::tell_idle_passes(Time start) {
  if (!emptied_) return;
  const Duration gone = start - *emptied_;
  emptied_.reset();
  if (gone == Duration{}) return;
  scheduler_->idled(state_.config.grid_step > Duration{} ? gone / state_.config.grid_step : 2);
}

// The price of the step, and by how much it would be lower without the tokens that preemptions made it compute again.
void Replica::price_pass() {
  StepShape& shape = facts_.shape;
  if (decisions_.decodes) {
    shape.decodes = shape.samples = state_.cohort.size();
    shape.decode_context = state_.cohort.next_context();
  }
  StepShape without = shape;
  for (const auto& [sequence, tokens] : decisions_.chunks) {
    const std::int64_t end = sequence->cached + tokens;
    const std::int64_t again = std::max<std::int64_t>(0, std::min(end, sequence->cached_before) - sequence->cached);
    shape.add(sequence->cached, tokens);
    without.add(sequence->cached + again, tokens - again);
    if (end == sequence->known()) shape.samples += 1;
    facts_.recomputed_tokens += again;
    sequence->recomputed += again;
  }
  const bool grid = state_.config.grid_step > Duration{};
  if (grid || !shape.empty()) facts_.ledger = state_.config.cost->price(shape + decisions_.padding);
  if (facts_.recomputed_tokens == 0) return;
  without.samples = shape.samples;
  const Duration rest =
      grid || !without.empty() ? state_.config.cost->price(without + decisions_.padding).duration() : Duration{};
  facts_.recompute_time = facts_.ledger.duration() - rest;
}

// What moving KV to the host and back adds to the step: the pass waits for it.
void Replica::price_transfers() {
  const HostTransfer& host = state_.config.host;
  for (const EvictionFacts& one : decisions_.evictions) {
    if (one.fate == KvFate::swapped) facts_.swapped_out_tokens += one.tokens;
  }
  for (const Chunk& one : decisions_.swapped_in) facts_.swapped_in_tokens += one.tokens;
  facts_.swapped_out_bytes = host.bytes(decisions_.blocks_out);
  facts_.swapped_in_bytes = host.bytes(decisions_.blocks_in);
  facts_.transfer_time = host.time(decisions_.blocks_out) + host.time(decisions_.blocks_in);
  facts_.ledger.of(ByteKind::host_transfer) += facts_.swapped_out_bytes + facts_.swapped_in_bytes;
  facts_.ledger.spend(TimePart::transfers, BoundBy::transfers, facts_.transfer_time);
}

// Under `fail_after` a request that evicted itself too often, or that even an empty server refuses, is given up.
void Replica::cancel_hopeless() {
  const SchedulerSpec& knobs = state_.config.scheduler;
  if (knobs.never_fits != NeverFits::fail_after) return;
  for (Sequence* sequence : decisions_.hopeless)
    departures_.push_back({sequence, Outcome::cancelled, reason_preempted_itself});
  const bool idle = state_.running.empty() && state_.swapped.empty() && decisions_.preempted.empty();
  if (idle && !state_.waiting.empty() && decisions_.limit == AdmissionLimit::kv_capacity) {
    Sequence& head = state_.waiting.head();
    departures_.push_back({&head, Outcome::cancelled, reason_never_admitted});
    state_.waiting.remove(head);
  }
}

void Replica::complete(Time end) {
  busy_ = false;
  gaps_.clear();
  finished_.clear();
  facts_.end = end;
  state_.cached_tokens += facts_.shape.tokens();
  facts_.cached_tokens = state_.cached_tokens;
  if (facts_.shape.samples > 0) watchdog_.progress();

  if (decisions_.decodes) state_.cohort.advance(end, gaps_, finished_);
  for (const Chunk& chunk : decisions_.chunks) play_chunk(chunk, end);
  if (!decisions_.chunks.empty()) {
    std::erase_if(state_.prefilling, [](const Sequence* s) { return s->state != SequenceState::prefilling; });
  }
  facts_.gaps = gaps_;
  scheduler_->step_ended(ReplicaView(state_), end - facts_.start);

  std::sort(finished_.begin(), finished_.end(), by_rank);
  std::vector<Departure> cancelled;
  cancelled.swap(departures_);
  for (Sequence* sequence : finished_) finish(*sequence);
  departures_.insert(departures_.end(), cancelled.begin(), cancelled.end());
  if (!departures_.empty()) watchdog_.progress();
  if (in_system() == 0) emptied_ = end;
  if (wants_schedule_) {
    scheduler_->describe(schedule_.ended);
    for (const Sequence* sequence : finished_) schedule_.finished.push_back(&sequence->request);
    facts_.schedule = &schedule_;
  }
}

void Replica::play_chunk(const Chunk& chunk, Time end) {
  Sequence& sequence = *chunk.sequence;
  if (sequence.scheduled < Time{}) sequence.scheduled = facts_.start;
  sequence.cached += chunk.tokens;
  if (sequence.cached < sequence.known()) return;  // part of a prompt; it yields nothing yet
  if (sequence.has_emitted()) {
    gaps_.push_back({end - sequence.last_token, 1});
  } else {
    sequence.first_token = end;
  }
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
  state_.running.remove(sequence);
  state_.cached_tokens -= sequence.cached;
  scheduler_->ended(sequence);
  state_.memory->release(sequence, Released::finished);
  departures_.push_back({&sequence, Outcome::completed, {}});
}

RequestFacts Replica::facts_of(const Departure& departure, Time ended) const {
  const Sequence& sequence = *departure.sequence;
  return {.request = &sequence.request,
          .outcome = departure.outcome,
          .reason = departure.reason,
          .output_tokens = sequence.generated,
          .scheduled = sequence.scheduled,
          .first_token = sequence.first_token,
          .ended = ended,
          .preemptions = sequence.preemptions,
          .recomputed_tokens = sequence.recomputed,
          .discarded_tokens = sequence.discarded,
          .swapped_out_tokens = sequence.swapped_out,
          .found_tokens = sequence.found_first,
          .found_again_tokens = sequence.found_again};
}

void Replica::dismiss_departed() {
  for (const Departure& departure : departures_) unused_.push_back(departure.sequence);
  departures_.clear();
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
  state_.prefilling.clear();
  std::sort(departures_.begin(), departures_.end(), [](const Departure& a, const Departure& b) {
    return a.sequence->request.index < b.sequence->request.index;
  });
}

std::string Replica::stuck(bool nothing_planned, bool final) const {
  if (watchdog_.cycling()) {
    return std::to_string(watchdog_.preemptions()) + " preemptions without a single token: " + watchdog_.cycle() +
           ", again and again; the pool has " + std::to_string(state_.memory->total()) + " blocks";
  }
  if (state_.waiting.empty() && state_.swapped.empty()) return {};
  const bool on_host = !state_.swapped.empty();
  const Sequence& head = on_host ? *state_.swapped.front() : state_.waiting.head();
  const std::string needs = name_of(head.request) + " needs " + std::to_string(blocks_for(head.known())) +
                            " blocks for its " + std::to_string(head.known()) + " tokens, the pool has " +
                            std::to_string(state_.memory->total());
  if (nothing_planned && final && state_.running.empty()) {
    const std::int64_t others = state_.waiting.size() + static_cast<std::int64_t>(state_.swapped.size()) - 1;
    return "nothing runs and nothing can start: " + needs + ", and " + std::to_string(others) + " more wait behind it";
  }
  return {};
}

// Names who did what, for observers that asked; the one place that walks the batch.
void Replica::describe_schedule() {
  schedule_ = {};
  scheduler_->describe(schedule_.planned);
  std::map<const Sequence*, std::int64_t> chunks;
  for (const Chunk& chunk : decisions_.chunks) chunks[chunk.sequence] = chunk.tokens;
  std::vector<const Sequence*> batch;
  for (const Sequence* sequence = state_.running.front(); sequence != nullptr;
       sequence = SequenceList<&Sequence::running>::after(*sequence)) {
    batch.push_back(sequence);
  }
  std::sort(batch.begin(), batch.end(), by_rank);
  for (const Sequence* sequence : batch) {
    const auto chunk = chunks.find(sequence);
    std::int64_t tokens = decisions_.decodes && sequence->state == SequenceState::decoding ? 1 : 0;
    if (chunk != chunks.end()) tokens = chunk->second;
    if (tokens == 0) continue;
    schedule_.scheduled.emplace_back(&sequence->request, tokens);
    schedule_.block_tables.emplace_back(&sequence->request, sequence->blocks);
  }
  for (const Sequence* sequence : decisions_.preempted) schedule_.preempted.push_back(&sequence->request);
  state_.waiting.for_each([this](const Sequence& sequence) { schedule_.waiting.push_back(&sequence.request); });
  for (const Chunk& one : decisions_.swapped_in) schedule_.swapped_in.push_back(&one.sequence->request);
  for (const auto& [sequence, tokens] : decisions_.found)
    schedule_.cached_tokens.emplace_back(&sequence->request, tokens);
}

}  // namespace decodesim
