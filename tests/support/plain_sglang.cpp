// The passes of SGLang, and its memory.

#include "tests/support/plain_sglang.hpp"

#include <algorithm>
#include <tuple>

namespace decodesim::tests {

PlainPlan PlainSglang::plan() {
  PlainPlan plan;
  const bool full_before = batch_.full;
  const bool batch_before =
      last_.has_value() || decoded_last_ ||
      std::any_of(batch_.requests.begin(), batch_.requests.end(), [&](auto* r) { return over(r); });
  decoded_last_ = false;
  if (chunked_ != nullptr) share(*chunked_, chunked_->cached);
  merge_last_batch();
  if (gives_up_ && chunked_ == nullptr && batch_.requests.empty()) batch_.full = false;
  if (std::optional<Sequences> prefill = make_prefill_batch(plan)) {
    last_ = Batch{*prefill, false};
  } else {
    decode(plan);
  }
  plan.moved = batch_before || (full_before && !batch_.full);
  // Where nobody is there, who is refused for memory is refused for ever; not before the engine came to rest.
  const bool again = plan.moved && !on_grid_;
  if (gives_up_ && !again && running.empty() && plan.empty() && plan.limit == AdmissionLimit::kv_capacity) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }
  planned_.clear();
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    PlainSequence& r = *grant.sequence;
    r.cached += grant.tokens;
    planned_.push_back({&r, r.cached, contains(picked_, &r) && last_.has_value(), &r != chunked_});
  }
  return plan;
}

/// The results of the batch before the planned one, in its order. Who was taken back meanwhile has none, and who had
/// ended by the results before these is passed over.
void PlainSglang::results_seen() {
  if (!overlaps_) return;
  for (const Unseen& one : unseen_) {
    if (!one.yields || over(one.sequence)) continue;
    if (one.sequence->over) {
      give_back(*one.sequence, true);
    } else if (one.prompt) {
      share(*one.sequence, one.tokens);
    }
  }
  unseen_ = planned_;
}

/// 1. The last prefill batch joins the running one, without who ended and who is not through its prompt.
void PlainSglang::merge_last_batch() {
  if (!last_) return;
  Sequences stay;
  for (PlainSequence* r : last_->requests) {
    if (!over(r) && r != chunked_) stay.push_back(r);
  }
  if (stay.size() < last_->requests.size()) batch_.full = false;
  if (!stay.empty()) {
    if (batch_.requests.empty()) {
      batch_ = Batch{stay, false};
    } else {
      batch_.requests.insert(batch_.requests.end(), stay.begin(), stay.end());
    }
  }
  last_.reset();
}

/// 4. All that run get a token, after who does not fit was taken back.
void PlainSglang::decode(PlainPlan& plan) {
  if (batch_.requests.empty()) return;
  const std::size_t before = batch_.requests.size();
  std::erase_if(batch_.requests, [&](auto* r) { return over(r); });
  if (batch_.requests.empty()) {
    batch_.full = false;
    return;
  }
  make_room(need(batch_.requests));
  if (need(batch_.requests) > free_) {
    retract(plan);
  } else {
    ratio_ = std::max(ratio_ - decay_, least_ratio_);
  }
  if (batch_.requests.size() < before) batch_.full = false;
  if (need(batch_.requests) > free_) return;  // the real engine ends with an error; here its last token is still seen
  make_room(static_cast<std::int64_t>(batch_.requests.size()) * page_);
  free_ -= need(batch_.requests);
  for (PlainSequence* r : batch_.requests) plan.scheduled.push_back({r, r->cached, 1});
  decoded_last_ = true;
}

void PlainSglang::retract(PlainPlan& plan) {
  Sequences order = batch_.requests;
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) {
    const std::int64_t pa = knobs_.retraction_policy == SglangRetraction::priority ? a->request->priority : 0;
    const std::int64_t pb = knobs_.retraction_policy == SglangRetraction::priority ? b->request->priority : 0;
    return std::tuple(pa, -generated(*a), a->input) < std::tuple(pb, -generated(*b), b->input);
  });
  const std::size_t kept = chunked_ == nullptr ? 1 : 0;
  while (order.size() > kept) {
    PlainSequence* victim = order.back();
    order.pop_back();
    evict(plan, *victim, nullptr, EvictionReason::retraction);
    const auto count = static_cast<std::int64_t>(order.size());
    make_room(count * knobs_.retract_decode_steps);
    make_room(need(order));
    const bool steps_fit = count * knobs_.retract_decode_steps <= free_;
    if (need(order) <= free_ && (knobs_.retract_target == SglangRetractTarget::next_step || steps_fit)) break;
  }
  make_room(need(order));
  batch_.requests = order;
  std::int64_t known = 0;
  std::int64_t limits = 0;
  for (const PlainSequence* r : order) {
    known += generated(*r);
    limits += limit(*r);
  }
  const auto count = static_cast<double>(order.size());
  const double expected = static_cast<double>(known) + static_cast<double>(knobs_.retract_decode_steps) * count;
  ratio_ = order.empty() ? 0 : std::min(1.0, expected / static_cast<double>(limits + 1));
}

