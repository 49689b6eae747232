#include "tests/support/invariants.hpp"

#include <algorithm>

#include "tests/support/plain_speculation.hpp"

namespace decodesim::tests {

void InvariantChecker::require(bool holds, const std::string& rule) {
  if (holds || !violation_.empty()) return;
  violation_ = "pass " + std::to_string(pass_) + ": " + rule;
}

std::int64_t InvariantChecker::blocks_for(std::int64_t tokens) const {
  return (tokens + server_.block_size - 1) / server_.block_size;
}

bool InvariantChecker::fits_alone(const Life& life) const {
  PlainSequence sequence;
  sequence.request = &life.request;
  sequence.input = life.request.input_tokens;
  sequence.output = life.wanted;
  return engine_->fits_alone(sequence);
}

bool InvariantChecker::runs(const Life& life) const {
  return std::find(running_.begin(), running_.end(), &life) != running_.end();
}

InvariantChecker::Life& InvariantChecker::life_of(const Request* request) {
  const auto found = lives_.find(request->index);
  if (found == lives_.end()) {
    require(false, "a request that never arrived is named");
    return lives_[request->index];
  }
  return found->second;
}

void InvariantChecker::arrived(const Request& request) {
  require(!run_ended_, "nothing happens after the end");
  require(lives_.count(request.index) == 0, "a request arrives once");
  require(request.arrival >= now_, "arrivals come in the order of time");
  check_turn(request);
  Life& life = lives_[request.index];
  life.request = request;
  life.rank = static_cast<std::int64_t>(lives_.size());
  life.allowed = std::min(request.max_tokens, server_.max_model_len - request.input_tokens);
  // With late endings a closed loop fills a place after the pass of that instant was planned.
  life.unseen = std::any_of(over_.begin(), over_.end(), [](const Life* one) { return one->state == State::ended; });
  life.output = std::min({request.output_tokens, request.max_tokens, server_.max_model_len - request.input_tokens});
  life.wanted = life.output;
  life.output = std::min(life.output, engine_->output_limit(request));
  if (rules_.by_priority) {
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), &life, more_urgent), &life);
  } else {
    waiting_.push_back(&life);
  }
  now_ = std::max(now_, request.arrival);
  if (life.output < 1 || (server_.scheduler.never_fits == NeverFits::reject && !fits_alone(life))) return;
  if (!fits_alone(life)) all_fit_alone_ = false;
  longest_alone_ = std::max(longest_alone_, request.input_tokens + life.output);
  outputs_alone_ += life.output;
}

void InvariantChecker::idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) {
  require(server_.grid_step > Duration(0), "only a grid has idle passes");
  bury_left_before(nullptr);
  require(first == pass_ + 1 && count >= 1, "passes are numbered without a hole");
  require(start == Time((first - 1) * server_.grid_step), "a pass of the grid starts at its place");
  const Time last = start + (count - 1) * server_.grid_step;
  require(running_.empty() && std::all_of(waiting_.begin(), waiting_.end(),
                                          [last](const Life* life) { return life->request.arrival > last; }),
          "an idle pass has nobody to serve");
  require(free_blocks == server_.usable_blocks, "an idle server holds no blocks");
  pass_ += count;
  now_ = std::max(now_, start);
}

void InvariantChecker::step(const StepFacts& facts) {
  require(!run_ended_, "nothing happens after the end");
  check_nobody_is_late(facts.withdrawn);
  check_host_room();
  require(facts.number == pass_ + 1, "passes are numbered without a hole");
  pass_ = facts.number;
  if (facts.schedule == nullptr) {
    require(false, "the schedule is there for who asks");
    return;
  }
  check_times(facts);
  bury_left_before(&facts);
  replay_evictions(facts);
  replay_transfers(facts);
  if (rules_.gives_up) set_aside_given_up(facts);
  replay_loads(facts);
  replay_schedule(facts);
  hold_tables(facts);
  replay_waiting(facts);
  check_counts(facts);
  check_limit(facts);
  retire(deferred_before_);
  retire(deferred_);
  release_over(facts);
  replay_tokens(facts);
  bury_left();
  if (running_.empty() && waiting_.empty() && loading_.empty()) retire(deferred_);
  deferred_before_.swap(deferred_);
  step_in_flight_ = facts.scheduled > 0;
  for (Life* life : waiting_) life->unseen = false;

  passes_without_end_ = loading_.empty() ? passes_without_end_ + 1 : 0;
  if (all_fit_alone_ && !rules_.may_stand_still && !rules_.may_cycle) {
    require(passes_without_end_ <= passes_to_an_end(), "some request finishes within a bounded number of passes");
  }
  now_ = step_end_ = last_happened_ = facts.end;
}

