#include "sim/serving/schedulers/sglang_budget.hpp"

#include <algorithm>

namespace decodesim {

NewTokenRatio::NewTokenRatio(const SglangKnobs& knobs)
    : initial_(std::min(knobs.init_new_token_ratio * knobs.schedule_conservativeness, 1.0)),
      minimum_(initial_ * knobs.min_new_token_ratio_factor),
      decay_((initial_ - minimum_) / static_cast<double>(knobs.new_token_ratio_decay_steps)),
      steps_ahead_(static_cast<double>(knobs.retract_decode_steps)),
      value_(initial_) {}

void NewTokenRatio::decode_step_fitted() { value_ = std::max(value_ - decay_, minimum_); }

void NewTokenRatio::retracted(std::int64_t generated, std::int64_t limits, std::int64_t count) {
  if (count == 0) {
    value_ = 0;
    return;
  }
  const double expected = static_cast<double>(generated) + steps_ahead_ * static_cast<double>(count);
  value_ = std::min(1.0, expected / (static_cast<double>(limits) + 1));
}

PrefillBudget PrefillBudget::open(const SglangKnobs& knobs, std::int64_t page_size, std::int64_t room, double promised,
                                  std::int64_t carried) {
  return {.room = room,
          .total_offset = static_cast<double>(carried) + promised,
          .current_offset = carried,
          .input = knobs.max_prefill_tokens - carried,
          .chunk = knobs.chunked_prefill_size - carried,
          .chunks = knobs.chunked_prefill_size > 0,
          .page_size = page_size};
}

void PrefillBudget::charge(std::int64_t tokens, std::int64_t output) {
  const std::int64_t paged = ceil_to_page(tokens);
  total_offset += static_cast<double>(paged + output + page_size);
  current_offset += paged + page_size;
  input -= paged;
  chunk -= paged;
}

PrefillStop PrefillBudget::state() const {
  if (total() <= 0 || current() <= 0) return PrefillStop::no_token;
  if (input <= 0 || (chunks && chunk <= 0)) return PrefillStop::other;
  return PrefillStop::no;
}

std::vector<std::size_t> places_taken(const std::vector<Preemptible>& running, std::int64_t priority,
                                      std::int64_t threshold, double needs) {
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < running.size(); ++i) worst.push_back(i);
  std::stable_sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) {
    if (running[a].priority != running[b].priority) return running[a].priority > running[b].priority;
    return running[a].queued > running[b].queued;
  });
  std::vector<std::size_t> taken;
  for (const std::size_t one : worst) {
    if (running[one].priority - priority <= threshold) break;
    taken.push_back(one);
    needs -= running[one].promised;
    if (needs <= 0) return taken;
  }
  return {};
}

void CompletionTest::begin(const std::vector<CompletionState>& states) {
  begun_ = true;
  for (const CompletionState& state : states) {
    if (state.left > 0) states_.push_back(state);
  }
  std::stable_sort(states_.begin(), states_.end(),
                   [](const CompletionState& a, const CompletionState& b) { return a.left < b.left; });
}

void CompletionTest::add(const CompletionState& candidate) {
  if (candidate.left <= 0) return;
  auto place = std::find_if(states_.begin(), states_.end(),
                            [&](const CompletionState& state) { return candidate.left <= state.left; });
  // The engine never looks behind the last one.
  if (place == states_.end() && place != states_.begin()) --place;
  states_.insert(place, candidate);
}

bool CompletionTest::lasts(std::int64_t current) const {
  std::int64_t given_back = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto still = static_cast<double>(states_.size() - i);
    // One token a request is kept for the corners.
    if (static_cast<double>(current + given_back) - states_[i].left * still <= still) return false;
    given_back += states_[i].occupied;
  }
  return true;
}

}  // namespace decodesim
