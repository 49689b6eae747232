// One pass of TensorRT-LLM's capacity and micro-batch schedulers over a plain list of all active requests.

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "tests/support/plain_reuse_pool.hpp"

namespace decodesim::tests {

namespace {

/// The active list: smaller priorities first, then by arrival. Who is paused keeps its key and so its place.
bool comes_before(const PlainSequence* a, const PlainSequence* b) {
  if (a->request->priority != b->request->priority) return a->request->priority < b->request->priority;
  if (a->request->arrival != b->request->arrival) return a->request->arrival < b->request->arrival;
  return a->request->index < b->request->index;
}

class PlainTrtllm final : public PlainScheduler {
 public:
  explicit PlainTrtllm(const ServerConfig& server) : server_(server), knobs_(server.scheduler.trtllm), pool_(server) {}

  PlainPlan plan() override;
  [[nodiscard]] bool fits_alone(const PlainSequence& r) const override {
    if (evicts()) return pool_.blocks_for(r.input + r.output - 1) <= server_.usable_blocks;
    return total(&r) <= server_.usable_blocks;
  }
  void arrived(PlainSequence& sequence) override {
    waiting.push_back(&sequence);
    std::sort(waiting.begin(), waiting.end(), comes_before);
  }
  void ended(PlainSequence& sequence) override {
    running.erase(std::find(running.begin(), running.end(), &sequence));
    generating_.erase(&sequence);
    pool_.release(sequence);
  }
  [[nodiscard]] KvSlots slots() const override { return pool_.slots(); }
  [[nodiscard]] std::int64_t free_blocks() const override { return pool_.free(); }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return pool_.cached_blocks_evicted(); }
  [[nodiscard]] MemoryFacts memory() const override { return pool_.memory(); }
  void step_ended(const PlainPlan&, Duration) override {
    // Full blocks of a context that is complete can be found by the others, but for its last token.
    for (const PlainSequence* r : completed_) {
      pool_.store(*r, (r->cached - 1) / server_.block_size * server_.block_size);
    }
  }

 private:
  [[nodiscard]] bool evicts() const { return server_.scheduler.engine == "trtllm-max-utilization"; }
  [[nodiscard]] bool started(const PlainSequence* r) const {
    return std::find(running.begin(), running.end(), r) != running.end();
  }
  [[nodiscard]] bool generates(const PlainSequence* r) const { return generating_.count(r) > 0; }
  [[nodiscard]] std::int64_t budget() const {
    return knobs_.max_num_tokens.value_or(server_.scheduler.max_num_batched_tokens);
  }
  /// ceil((P + M) / B), where the client may ask for no more than the server's longest sequence.
  [[nodiscard]] std::int64_t total(const PlainSequence* r) const {
    return pool_.blocks_for(std::min(r->input + r->request->max_tokens, server_.max_model_len));
  }
  [[nodiscard]] std::int64_t remaining_blocks(const PlainSequence* r) const {
    return total(r) - static_cast<std::int64_t>(r->blocks.size());
  }
  /// Prompt tokens, or after a pause all known ones, that are still without KV.
  [[nodiscard]] std::int64_t remaining_context(const PlainSequence* r) const {
    return r->known() - (started(r) ? r->cached : found_in_place(server_, *r));
  }

  /// What a request that has not started finds in the tree; nothing where its KV comes from a prefill tier.
  [[nodiscard]] PlainReusePool::Found found_by(const PlainSequence* r) const {
    return started(r) || found_in_place(server_, *r) > 0 ? PlainReusePool::Found{} : pool_.find(*r);
  }
  [[nodiscard]] std::int64_t reusable(const PlainSequence* r) const {
    if (!knobs_.microbatch_reuse_discount) return 0;
    return static_cast<std::int64_t>(found_by(r).full.size()) * server_.block_size;
  }
  /// Blocks that others hold need none of the free ones.
  [[nodiscard]] std::int64_t shared(const PlainSequence* r) const { return pool_.held(found_by(r)); }
  /// Is it put off, since the first block that it would fill is being filled for another?
  [[nodiscard]] bool put_off(const PlainSequence* r) const {
    if (!delays() || started(r) || found_in_place(server_, *r) > 0 || r->request->no_prefix_read) return false;
    const auto first = pool_.first_new(*r);
    return first && coming_.count(*first) > 0;
  }
  void expect_blocks_of(const PlainSequence* r) {
    if (!delays() || generates(r) || (!started(r) && found_in_place(server_, *r) > 0)) return;
    if (const auto first = pool_.first_new(*r)) coming_.insert(*first);
  }
  [[nodiscard]] bool delays() const {
    return knobs_.enable_block_reuse && server_.scheduler.engine != "trtllm-static-batch";
  }
  [[nodiscard]] std::int64_t need(const PlainSequence* r) const;