/// The oldest that runs gets a token in each pass; or where prompts stall it, or it starts anew, once in as many passes as
/// there are prompts, and chunks of its own.
std::int64_t InvariantChecker::passes_to_an_end() const {
  // Where sequences take turns somebody gets a token in every second pass, so all are done after twice their tokens.
  if (rules_.takes_turns) return 2 * outputs_alone_ + 3;
  const std::int64_t in_turn = rules_.urgent_first ? static_cast<std::int64_t>(lives_.size()) : 1;
  const std::int64_t straight = in_turn * longest_alone_ + 3;
  return rules_.stalls ? straight * (static_cast<std::int64_t>(lives_.size()) + straight) : straight;
}

void InvariantChecker::enter_running(Life& life) {
  const auto place = rules_.by_arrival ? std::find_if(running_.begin(), running_.end(),
                                                      [&](const Life* other) { return other->rank > life.rank; })
                                       : running_.end();
  running_.insert(place, &life);
  life.state = State::running;
}

void InvariantChecker::check_times(const StepFacts& facts) {
  require(facts.start >= step_end_, "a step starts after the one before");
  require(facts.end >= facts.start && facts.end >= now_, "a step ends after all that came before its end");
  require(facts.ledger.duration() == facts.end - facts.start, "the parts of the ledger are the step's duration");
  Duration by_reason{};
  for (Duration part : facts.ledger.bound) by_reason += part;
  require(by_reason == facts.end - facts.start, "the reasons of the ledger are the step's duration");
  if (server_.grid_step > Duration(0)) {
    require(facts.start == Time((facts.number - 1) * server_.grid_step), "a pass of the grid starts at its place");
    require(facts.end - facts.start == server_.grid_step, "a pass of the grid lasts a step");
  } else {
    require(facts.scheduled > 0 || facts.end - facts.start == facts.transfer_time, "an empty pass takes no time");
  }
}

void InvariantChecker::replay_schedule(const StepFacts& facts) {
  const ScheduleFacts& schedule = *facts.schedule;
  require(!rules_.has_tables || schedule.block_tables.size() == schedule.scheduled.size(),
          "who is scheduled has a table");
  shape_ = {};
  recomputed_ = 0;
  loaded_ = 0;
  std::size_t place = 0;  // in running_: the scheduled come in the order of admission
  std::int64_t tokens = 0;
  std::int64_t prompts = 0;
  std::int64_t decodes = 0;
  const std::int64_t decoding =
      std::count_if(running_.begin(), running_.end(), [](const Life* l) { return !l->prefilling; });
  for (std::size_t i = 0; i < schedule.scheduled.size() && violation_.empty(); ++i) {
    const auto& [request, granted] = schedule.scheduled[i];
    Life& life = life_of(request);
    if (life.state == State::waiting || life.state == State::loading) replay_admission(life, facts);
    require(runs(life), "only who runs gets tokens");
    require(!life.over || life.emitted < life.allowed || rules_.late_tokens,
            "who has all that it asked for is not served again");
    while (place < running_.size() && running_[place]->over && running_[place]->emitted == running_[place]->allowed) {
      ++place;
    }
    ++(life.prefilling ? prompts : decodes);
    const auto found = std::find(running_.begin(), running_.end(), &life);
    const auto position = static_cast<std::size_t>(found - running_.begin());
    require(!rules_.in_admission_order || position == place,
            "running sequences are served in the order of admission, none left out before another");
    place = position + 1;

    life.drafts = life.prefilling ? 0 : server_.scheduler.speculative.draft_tokens;
    const std::int64_t n = granted - life.drafts;
    require(n >= 1 && n <= life.known() - life.cached, "a sequence computes what it knows and has not cached");
    const std::int64_t threshold = server_.scheduler.long_prefill_token_threshold;  // 0 where the engine has none
    require(threshold == 0 || n <= threshold, "no chunk passes the threshold");
    tokens += granted;
    shape_.add(life.cached, n, server_.attention_clip);
    shape_.add_drafts(life.cached, life.drafts);
    const std::int64_t again = std::max<std::int64_t>(0, std::min(life.cached + n, life.high) - life.cached);
    life.recomputed += again;
    recomputed_ += again;
    life.computed += n;
    life.cached += n;
    if (life.cached == life.known()) life.prefilling = false;
    if (life.scheduled < Time{}) life.scheduled = facts.start;

    if (!rules_.has_tables) continue;
    const auto& [owner, table] = schedule.block_tables[i];
    require(owner == request, "tables come in the order of the schedule");
    require(static_cast<std::int64_t>(table.size()) >= blocks_for(life.cached), "a table covers the cached tokens");
    require(!rules_.exact_tables || static_cast<std::int64_t>(table.size()) == blocks_for(life.cached),
            "a table covers the cached tokens and no more");
    const std::int64_t slots = life.drafts > 0 ? plain_slots(server_, life.cached - 1) : life.cached;
    require(!rules_.exact_slots || static_cast<std::int64_t>(table.size()) == blocks_for(slots),
            "a table covers the cached tokens and the slots of drafts, and no more");
    require(table.size() >= life.table.size() && std::equal(life.table.begin(), life.table.end(), table.begin()),
            "a table only grows");
    for (std::size_t b = life.table.size(); b < table.size(); ++b) {
      require(table[b] >= 1 && static_cast<std::int64_t>(table[b]) <= server_.usable_blocks, "a block has a known id");
      if (b < life.hits || is_merged(life, table, b)) {
        ++holders_[table[b]];
      } else {
        hand_out(table[b]);
      }
    }
    life.table = table;
    life.untold_blocks = 0;
    if (rules_.caches_prefixes) note_contents(life, life.cached - n);
  }
  require(!rules_.prompts_or_tokens || prompts == 0 || decodes == 0, "those that decode wait for prompts");
  require(!rules_.all_decode || decodes == 0 || decodes == decoding, "all that decode get a token, or none");
  const SchedulerSpec& knobs = server_.scheduler;
  require(!rules_.within_budget || tokens <= knobs.trtllm.max_num_tokens.value_or(knobs.max_num_batched_tokens),
          "the tokens of a step stay within the budget");
}

