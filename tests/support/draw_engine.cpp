#include "tests/support/draw_engine.hpp"

#include <array>

namespace decodesim::tests {

namespace {

void draw_vllm_v1(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.long_prefill_token_threshold = draws.chance(50) ? 0 : draws.pick<std::int64_t>({1, 4, 7, 16});
  knobs.reserve_full_isl = draws.chance(50);
  knobs.async = draws.chance(40);
  if (draws.chance(40)) knobs.watermark = static_cast<double>(draws.between(1, 30)) / 100;
  if (draws.chance(15)) {
    // A server without chunks takes whole prompts, so its budget must hold the longest.
    knobs.enable_chunked_prefill = false;
    server.max_model_len = draws.between(10, 3 * ranges.long_max / 2);
    knobs.max_num_batched_tokens = server.max_model_len + draws.between(0, 20);
  }
  if (draws.chance(35)) {
    server.serving.prefill = PrefillMode::arrives_computed;
    if (draws.chance(50)) server.serving.after_preemption = AfterPreemption::refetch;
  }
}

void draw_reserving(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.reservation =
      draws.pick({Reservation::blocks, Reservation::maximum, Reservation::power_of_two, Reservation::oracle});
  // Reservations for a limit that nobody reaches would let nobody in.
  server.max_model_len = draws.between(5, 2 * ranges.long_max);
  if (draws.chance(35)) server.serving.prefill = PrefillMode::arrives_computed;
}

void draw_static_batch(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  draw_reserving(draws, ranges, server);
  if (draws.chance(50)) server.scheduler.finished_slots = FinishedSlots::hold_until_batch_end;
}

/// Every engine with what draws its knobs, and its share of the scenarios.
struct EngineDraw {
  const char* name;
  std::int64_t share;
  void (*knobs)(Draws& draws, const Ranges& ranges, ServerConfig& server);
};
constexpr std::array engine_draws{
    EngineDraw{"vllm-v1", 60, draw_vllm_v1},
    EngineDraw{"orca", 10, draw_reserving},
    EngineDraw{"static-batch", 10, draw_static_batch},
};

}  // namespace

void draw_scheduler(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.max_num_seqs = draws.chance(30) ? draws.between(1, 2) : draws.between(1, ranges.num_seqs_max);
  knobs.max_num_batched_tokens = draws.chance(40) ? draws.between(1, ranges.small_budget_max)
                                                  : draws.between(ranges.small_budget_max, ranges.budget_max);
  server.max_model_len = draws.chance(30) ? draws.between(5, ranges.long_max + 5) : 4096;
  knobs.never_fits = draws.pick({NeverFits::reject, NeverFits::reject, NeverFits::hang, NeverFits::fail_after});
  if (knobs.never_fits == NeverFits::fail_after) knobs.fail_after = draws.between(1, 4);

  std::int64_t shares = 0;
  for (const EngineDraw& engine : engine_draws) shares += engine.share;
  std::int64_t drawn = draws.between(1, shares);
  for (const EngineDraw& engine : engine_draws) {
    drawn -= engine.share;
    if (drawn > 0) continue;
    knobs.engine = engine.name;
    return engine.knobs(draws, ranges, server);
  }
}

void draw_engine_requests(Draws&, const ServerConfig&, std::vector<Request>&) {}

}  // namespace decodesim::tests
