// One pass of the vLLM V1 scheduler over plain queues: those that wait, and those that load KV meanwhile.

#include "tests/support/plain_vllm_v1.hpp"

namespace decodesim::tests {

/// The place in the queue of who is next.
std::size_t PlainVllmV1::head_of_queue() const {
  if (order_ == "fair") return fair_.head(waiting);
  if (order_ != "longest-prefix") return 0;
  std::size_t best = 0;
  for (std::size_t i = 1; i < waiting.size(); ++i) {
    if (pool_.hits(*waiting[i]).size() > pool_.hits(*waiting[best]).size()) best = i;
  }
  return best;
}

/// Phase W: who has loaded its KV and the head of the queue, again and again, until something stops it.
void PlainVllmV1::admit_waiting(PlainPlan& plan) {
  while (true) {
    PlainSequence* loaded = next_loaded(plan);
    if (loaded == nullptr && waiting.empty()) {
      plan.limit = loading.empty() ? AdmissionLimit::arrivals : AdmissionLimit::kv_loads;
      return;
    }
    if (budget_ == 0) {
      plan.limit = AdmissionLimit::token_budget;
      return;
    }
    if (static_cast<std::int64_t>(running.size()) >= server_.scheduler.max_num_seqs) {
      plan.limit = AdmissionLimit::max_num_seqs;
      return;
    }
    if (loaded != nullptr ? !admit_loaded(plan, loaded) : !admit_head(plan)) return;
  }
}

/// The first that has its KV, if the head of the queue does not go before it.
PlainSequence* PlainVllmV1::next_loaded(const PlainPlan& plan) const {
  for (PlainSequence* r : loading) {
    const bool begins_now = std::find(plan.loads.begin(), plan.loads.end(), r) != plan.loads.end();
    if (r->load_ends > known_until_ || begins_now) continue;
    const std::deque<PlainSequence*> all = queue();
    const auto place = std::find(all.begin(), all.end(), r);
    const bool head_first = !waiting.empty() && std::find(all.begin(), place, waiting.front()) != place;
    return head_first ? nullptr : r;
  }
  return nullptr;
}

/// Who loads goes before all others, or where its key puts it.
std::deque<PlainSequence*> PlainVllmV1::queue() const {
  std::deque<PlainSequence*> all = loading;
  if (order_ == "fcfs" || loading.empty()) {
    all.insert(all.end(), waiting.begin(), waiting.end());
    return all;
  }
  all = waiting;
  for (PlainSequence* r : loading) enter_plain_queue(order_, server_, all, r);
  return all;
}

bool PlainVllmV1::admit_loaded(PlainPlan& plan, PlainSequence* r) {
  const SchedulerSpec& knobs = server_.scheduler;
  pool_.cache_full(*r, r->cached);
  std::int64_t n = r->known() - r->cached;
  if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
  if (!knobs.enable_chunked_prefill && n > budget_) {
    plan.limit = AdmissionLimit::token_budget;
    return false;
  }
  n = std::min(n, budget_);
  const std::int64_t watermark = running.empty() ? 0 : watermark_of(server_);
  const auto held = static_cast<std::int64_t>(r->blocks.size());
  const PlainAdmission state{server_, running, pool_.free(), watermark - held, {}};
  if (!plain_admits(admission_, state, *r, r->cached, n)) {
    plan.limit = AdmissionLimit::kv_capacity;
    head_refused_for_blocks_ = true;
    return false;
  }
  loading.erase(std::find(loading.begin(), loading.end(), r));
  r->loads += 1;
  r->loading += r->load_ends - r->load_began;
  plan.loaded_beside.push_back({r, r->cached - r->needs_no_load, 0});
  start(plan, r, r->cached, n);
  return true;
}

bool PlainVllmV1::admit_head(PlainPlan& plan) {
  const SchedulerSpec& knobs = server_.scheduler;
  const std::size_t head = head_of_queue();
  PlainSequence* r = waiting[head];
  const std::vector<std::uint32_t> hits = pool_.hits(*r);
  const auto hit_blocks = static_cast<std::int64_t>(hits.size());
  const std::int64_t on_device = std::max(found_in_place(server_, *r), hit_blocks * server_.block_size);
  if (!r->loaded_before && r->request->remote_tokens > on_device)
    return begin_load(plan, head, hits, on_device, r->request->remote_tokens);
  const std::int64_t found = tier_.find(*r, on_device);
  if (found > on_device && server_.host_cache.load == HostLoad::async)
    return begin_load(plan, head, hits, on_device, found);

  std::int64_t n = r->known() - found;
  if (knobs.long_prefill_token_threshold > 0) n = std::min(n, knobs.long_prefill_token_threshold);
  if (!knobs.enable_chunked_prefill && n > budget_) {
    plan.limit = AdmissionLimit::token_budget;
    return false;
  }
  n = std::min(n, budget_);

  const std::int64_t watermark = running.empty() ? 0 : watermark_of(server_);
  const auto prompt_is_done = [this](const PlainSequence* one) {
    return decoding_.count(one) > 0 || whole_.count(one) > 0;
  };
  // Hits among the free blocks will leave them; the others need no room.
  std::int64_t shared = 0;
  for (std::uint32_t block : hits) shared += pool_.is_free(block) ? 0 : 1;
  const PlainAdmission state{server_, running, pool_.free(), watermark - shared, prompt_is_done};
  if (!plain_admits(admission_, state, *r, found, n)) {
    plan.limit = AdmissionLimit::kv_capacity;
    head_refused_for_blocks_ = true;
    return false;
  }

  if (order_ == "fair") fair_.admitted(*r);
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(head));
  pool_.touch(*r, hits);
  tier_.use(*r, on_device, found);
  if (found > on_device)
    plan.loaded.push_back({r, found - on_device, pool_.blocks_for(found) - pool_.blocks_for(on_device)});
  start(plan, r, found, n);
  return true;
}

