#pragma once
// Speculative decoding as a scenario writes it, and how many tokens a step yields by it.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/model/model_spec.hpp"

namespace decodesim {

/// Who proposes tokens: a look-up in what the sequence has so far, which costs the GPU nothing; layers like the target's
/// on top of it (EAGLE, MTP); or a smaller model beside it.
enum class DraftKind { ngram, head, model };

struct SpeculativeSpec {
  std::int64_t draft_tokens = 0;  // k, proposed for each decoding sequence in each step; 0: no speculation
  // The chance that a draft token is accepted, given that all before it were: of every position, or of each, k of them.
  std::optional<double> acceptance;
  std::vector<double> acceptance_by_position;
  DraftKind draft = DraftKind::ngram;
  int head_layers = 1;  // `head`
  ModelSpec model;      // `model`; no layers: none

  [[nodiscard]] bool on() const { return draft_tokens > 0; }
};

/// Tokens that a decoding sequence gains in a step on average, between 1 and 1 + k: one, and with the chance that all
/// of the first i drafts are accepted one more for each i. For one acceptance a this is (1 - a^(k+1)) / (1 - a)
/// (Leviathan et al., 2023, eq. 1).
inline double tokens_per_step(const SpeculativeSpec& speculative) {
  const std::vector<double>& by_position = speculative.acceptance_by_position;
  double tokens = 1;
  double all_accepted = 1;
  for (std::int64_t i = 0; i < speculative.draft_tokens; ++i) {
    const auto at = static_cast<std::size_t>(i);
    all_accepted *= at < by_position.size() ? by_position[at] : speculative.acceptance.value_or(0);
    tokens += all_accepted;
  }
  return tokens;
}

}  // namespace decodesim
