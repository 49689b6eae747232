#pragma once
// What a policy may look at.

#include <algorithm>
#include <cstdint>

#include "sim/core/rounding.hpp"
#include "sim/serving/replica_state.hpp"

namespace decodesim {

/// A replica as its scheduler sees it. It shows no output length: a policy knows what the client asked for
/// (Request::max_tokens), not when the sequence will stop.
class ReplicaView {
 public:
  explicit ReplicaView(const ReplicaState& state) : state_(state) {}

  [[nodiscard]] std::int64_t total_blocks() const { return state_.memory->total(); }
  [[nodiscard]] std::int64_t free_blocks() const { return state_.memory->free(); }
  [[nodiscard]] std::int64_t block_size() const { return state_.config.block_size; }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const {
    return ceil_div(tokens, state_.config.block_size);
  }
  /// Blocks that admissions leave free: a share of those in the server's log.
  [[nodiscard]] std::int64_t watermark_blocks() const {
    return static_cast<std::int64_t>(state_.config.scheduler.watermark * static_cast<double>(state_.config.num_blocks));
  }
  /// Slots that a decoding sequence needs for its next step with so many tokens cached, those of drafts included.
  [[nodiscard]] std::int64_t slots_to_decode(std::int64_t cached) const {
    return std::min(cached + decode_slots(state_.config.scheduler.speculative), state_.config.max_model_len);
  }
  /// Slots that a request needs at most on its way to its end: of all its tokens but the last, which never gets KV, and
  /// of drafts in a step that begins one token before the end.
  [[nodiscard]] std::int64_t most_slots(std::int64_t input_tokens, std::int64_t output_tokens) const {
    if (output_tokens < 2) return input_tokens + output_tokens - 1;
    return slots_to_decode(input_tokens + output_tokens - 2);
  }
  [[nodiscard]] std::int64_t max_model_len() const { return state_.config.max_model_len; }

  /// When the pass begins.
  [[nodiscard]] Time now() const { return state_.now; }
  /// How long a sequence has waited until now, with the times that it was left out of what runs.
  [[nodiscard]] Duration waited(const Sequence& sequence) const {
    const bool runs = sequence.state == SequenceState::decoding || sequence.state == SequenceState::prefilling;
    return runs ? sequence.waited : sequence.waited + (state_.now - sequence.waits_since);
  }
  /// KV tokens of all running sequences.
  [[nodiscard]] std::int64_t cached_tokens() const { return state_.cached_tokens; }

  [[nodiscard]] std::int64_t running() const { return state_.running.size(); }
  [[nodiscard]] Sequence* first_admitted() const { return state_.running.front(); }
  [[nodiscard]] Sequence* last_admitted() const { return state_.running.back(); }
  /// The next running sequence in order of admission, or nothing.
  [[nodiscard]] static Sequence* admitted_after(const Sequence& running) {
    return SequenceList<&Sequence::running>::after(running);
  }
  [[nodiscard]] static Sequence* admitted_before(const Sequence& running) {
    return SequenceList<&Sequence::running>::before(running);
  }

  [[nodiscard]] const LockStep& cohort() const { return state_.cohort; }
  /// Running sequences with prompt tokens still to compute, in order of admission.
  [[nodiscard]] const std::vector<Sequence*>& prefilling() const { return state_.prefilling; }
  /// Tokens of a running sequence whose KV is there, and tokens it has generated, as of now.
  [[nodiscard]] std::int64_t cached(const Sequence& sequence) const {
    return sequence.state == SequenceState::decoding ? state_.cohort.cached(sequence) : sequence.cached;
  }
  [[nodiscard]] std::int64_t generated(const Sequence& sequence) const {
    return sequence.state == SequenceState::decoding
               ? state_.cohort.cached(sequence) + 1 - sequence.request.input_tokens
               : sequence.generated;
  }

  /// Those whose KV is on the host, in order of arrival.
  [[nodiscard]] const std::vector<Sequence*>& swapped() const { return state_.swapped; }
  [[nodiscard]] const HostPool& host() const { return state_.host; }
  /// Those whose KV is on the way or has come, in the order in which they are to be admitted.
  [[nodiscard]] const std::vector<Sequence*>& loading() const { return state_.loading; }
  /// How long it takes to bring so many blocks from the host.
  [[nodiscard]] Duration time_from_host(std::int64_t blocks) const { return state_.config.host.time(blocks); }

  /// Blocks that evicting this running sequence would free.
  [[nodiscard]] std::int64_t reclaimable_blocks(const Sequence& sequence) const {
    return state_.memory->reclaimable(sequence);
  }

  [[nodiscard]] bool anyone_waits() const { return !state_.waiting.empty(); }
  [[nodiscard]] Sequence& head_of_queue() const { return state_.waiting.head(); }
  [[nodiscard]] const WaitingQueue& queue() const { return state_.waiting; }

  /// Tokens whose KV a prefill tier put in place for this waiting sequence.
  [[nodiscard]] std::int64_t found_in_place(const Sequence& waiting) const;

 private:
  const ReplicaState& state_;
};

}  // namespace decodesim
