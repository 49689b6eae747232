#pragma once
// What a policy may look at.

#include <cstdint>

#include "sim/serving/replica_state.hpp"

namespace decodesim {

/// A replica as its scheduler sees it. It shows no output length: a policy knows what the client asked for
/// (Request::max_tokens), not when the sequence will stop.
class ReplicaView {
 public:
  explicit ReplicaView(const ReplicaState& state) : state_(state) {}

  [[nodiscard]] std::int64_t num_blocks() const { return state_.config.num_blocks; }
  [[nodiscard]] std::int64_t free_blocks() const { return state_.pool.free(); }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const { return state_.blocks_for(tokens); }
  [[nodiscard]] std::int64_t max_model_len() const { return state_.config.max_model_len; }

  [[nodiscard]] std::int64_t running() const { return state_.running.size(); }
  [[nodiscard]] Sequence* last_admitted() const { return state_.running.back(); }

  [[nodiscard]] bool anyone_waits() const { return !state_.waiting.empty(); }
  [[nodiscard]] Sequence& head_of_queue() const { return *state_.waiting.front(); }

  /// Tokens whose KV is in place when this waiting sequence is admitted: what a prefill tier delivered.
  [[nodiscard]] std::int64_t found_in_place(const Sequence& waiting) const;

 private:
  const ReplicaState& state_;
};

}  // namespace decodesim