void PlainSglang::evict(PlainPlan& plan, PlainSequence& victim, const PlainSequence* requester, EvictionReason reason) {
  const std::int64_t before = room();
  give_back(victim, false);
  hit_[&victim] = 0;
  if (generated(victim) < victim.emitted) plan.withdrawn.push_back(lose_token(victim));
  std::erase_if(unseen_, [&](const Unseen& one) { return one.sequence == &victim; });
  running.erase(std::find(running.begin(), running.end(), &victim));
  plan.evictions.push_back(lose_kv(victim, requester, reason, before / page_, room() / page_));
  plan.preempted.push_back(&victim);
  queue_up(victim);
}

/// The batch in its order: who ended leaves its KV in the tree, and so does who is through its prompt.
void PlainSglang::step_ended(const PlainPlan& plan, Duration) {
  if (overlaps_) return;
  for (const PlainPlan::Grant& grant : plan.scheduled) {
    const PlainSequence* r = grant.sequence;
    if (r->emitted == r->output) {
      give_back(*r, true);
    } else if (last_ && contains(picked_, r) && r != chunked_) {
      share(*r, r->cached);
    }
  }
}

void PlainSglang::ended(PlainSequence& sequence) {
  over_.insert(&sequence);
  running.erase(std::find(running.begin(), running.end(), &sequence));
}

/// It stays in its batch until the next look at that, as one that ended does, and leaves its KV in the tree.
void PlainSglang::left(PlainSequence& sequence) {
  if (std::erase(waiting, &sequence) > 0) return;
  if (chunked_ == &sequence) chunked_ = nullptr;
  const auto of_it = [&](const Unseen& one) { return one.sequence == &sequence; };
  std::erase_if(unseen_, of_it);
  std::erase_if(planned_, of_it);
  give_back(sequence, true);
  ended(sequence);
}

PlainRadix::Match PlainSglang::look_up(const PlainSequence& r, std::int64_t count) {
  const PlainRadix::Match found =
      r.request->no_prefix_read ? PlainRadix::Match{tree_->root(), 0} : tree_->match(salted_tokens(*r.request, count));
  hit_[&r] = found.tokens;
  return found;
}

void PlainSglang::make_room(std::int64_t tokens) {
  if (!tree_ || free_ >= tokens) return;
  const std::int64_t gone = tree_->evict(tokens - free_);
  free_ += gone;
  evicted_ += gone;
}

/// Puts the whole pages that it has into the tree; what was there already is given back.
void PlainSglang::share(const PlainSequence& r, std::int64_t tokens_in_memory) {
  if (!tree_) return;
  Hold& hold = holds_.at(&r);
  const PlainTokens tokens = salted_tokens(*r.request, tokens_in_memory / page_ * page_);
  free_ += tree_->insert(tokens) - hold.shared;
  const PlainRadix::Match found = tree_->match(tokens);
  tree_->unlock(hold.node);
  tree_->lock(found.node);
  hold = {found.node, found.tokens};
}

void PlainSglang::give_back(const PlainSequence& r, bool finished) {
  const Hold hold = holds_.at(&r);
  holds_.erase(&r);
  free_ += ceil_page(r.cached) - hold.shared;
  if (!tree_) return;
  if (finished) {
    const std::int64_t whole = r.cached / page_ * page_;
    free_ -= whole - tree_->insert(salted_tokens(*r.request, whole));
  }
  tree_->unlock(hold.node);
}

/// Passes with nobody there: the batches are dropped, and the ratio starts afresh. With overlap the first pass after a
/// batch has its results to process, and is not idle.
void PlainSglang::idled(std::int64_t passes) {
  const bool processes = overlaps_ && (last_.has_value() || decoded_last_);
  merge_last_batch();
  if (!batch_.requests.empty()) batch_ = {};
  decoded_last_ = false;
  unseen_.clear();
  if (passes > (processes ? 1 : 0)) ratio_ = initial_ratio_;
}

bool PlainSglang::fits_alone(const PlainSequence& sequence) const {
  if (ceil_page(sequence.input) + page_ >= pool_) return false;
  return sequence.output <= std::max<std::int64_t>(1, limit(sequence));
}

void PlainSglang::describe(EngineFigures& figures) const {
  figures.emplace_back("new_token_ratio", ratio_);
  figures.emplace_back("batch_is_full", batch_.full ? 1 : 0);
  figures.emplace_back("chunked_request", chunked_ != nullptr ? static_cast<double>(chunked_->request->index) : -1);
  figures.emplace_back("available_tokens", static_cast<double>(free_));
  figures.emplace_back("evictable_tokens", static_cast<double>(room() - free_));
}

std::unique_ptr<PlainScheduler> make_plain_sglang(const ServerConfig& server) {
  return std::make_unique<PlainSglang>(server);
}

}  // namespace decodesim::tests