  std::vector<PlainSequence*> take_to_the_end(PlainPlan& plan);
  std::vector<PlainSequence*> take_for_next_step(PlainPlan& plan);
  void pause(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester, EvictionReason reason);
  void share_tokens(PlainPlan& plan, const std::vector<PlainSequence*>& taken);
  std::vector<std::int64_t> chunks(const std::vector<PlainSequence*>& contexts, std::int64_t capacity) const;
  void give_up(PlainPlan& plan);

  const ServerConfig& server_;
  const TrtllmKnobs& knobs_;
  PlainReusePool pool_;
  std::vector<PlainSequence*> active_;           // all requests, at the start of the pass
  std::vector<const PlainSequence*> completed_;  // whose context the pass at hand completes
  std::set<PlainReusePool::Path> coming_;        // blocks that contexts are about to fill
  std::set<const PlainSequence*> generating_;    // whose context is complete
};

PlainPlan PlainTrtllm::plan() {
  PlainPlan plan;
  active_.assign(running.begin(), running.end());
  active_.insert(active_.end(), waiting.begin(), waiting.end());
  std::sort(active_.begin(), active_.end(), comes_before);
  completed_.clear();
  coming_.clear();
  for (const PlainSequence* r : active_) {
    if (started(r)) expect_blocks_of(r);
  }

  share_tokens(plan, evicts() ? take_for_next_step(plan) : take_to_the_end(plan));

  std::sort(running.begin(), running.end(), comes_before);
  std::sort(waiting.begin(), waiting.end(), comes_before);
  if (plan.limit == AdmissionLimit::arrivals) plan.limit = AdmissionLimit::policy;  // only who was put off waits
  if (waiting.empty()) plan.limit = AdmissionLimit::arrivals;
  if (server_.scheduler.never_fits == NeverFits::fail_after) give_up(plan);
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    grant.sequence->cached += grant.tokens;
    if (grant.sequence->cached < grant.sequence->known()) continue;
    if (generating_.insert(grant.sequence).second) completed_.push_back(grant.sequence);
  }
  return plan;
}

/// GUARANTEED_NO_EVICT and STATIC_BATCH: whom the blocks carry to the declared end. Returned in list order.
std::vector<PlainSequence*> PlainTrtllm::take_to_the_end(PlainPlan& plan) {
  std::vector<PlainSequence*> taken;
  std::int64_t available = pool_.free();
  for (PlainSequence* r : active_) {
    if (!generates(r)) continue;
    taken.push_back(r);
    available -= remaining_blocks(r);
  }
  if (server_.scheduler.engine == "trtllm-static-batch" && !taken.empty()) {
    plan.limit = AdmissionLimit::policy;
    return taken;
  }
  for (PlainSequence* r : active_) {
    if (generates(r) || put_off(r)) continue;
    if (static_cast<std::int64_t>(taken.size()) >= server_.scheduler.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      break;
    }
    if (remaining_blocks(r) - shared(r) > available) {
      plan.limit = AdmissionLimit::kv_capacity;
      break;
    }
    taken.push_back(r);
    available -= remaining_blocks(r) - shared(r);
    expect_blocks_of(r);
  }
  std::sort(taken.begin(), taken.end(), comes_before);
  return taken;
}

