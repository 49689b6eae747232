// The batches of prompts of SGLang.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/support/plain_sglang.hpp"

namespace decodesim::tests {

/// 2. A batch of prompts, if there is one to make.
std::optional<Sequences> PlainSglang::make_prefill_batch(PlainPlan& plan) {
  const bool preempts = knobs_.enable_priority_scheduling;
  if (preempts) batch_.full = false;
  if ((batch_.full || waiting.empty()) && chunked_ == nullptr) {
    if (!waiting.empty()) plan.limit = AdmissionLimit::policy;
    return std::nullopt;
  }
  const auto places = [&] { return max_running_ - static_cast<std::int64_t>(batch_.requests.size()); };
  if (places() <= 0 && chunked_ == nullptr && !preempts) {
    batch_.full = true;
    plan.limit = AdmissionLimit::max_num_seqs;
    return std::nullopt;
  }
  order_waiting();
  open_budgets();
  if (chunked_ != nullptr && !add_chunked(plan)) return std::nullopt;

  const std::deque<PlainSequence*> candidates = waiting;
  for (PlainSequence* r : candidates) {
    if (static_cast<std::int64_t>(picked_.size()) >= places()) batch_.full = true;
    if (batch_.full && (!preempts || !preempt_to_schedule(plan, *r))) {
      plan.limit = AdmissionLimit::max_num_seqs;
      break;
    }
    seen_[r] = r->known();
    const Added added = r->request->ignore_eos && !tree_ ? add_ignoring_eos(plan, *r) : add(plan, *r);
    if (added == Added::fits) continue;
    if (added == Added::no_token) batch_.full = true;
    if (!waiting.empty()) {
      const bool only_ended = !batch_.requests.empty() && std::all_of(batch_.requests.begin(), batch_.requests.end(),
                                                                      [&](auto* b) { return over(b); });
      plan.limit = added == Added::other ? AdmissionLimit::token_budget
                   : only_ended          ? AdmissionLimit::policy
                                         : AdmissionLimit::kv_capacity;
    }
    break;
  }
  if (picked_.empty()) return std::nullopt;
  std::int64_t extended = 0;
  for (const PlainPlan::Grant& grant : plan.scheduled) extended += grant.tokens;
  make_room(extended + (page_ > 1 ? static_cast<std::int64_t>(picked_.size()) * page_ : 0));
  free_ -= taken_;

  // 3. Mixed: all that decode are carried along, if they find memory.
  Sequences batch = picked_;
  Sequences alive;
  for (PlainSequence* r : batch_.requests) {
    if (!over(r)) alive.push_back(r);
  }
  if (knobs_.enable_mixed_chunk) make_room(static_cast<std::int64_t>(alive.size()) * page_);
  if (knobs_.enable_mixed_chunk && !batch_.requests.empty() && need(alive) <= free_) {
    free_ -= need(alive);
    for (PlainSequence* r : alive) plan.scheduled.push_back({r, r->cached, 1});
    batch.insert(batch.end(), alive.begin(), alive.end());
    batch_ = Batch{{}, batch_.full};
  }
  return batch;
}

void PlainSglang::open_budgets() {
  picked_.clear();
  taken_ = 0;
  completions_.reset();
  free_at_start_ = room();
  const std::int64_t carried = knobs_.enable_mixed_chunk ? static_cast<std::int64_t>(batch_.requests.size()) : 0;
  double sum = 0;
  for (const PlainSequence* r : batch_.requests) sum += promised(*r);
  total_offset_ = static_cast<double>(carried) + sum;
  current_offset_ = carried;
  rem_input_ = knobs_.max_prefill_tokens - carried;
  rem_chunk_ = knobs_.chunked_prefill_size - carried;
}

void PlainSglang::charge(std::int64_t tokens, std::int64_t output) {
  total_offset_ += static_cast<double>(ceil_page(tokens) + output + page_);
  current_offset_ += ceil_page(tokens) + page_;
  rem_input_ -= ceil_page(tokens);
  rem_chunk_ -= ceil_page(tokens);
}

PlainSglang::Added PlainSglang::budget_state() const {
  if (rem_total() <= 0 || rem_current() <= 0) return Added::no_token;
  if (rem_input_ <= 0) return Added::other;
  if (knobs_.chunked_prefill_size > 0 && rem_chunk_ <= 0) return Added::other;
  return Added::fits;
}

/// The request whose prompt is computed in part goes first. The real engine ends with an error where it finds no memory;
/// here it takes what there is, or lets the others decode.
bool PlainSglang::add_chunked(PlainPlan& plan) {
  PlainSequence& r = *chunked_;
  const std::int64_t remaining = r.known() - r.cached;
  std::int64_t lim = std::min(rem_chunk_, static_cast<std::int64_t>(std::trunc(rem_total())));
  if (lim <= 0) lim = rem_chunk_;
  lim = std::min(lim, ceil_page(r.cached) - r.cached + room());
  if (lim <= 0) return false;
  const std::int64_t n = std::min(remaining, lim);
  const bool last = n == remaining;
  charge(n, last ? std::min(limit(r), knobs_.clip_max_new_tokens) : 0);
  picked_.push_back(&r);
  run_prefill(plan, r, n);
  if (last) chunked_ = nullptr;
  return true;
}

PlainSglang::Added PlainSglang::add(PlainPlan& plan, PlainSequence& r) {
  // What it is found in is locked before anything is asked, and is no room for it.
  PlainRadix::Match found{nullptr, 0};
  if (tree_) {
    found = look_up(r, r.known() - 1);
    tree_->lock(found.node);
    free_at_start_ = room();
  }
  const auto refuse = [&](Added why) {
    if (tree_) tree_->unlock(found.node);
    free_at_start_ = room();
    return why;
  };
  const std::int64_t e = r.known() - found.tokens;
  const std::int64_t ce = ceil_page(e);
  const std::int64_t output = std::min(std::max<std::int64_t>(limit(r) - r.emitted, 0), knobs_.clip_max_new_tokens);
  const bool chunks = knobs_.chunked_prefill_size > 0;
  if (static_cast<double>(e + output + page_) >= rem_total()) return refuse(Added::no_token);
  if (!chunks && !picked_.empty() && ce >= rem_input_) return refuse(Added::other);
  std::int64_t n = e;
  if (chunks && ce > rem_chunk_) {
    n = rem_chunk_ / page_ * page_;
    if (n <= 0 || chunked_ != nullptr) return refuse(Added::other);
    chunked_ = &r;
    charge(n, 0);
  } else {
    charge(e, std::min(limit(r), knobs_.clip_max_new_tokens));
  }
  picked_.push_back(&r);
  waiting.erase(std::find(waiting.begin(), waiting.end(), &r));
  running.push_back(&r);
  holds_[&r] = {found.node, found.tokens};
  if (found.tokens > 0) plan.found.push_back({&r, found.tokens});
  r.cached = found.tokens;
  run_prefill(plan, r, n);
  return budget_state();
}

/// Without a radix tree, a request that ignores the end of text is admitted where the completion of all shows that
/// memory lasts.
PlainSglang::Added PlainSglang::add_ignoring_eos(PlainPlan& plan, PlainSequence& r) {
  const std::int64_t e = r.known();
  if (static_cast<double>(ceil_page(e)) > std::min(static_cast<double>(rem_current()), rem_total()))
    return Added::no_token;

  const auto completion = [&](const PlainSequence& s) {
    const double share = s.request->ignore_eos ? 1.0 : ratio_;
    return Completion{static_cast<double>(limit(s)) * share - static_cast<double>(generated(s)),
                      s.input + generated(s)};
  };
  if (!completions_) {
    completions_.emplace();
    std::vector<Completion> all{completion(r)};
    for (const PlainSequence* s : batch_.requests) all.push_back(completion(*s));
    for (const PlainSequence* s : picked_) all.push_back(completion(*s));
    for (const Completion& one : all) {
      if (one.left > 0) completions_->push_back(one);
    }
    std::stable_sort(completions_->begin(), completions_->end(),
                     [](const Completion& a, const Completion& b) { return a.left < b.left; });
  } else if (const Completion one = completion(r); one.left > 0) {
    std::size_t i = 0;
    while (i < completions_->size() && one.left > (*completions_)[i].left) ++i;
    if (i == completions_->size() && i > 0) --i;  // never behind the last one
    completions_->insert(completions_->begin() + static_cast<std::ptrdiff_t>(i), one);
  }

  const std::int64_t current = rem_current() - ceil_page(e);
  std::int64_t freed = 0;
  for (std::size_t i = 0; i < completions_->size(); ++i) {
    const auto bs = static_cast<double>(completions_->size() - i);
    if (static_cast<double>(current + freed) - (*completions_)[i].left * bs <= bs) return Added::no_token;
    freed += (*completions_)[i].occupied;
  }

  std::int64_t n = e;
  if (knobs_.chunked_prefill_size <= 0 || e <= rem_chunk_) {
    charge(e, std::min(limit(r), knobs_.clip_max_new_tokens));
  } else {
    if (rem_chunk_ <= 0 || chunked_ != nullptr) return Added::other;
    n = rem_chunk_;
    chunked_ = &r;
    charge(n, 0);
  }
  picked_.push_back(&r);
  waiting.erase(std::find(waiting.begin(), waiting.end(), &r));
  running.push_back(&r);
  holds_[&r] = {};
  run_prefill(plan, r, n);
  return budget_state();
}

void PlainSglang::run_prefill(PlainPlan& plan, PlainSequence& r, std::int64_t tokens) {
  taken_ += ceil_page(r.cached + tokens) - ceil_page(r.cached);
  plan.scheduled.push_back({&r, r.cached, tokens});
}

/// With no place left: the places of less urgent requests, worst first, where what was promised to them is enough.
bool PlainSglang::preempt_to_schedule(PlainPlan& plan, PlainSequence& r) {
  Sequences alive;
  for (PlainSequence* s : batch_.requests) {
    if (!over(s)) alive.push_back(s);
  }
  Sequences worst = alive;
  std::stable_sort(worst.begin(), worst.end(), [&](auto* a, auto* b) {
    return std::tuple(-a->request->priority, -entry_.at(a)) < std::tuple(-b->request->priority, -entry_.at(b));
  });
  const std::int64_t length = seen_.count(&r) > 0 ? seen_.at(&r) : 0;
  const std::int64_t hit = hit_.count(&r) > 0 ? hit_.at(&r) : 0;
  double need = static_cast<double>(length - hit + std::min(limit(r), knobs_.clip_max_new_tokens)) - rem_total();
  Sequences victims;
  for (PlainSequence* s : worst) {
    if (s->request->priority - r.request->priority <= knobs_.priority_scheduling_preemption_threshold) break;
    victims.push_back(s);
    need -= promised(*s);
    if (need <= 0) break;
  }
  if (victims.empty() || need > 0) return false;
  for (PlainSequence* s : alive) {
    if (!contains(victims, s)) continue;
    total_offset_ -= promised(*s);
    batch_.requests.erase(std::find(batch_.requests.begin(), batch_.requests.end(), s));
    evict(plan, *s, &r, EvictionReason::admission);
    make_room(static_cast<std::int64_t>(batch_.requests.size()) * knobs_.retract_decode_steps);
  }
  free_at_start_ = room();
  return true;
}

}  // namespace decodesim::tests