void InvariantChecker::check_counts(const StepFacts& facts) {
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  require(facts.scheduled == count(facts.schedule->scheduled), "the schedule names all who got tokens");
  require(facts.preempted == count(facts.evictions), "the evictions that are counted are those that are told");
  require(facts.waiting == count(facts.schedule->waiting), "the schedule names all who wait");
  require(facts.running == count(running_), "running sequences are those admitted and not evicted or finished");
  const std::int64_t counted = rules_.holds_beyond_limit || rules_.takes_turns ? facts.scheduled : facts.running;
  require(counted <= server_.scheduler.max_num_seqs, "running sequences stay within max_num_seqs");
  std::int64_t untold = 0;
  for (const Life* life : running_) untold += life->untold_blocks;
  const auto missing = [&] { return server_.usable_blocks - facts.free_blocks - count(holders_) - untold; };
  // An empty pass is not told, and what waited to be free is free after it.
  if (missing() < 0) retire(deferred_before_);
  // Who is evicted in the pass in which it took a block does not tell of it, while that waits to be free.
  const bool all_told = deferred_.empty() && deferred_before_.empty();
  require(!rules_.has_tables || (all_told ? missing() == 0 : missing() >= 0), "free and held blocks are all there are");
  std::int64_t cached = 0;
  std::int64_t held = 0;
  for (const Life* life : running_) {
    cached += life->cached;
    held += count(life->table);
    require(!rules_.exact_tables || count(life->table) + life->untold_blocks == blocks_for(life->cached),
            "a table covers the cached tokens and no more");
  }
  require(facts.cached_tokens == cached, "cached tokens are those of the running sequences");
  for (const Life* life : loading_) held += count(life->table);
  for (const auto& table : deferred_) held += count(table);
  for (const auto& table : deferred_before_) held += count(table);
  std::int64_t holdings = 0;
  for (const auto& [block, tables] : holders_) holdings += tables;
  require(!rules_.own_blocks || held == holdings, "every held block is in the table of a running sequence");
  // Planned ahead, a block that holds the right tokens may not be known to.
  const bool told_apart =
      server_.serving.prefill == PrefillMode::computed && !server_.scheduler.async && loads_seen_ == 0;
  require(!rules_.caches_prefixes || !told_apart || facts.host_found_tokens + facts.remote_found_tokens == loaded_,
          "what is found beyond the blocks that were hit comes from the host or from elsewhere");
  require(facts.recomputed_tokens == recomputed_, "recomputed tokens are those cached before an eviction");
  require(facts.recomputed_tokens > 0 || facts.recompute_time == Duration(0),
          "without recomputed tokens no time goes to them");
}