/// MAX_UTILIZATION: whom the blocks carry through the next step; who stands last gives way.
std::vector<PlainSequence*> PlainTrtllm::take_for_next_step(PlainPlan& plan) {
  std::vector<PlainSequence*> taken;
  const PlainSequence* last_newcomer = nullptr;
  std::size_t end = active_.size();
  for (std::size_t i = 0; i < end;) {
    PlainSequence* r = active_[i];
    if (put_off(r)) {
      ++i;
      continue;
    }
    // Counted anew each time: a pause can take from those that were taken what they would have shared.
    std::int64_t scheduled_blocks = 0;
    for (const PlainSequence* one : taken) scheduled_blocks += need(one);

    const bool place = static_cast<std::int64_t>(taken.size()) < server_.scheduler.max_num_seqs;
    if (place && scheduled_blocks + need(r) <= pool_.free()) {
      taken.push_back(r);
      expect_blocks_of(r);
      if (!started(r)) last_newcomer = r;
      ++i;
      continue;
    }
    plan.limit = place ? AdmissionLimit::kv_capacity : AdmissionLimit::max_num_seqs;
    std::size_t last_started = end;
    for (std::size_t j = i; j < end; ++j) {
      if (started(active_[j])) last_started = j;
    }
    if (last_started == end) break;
    // Who gives way for want of a place makes room for the newcomer that took it.
    if (place) {
      pause(plan, active_[last_started], r, generates(r) ? EvictionReason::decode : EvictionReason::admission);
    } else {
      pause(plan, active_[last_started], last_newcomer, EvictionReason::admission);
    }
    end = last_started;
    // What it left in the tree may be what others would have filled next: by now they fill the blocks behind it.
    for (const PlainSequence* one : active_) {
      if (started(one)) expect_blocks_of(one);
    }
    for (const PlainSequence* one : taken) expect_blocks_of(one);
  }
  return taken;
}

/// Blocks that its next step takes from the free ones.
std::int64_t PlainTrtllm::need(const PlainSequence* r) const {
  if (!started(r)) return pool_.blocks_for(r->known()) - shared(r);
  if (!generates(r)) return 0;  // a later chunk: the first one took the blocks of the whole prompt
  return pool_.blocks_for(r->cached + 1) - static_cast<std::int64_t>(r->blocks.size());
}

void PlainTrtllm::pause(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester, EvictionReason reason) {
  const std::int64_t free_before = pool_.free();
  pool_.release(*victim);
  plan.evictions.push_back(lose_kv(*victim, requester, reason, free_before, pool_.free()));
  plan.preempted.push_back(victim);
  running.erase(std::find(running.begin(), running.end(), victim));
  generating_.erase(victim);
  waiting.push_back(victim);
}

/// The micro-batch: tokens for those that capacity took, until a limit is reached.
void PlainTrtllm::share_tokens(PlainPlan& plan, const std::vector<PlainSequence*>& taken) {
  const std::int64_t max_batch_size = knobs_.max_batch_size.value_or(server_.scheduler.max_num_seqs);
  std::vector<PlainSequence*> batch;
  std::vector<PlainSequence*> contexts;
  std::int64_t generation_tokens = 0;
  std::int64_t unchunked_tokens = 0;
  bool batch_is_full = false;
  for (PlainSequence* r : taken) {
    if (static_cast<std::int64_t>(batch.size()) == max_batch_size) {
      batch_is_full = true;
      break;
    }
    const std::int64_t spent = generation_tokens + unchunked_tokens;
    if (generates(r)) {
      if (spent + 1 > budget()) break;
      generation_tokens += 1;
    } else if (knobs_.context_chunking_policy == ChunkPolicy::none) {
      if (spent + remaining_context(r) - reusable(r) > budget()) break;
      unchunked_tokens += remaining_context(r) - reusable(r);
    } else {
      contexts.push_back(r);
    }
    batch.push_back(r);
  }

  const std::vector<std::int64_t> cut = chunks(contexts, budget() - generation_tokens);
  std::map<const PlainSequence*, std::int64_t> whole;  // before anybody takes blocks that others were to reuse
  for (const PlainSequence* r : batch) whole[r] = remaining_context(r) - reusable(r);
  for (PlainSequence* r : taken) {
    const auto chunked = std::find(contexts.begin(), contexts.end(), r);
    std::int64_t tokens = 0;
    if (chunked != contexts.end()) {
      tokens = cut[static_cast<std::size_t>(chunked - contexts.begin())];
    } else if (std::find(batch.begin(), batch.end(), r) != batch.end()) {
      tokens = generates(r) ? 1 : whole.at(r);
    }
    // A prompt that must be computed whole cannot start where what it was to reuse was handed out in this pass.
    const PlainReusePool::Found found = found_by(r);
    const std::int64_t in_place = started(r) ? r->cached : found_in_place(server_, *r) + pool_.tokens_in(found);
    const bool in_chunks = knobs_.context_chunking_policy != ChunkPolicy::none;
    if (!started(r) && !in_chunks && r->known() - in_place > tokens) tokens = 0;
    tokens = std::min(tokens, r->known() - in_place);
    if (tokens == 0) {
      if (!started(r)) {
        plan.limit = batch_is_full ? AdmissionLimit::max_num_seqs : AdmissionLimit::token_budget;
      }
      continue;
    }
    if (!started(r)) {
      r->cached = in_place;
      if (r->cached > 0) plan.found.push_back({r, r->cached});
      waiting.erase(std::find(waiting.begin(), waiting.end(), r));
      running.push_back(r);
      pool_.take_found(*r, found);
      pool_.take(*r, pool_.blocks_for(r->known()) - static_cast<std::int64_t>(r->blocks.size()));
    } else if (generates(r)) {
      pool_.take(*r, pool_.blocks_for(r->cached + 1) - static_cast<std::int64_t>(r->blocks.size()));
    }
    plan.scheduled.push_back({r, r->cached, tokens});
  }
}