/// It runs from now on, and computes n tokens behind those that were found.
void PlainVllmV1::start(PlainPlan& plan, PlainSequence* r, std::int64_t found, std::int64_t n) {
  if (found + n == r->known()) whole_.insert(r);
  r->waited += now - r->waits_since;
  running.push_back(r);
  pool_.take(*r, pool_.blocks_for(found + n) - static_cast<std::int64_t>(r->blocks.size()));
  pool_.cache_full(*r, found + n);
  tier_.computed(*r, found, found + n);
  r->cached = found;
  emitted_at_admission_[r] = r->emitted;
  if (found > 0) plan.found.push_back({r, found});
  plan.scheduled.push_back({r, found, n});
  budget_ -= n;
}

/// Its KV comes from elsewhere or from the host while others run: it takes the blocks for it now, and waits.
bool PlainVllmV1::begin_load(PlainPlan& plan, std::size_t head, const std::vector<std::uint32_t>& hits,
                             std::int64_t on_device, std::int64_t found) {
  PlainSequence* r = waiting[head];
  const std::int64_t watermark = running.empty() ? 0 : watermark_of(server_);
  std::int64_t shared = 0;
  for (std::uint32_t block : hits) shared += pool_.is_free(block) ? 0 : 1;
  const PlainAdmission state{server_, running, pool_.free(), watermark - shared, {}};
  const std::int64_t takes = pool_.blocks_for(found) - shared;
  if (!plain_admits(admission_, state, *r, found, 0) || takes + watermark > pool_.free() - blocks_set_aside()) {
    plan.limit = AdmissionLimit::kv_capacity;
    head_refused_for_blocks_ = true;
    return false;
  }
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(head));
  pool_.touch(*r, hits);
  if (r->request->remote_tokens == 0) tier_.use(*r, on_device, found);
  pool_.take(*r, pool_.blocks_for(found) - static_cast<std::int64_t>(hits.size()));
  r->cached = std::min(found, r->known() - 1);
  r->needs_no_load = on_device;
  r->load_began = now;
  if (r->request->remote_tokens > 0) {
    r->load_ends = now + r->request->load_time;
  } else {
    const std::int64_t blocks = pool_.blocks_for(found) - pool_.blocks_for(on_device);
    host_is_free_ = std::max(host_is_free_, now) + server_.host.time(blocks);
    r->load_ends = host_is_free_;
    plan.blocks_loading += blocks;
  }
  r->loaded_before = true;
  enter_plain_queue(order_, server_, loading, r);
  plan.loads.push_back(r);
  return true;
}

/// What prompts under way and loads still lack for all their tokens.
std::int64_t PlainVllmV1::blocks_set_aside() const {
  std::int64_t blocks = 0;
  const auto add = [&](const PlainSequence* r) {
    blocks += std::max<std::int64_t>(0, pool_.blocks_for(r->known()) - static_cast<std::int64_t>(r->blocks.size()));
  };
  for (const PlainSequence* r : loading) add(r);
  for (const PlainSequence* r : running) {
    if (decoding_.count(r) == 0) add(r);
  }
  return blocks;
}

void PlainVllmV1::give_back(PlainSequence& sequence, bool later) {
  if (!later) return pool_.release(sequence);
  deferred_.emplace_back().blocks.swap(sequence.blocks);
}

}  // namespace decodesim::tests
