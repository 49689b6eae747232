// Decoding sequences first and always, then chunks of prompts up to a fixed sum: Sarathi-Serve's batching without stalls.
// Or steps of chunks and steps of tokens in turn, the simpler scheme that it is compared with.

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/rounding.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/append_slots.hpp"

namespace decodesim {

namespace {

/// Stages from the high to the low chunk, evenly, each a multiple of 32 tokens or of the low chunk where that is smaller;
/// halves go to the even multiple.
std::vector<std::int64_t> chunk_stages(const SarathiKnobs& knobs) {
  std::vector<std::int64_t> sizes;
  const std::int64_t grain = std::min<std::int64_t>(32, knobs.chunk_size_low);
  const std::int64_t last = knobs.chunk_schedule_stages - 1;
  for (std::int64_t stage = last; stage >= 0; --stage) {
    const std::int64_t span = (knobs.chunk_size_high - knobs.chunk_size_low) * stage;
    const std::int64_t size = knobs.chunk_size_low + (last > 0 ? span / last : 0);
    std::int64_t multiple = size / grain;
    const std::int64_t twice_rest = 2 * (size % grain);
    if (twice_rest > grain || (twice_rest == grain && multiple % 2 == 1)) ++multiple;
    sizes.push_back(multiple * grain);
  }
  return sizes;
}

class StallFree final : public Scheduler {
 public:
  StallFree(const SchedulerSpec& knobs, PagedMemory& memory) : knobs_(knobs), memory_(memory) {
    const SarathiKnobs& own = knobs.sarathi;
    if (own.chunk_schedule == ChunkSchedule::fixed) return;
    stages_ = chunk_stages(own);
    stage_tokens_ = ceil_div(own.chunk_schedule_tokens, own.chunk_schedule_stages);
  }

  void plan(const ReplicaView& view, Draft& draft) override {
    if (knobs_.sarathi.batching == SarathiBatching::in_turn) return plan_turn(view, draft);
    decode(view, draft);
    admit(view, draft, serve_chunks(view, draft, view.cohort().size()));
  }

  /// It must also be let in again with all its tokens, whenever it is evicted.
  bool fits_alone(const ReplicaView& view, const Request& request, std::int64_t output_tokens) const override {
    const std::int64_t written = request.input_tokens + output_tokens - 1;
    return memory_.total() - memory_.blocks_for(written) >= view.watermark_blocks();
  }

 private:
  // Prompts that run go before those that wait: only a turn that has none of them admits. Where it has no prompt at all the
  // others take it.
  void plan_turn(const ReplicaView& view, Draft& draft) {
    const bool prompts = std::exchange(prompts_turn_, true);
    if (prompts) {
      if (serve_chunks(view, draft, 0) == 0) {
        admit(view, draft, 0);
      } else if (view.anyone_waits()) {
        draft.limited_by(AdmissionLimit::policy);
      }
      if (!draft.chunks().empty()) {
        prompts_turn_ = false;
        return draft.pause_cohort();
      }
    } else if (view.anyone_waits()) {
      draft.limited_by(AdmissionLimit::policy);
    }
    decode(view, draft);
    if (!prompts) draft.moved();  // where nobody decodes the prompts go on at once
  }

  void decode(const ReplicaView& view, Draft& draft) {
    append_slots(view, memory_, true, [&](Sequence& requester) -> Sequence& {
      Sequence& victim = *view.last_admitted();
      draft.evict(victim, {.requester = &requester, .reason = EvictionReason::decode});
      return victim;
    });
  }

  // Chunks of prompts that run, in a step that has `tokens` already; returns how many it has then.
  std::int64_t serve_chunks(const ReplicaView& view, Draft& draft, std::int64_t tokens) {
    for (Sequence* prompt : view.prefilling()) {
      const std::int64_t chunk = next_chunk(*prompt, prompt->cached, tokens);
      if (chunk <= 0) continue;
      draft.serve(*prompt, chunk);
      tokens += chunk;
    }
    return tokens;
  }

  // A victim of this pass heads the queue, and may come back at once.
  void admit(const ReplicaView& view, Draft& draft, std::int64_t tokens) {
    while (view.anyone_waits()) {
      Sequence& head = view.head_of_queue();
      if (memory_.free() - memory_.blocks_for(head.known()) < view.watermark_blocks())
        return draft.limited_by(AdmissionLimit::kv_capacity);
      if (view.running() >= knobs_.max_num_seqs) return draft.limited_by(AdmissionLimit::max_num_seqs);
      const std::int64_t found = view.found_in_place(head);
      const std::int64_t chunk = next_chunk(head, found, tokens);
      if (chunk <= 0) return draft.limited_by(AdmissionLimit::token_budget);
      check(memory_.grow(head, head.known()), "a sequence that is admitted has room");
      draft.admit(head, found, chunk);
      tokens += chunk;
    }
  }

  // What is left of a prompt with `cached` tokens, in a step that has `tokens` already. A prompt longer than the schedule
  // stays in its last stage.
  [[nodiscard]] std::int64_t next_chunk(const Sequence& prompt, std::int64_t cached, std::int64_t tokens) const {
    std::int64_t size = knobs_.sarathi.chunk_size;
    if (!stages_.empty()) {
      const auto stage = static_cast<std::size_t>(cached / stage_tokens_);
      size = stages_[std::min(stage, stages_.size() - 1)];
    }
    return std::min(prompt.known() - cached, size - tokens);
  }

  SchedulerSpec knobs_;
  PagedMemory& memory_;
  std::vector<std::int64_t> stages_;  // none: the chunk has one size
  std::int64_t stage_tokens_ = 1;
  bool prompts_turn_ = true;  // of batching in turn
};

}  // namespace

EngineParts make_sarathi(const ServerConfig& server) {
  auto memory = std::make_unique<PagedMemory>(server.usable_blocks, server.block_size);
  PagedMemory& pages = *memory;
  return {.memory = std::move(memory),
          .queue_order = nullptr,
          .scheduler = std::make_unique<StallFree>(server.scheduler, pages),
          .running_order = RunningOrder::arrival};
}

}  // namespace decodesim