/// The tokens that each prompt computes, where prompts may be cut.
std::vector<std::int64_t> PlainTrtllm::chunks(const std::vector<PlainSequence*>& contexts,
                                              std::int64_t capacity) const {
  const std::int64_t unit = knobs_.chunk_unit.value_or(server_.block_size);
  const std::int64_t longest = knobs_.max_context_length.value_or(std::numeric_limits<std::int64_t>::max() / 2);
  std::vector<std::int64_t> tokens(contexts.size(), 0);
  std::int64_t wanted = 0;
  bool all_fit = knobs_.context_chunking_policy != ChunkPolicy::force_chunk;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    tokens[i] = remaining_context(contexts[i]) - reusable(contexts[i]);
    wanted += std::min(tokens[i], longest);
    if (tokens[i] > longest) all_fit = false;
  }
  if (all_fit && wanted <= capacity) return tokens;

  if (knobs_.context_chunking_policy == ChunkPolicy::first_come_first_served) {
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      const std::int64_t remaining = remaining_context(contexts[i]);
      const std::int64_t free_of_charge = reusable(contexts[i]);
      std::int64_t chunk = remaining;
      if (remaining - free_of_charge > capacity) chunk = capacity;
      if (chunk - free_of_charge > longest) chunk = std::min(free_of_charge + longest, remaining);
      if (chunk < remaining) chunk -= chunk % unit;
      tokens[i] = std::min({chunk, remaining - free_of_charge, longest});
      capacity -= tokens[i];
    }
  }
  if (knobs_.context_chunking_policy == ChunkPolicy::force_chunk) {
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      tokens[i] = std::min(remaining_context(contexts[i]), unit);
      if (tokens[i] > capacity) tokens[i] = 0;
      capacity -= tokens[i];
    }
  }
  if (knobs_.context_chunking_policy == ChunkPolicy::equal_progress) {
    std::vector<std::int64_t> chunk(contexts.size(), 0);
    std::fill(tokens.begin(), tokens.end(), 0);
    bool added = true;
    while (added && capacity > 0) {
      added = false;
      for (std::size_t i = 0; i < contexts.size(); ++i) {
        const std::int64_t larger = std::min(chunk[i] + unit, remaining_context(contexts[i]));
        const std::int64_t computed = std::max<std::int64_t>(0, larger - reusable(contexts[i]));
        if (computed - tokens[i] > capacity || computed > longest || larger == chunk[i]) continue;
        capacity -= computed - tokens[i];
        chunk[i] = larger;
        tokens[i] = computed;
        added = true;
      }
    }
  }
  return tokens;
}

/// Takes away who can never run.
void PlainTrtllm::give_up(PlainPlan& plan) {
  for (PlainSequence* victim : plan.preempted) {
    if (victim->self_preemptions < server_.scheduler.fail_after) continue;
    waiting.erase(std::find(waiting.begin(), waiting.end(), victim));
    plan.cancelled.push_back({victim, "preempted itself too often"});
  }
  const bool idle = running.empty() && plan.preempted.empty();
  if (idle && !waiting.empty() && plan.limit == AdmissionLimit::kv_capacity) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }
}

}  // namespace

std::unique_ptr<PlainScheduler> make_plain_trtllm(const ServerConfig& server) {
  return std::make_unique<PlainTrtllm>(server);
}

}  // namespace decodesim::tests
