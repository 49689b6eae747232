#pragma once
// How many tokens each step yields where drafts are verified, and what room that takes.

#include <cstdint>

#include "sim/model/speculative_spec.hpp"

namespace decodesim {

/// Slots for KV that a decoding sequence has in a step behind its cached tokens: for its newest token and k drafts. What
/// drafts with KV of its own (a head, a model) writes that of the next k drafts in the same step, so those have slots
/// too: vLLM's `num_lookahead_tokens`.
constexpr std::int64_t decode_slots(const SpeculativeSpec& speculative) {
  const std::int64_t drafters = speculative.draft == DraftKind::ngram ? 1 : 2;
  return 1 + drafters * speculative.draft_tokens;
}

/// The gains of all sequences in lock-step: at every step the same for all, so that after n steps each has the whole part
/// of n times the mean. This is exact in the mean, and leaves out that real sequences get ahead of each other.
class Gains {
 public:
  /// Yields one token a step.
  Gains() = default;
  explicit Gains(const SpeculativeSpec& speculative)
      : mean_(static_cast<std::int64_t>(tokens_per_step(speculative) * one_ + 0.5)) {}

  /// Tokens of the next step.
  std::int64_t next() {
    carried_ += mean_;
    const std::int64_t whole = carried_ / one_;
    carried_ -= whole * one_;
    return whole;
  }

 private:
  // Whole numbers order events, so the mean is rounded to a billionth of a token.
  static constexpr std::int64_t one_ = 1'000'000'000;
  std::int64_t mean_ = one_;
  std::int64_t carried_ = 0;  // below one_
};

}  // namespace decodesim