/// The limit names something that was really in the way.
void InvariantChecker::check_limit(const StepFacts& facts) {
  if (!rules_.exact_limit) return;
  const bool evicted = !facts.schedule->preempted.empty();
  std::int64_t left = 0;
  for (const auto& [index, life] : lives_) left += life.state == State::leaving ? 1 : 0;
  // Who is evicted with its last token out was in the queue for a moment.
  const bool in_vain = std::any_of(over_.begin(), over_.end(), [this](const Life* life) { return !runs(*life); });
  const bool queue = facts.waiting + facts.swapped + left > 0 || in_vain;
  switch (facts.limit) {
    case AdmissionLimit::arrivals:
      require(!queue && !evicted, "only an empty queue is short of arrivals");
      break;
    case AdmissionLimit::kv_capacity:
      require(queue, "somebody waits for KV room");
      break;
    case AdmissionLimit::max_num_seqs:
      require(queue && !evicted && facts.running == server_.scheduler.max_num_seqs, "somebody waits for a place");
      break;
    case AdmissionLimit::kv_loads:
      require(!evicted && facts.waiting == static_cast<std::int64_t>(loading_.size()), "all who wait load KV");
      break;
    case AdmissionLimit::policy:
      require(queue, "somebody waits whom a rule keeps out");
      break;
    case AdmissionLimit::token_budget:
      require(queue && !evicted, "somebody waits for tokens");
      // Who decodes with drafts takes room for all of them or none.
      require(
          !server_.scheduler.enable_chunked_prefill ||
              shape_.tokens() + server_.scheduler.speculative.draft_tokens >= server_.scheduler.max_num_batched_tokens,
          "the budget is spent where it limits");
      break;
  }
}

/// The tokens that come out at the end of the step, their gaps, and who is finished by them.
void InvariantChecker::replay_tokens(const StepFacts& facts) {
  std::map<Duration, std::int64_t> gaps;
  std::vector<const Request*> finished;
  std::int64_t accepted = 0;
  std::int64_t unclaimed = 0;
  const auto drafts = [this](const auto& grant) {
    return life_of(grant.first).drafts > 0 && !life_of(grant.first).left;
  };
  if (std::any_of(facts.schedule->scheduled.begin(), facts.schedule->scheduled.end(), drafts)) ++speculating_steps_;
  for (const auto& [request, n] : facts.schedule->scheduled) {
    Life& life = life_of(request);
    if (life.cached != life.known() || life.over) continue;
    shape_.samples += 1;
    if (life.left) {
      ++unclaimed;
      continue;
    }
    const bool first = life.emitted == 0;
    const std::int64_t gain = life.drafts > 0 ? plain_gain(server_, speculating_steps_) : 1;
    require(gain >= 1 && gain <= 1 + life.drafts, "a step yields one token, and at most one more for each draft");
    const std::int64_t gained = std::min(gain, life.output - life.emitted);
    accepted += gained - 1;
    tokens_ += gained;
    life.emitted += gained;
    life.cached += gained - 1;
    life.computed += gained - 1;
    if (rules_.caches_prefixes && gained > 1) note_contents(life, life.cached - (gained - 1));
    life.token_before = life.last_token;
    if (first) {
      life.first_token = facts.end;
    } else {
      ++gaps[facts.end - life.last_token];
    }
    life.token_before = life.last_token;
    life.last_token = facts.end;
    life.yielded_in = facts.number;
    if (life.emitted == life.output) {
      life.state = State::finishing;
      if (rules_.late_endings) {
        life.over = true;
        over_.push_back(&life);
        continue;
      }
      finished.push_back(request);
      running_.erase(std::remove(running_.begin(), running_.end(), &life), running_.end());
      let_go(life.table);
    }
  }
  require(facts.shape == shape_, "the shape is the sum over the schedule");
  require(facts.accepted_tokens == accepted, "the facts count the drafts that came out");
  require(facts.unclaimed_tokens == unclaimed, "who left gets no token");
  accepted_ += accepted;
  require(rules_.late_endings || facts.schedule->finished == finished, "who emitted its last token is finished");
  std::map<Duration, std::int64_t> told;
  for (const TokenGap& gap : facts.gaps) {
    if (gap.count != 0) told[gap.gap] += gap.count;
    gaps_ += gap.count;
  }
  require(told == gaps, "the gaps are those between the tokens");
}

}  // namespace decodesim::tests
