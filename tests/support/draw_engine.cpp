#include "tests/support/draw_engine.hpp"

#include <array>
#include <string>
#include <string_view>

#include "sim/serving/policy_table.hpp"

namespace decodesim::tests {

namespace {

void draw_predictor(Draws& draws, SchedulerSpec& knobs) {
  knobs.predictor.kind =
      draws.pick({PredictorKind::oracle, PredictorKind::lognormal, PredictorKind::buckets, PredictorKind::max_tokens});
  if (knobs.predictor.kind == PredictorKind::lognormal)
    knobs.predictor.sigma = static_cast<double>(draws.between(0, 8)) / 4;
}

/// A token off for each so many typical steps of some cost model or other.
void draw_ageing(Draws& draws, SchedulerSpec& knobs) {
  if (draws.chance(50)) return;
  knobs.ageing =
      draws.pick<Duration>({std::chrono::microseconds(1), std::chrono::microseconds(300), std::chrono::milliseconds(5),
                            std::chrono::milliseconds(40), std::chrono::seconds(1), std::chrono::seconds(7)});
}

/// What the policies of this scheduler read beside their names.
void draw_policy_knobs(Draws& draws, SchedulerSpec& knobs) {
  if (goes_by_length(knobs)) {
    draw_predictor(draws, knobs);
    draw_ageing(draws, knobs);
  }
  if (admission_of(knobs) == "ratio-weighted") knobs.admission_ratio = static_cast<double>(draws.between(0, 20)) / 20;
  if (queue_order_of(knobs) != "fair") return;
  knobs.fair.input_price = static_cast<double>(draws.between(0, 4)) / 2;
  knobs.fair.output_price = static_cast<double>(draws.between(0, 8)) / 2;
  for (const char* client : {"anna", "bert"}) {
    if (draws.chance(40)) knobs.fair.weights.push_back({client, static_cast<double>(draws.between(1, 12)) / 4});
  }
}

/// Half of the servers are vLLM's own, the others a mixture.
void draw_policies(Draws& draws, SchedulerSpec& knobs) {
  PolicyChoices& policies = knobs.policies;
  if (draws.chance(50)) return;
  if (draws.chance(50)) policies.queue_order = draws.pick({"priority", "sjf", "srpt", "deadline", "random", "fair"});
  const auto pick = [&](std::string_view axis) {
    const std::vector<std::string_view> names = policy_names(axis);
    return std::string(names[static_cast<std::size_t>(draws.between(0, static_cast<std::int64_t>(names.size()) - 1))]);
  };
  if (draws.chance(60)) policies.victim = pick("victim");
  if (draws.chance(40)) {
    policies.admission =
        draws.pick({"whole-sequence", "first-chunk", "prompt-and-max", "ratio-weighted", "peak-estimate"});
  }
  if (policies.admission) knobs.reserve_full_isl = true;  // not read beside it
  if (draws.chance(50))
    policies.destination = policies.queue_order ? "by-key" : draws.pick({"head", "tail", "same-place"});
  if (draws.chance(40)) policies.after_eviction = pick("after_eviction");
  draw_policy_knobs(draws, knobs);
}

void draw_vllm_v1(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  SchedulerSpec& knobs = server.scheduler;
  knobs.long_prefill_token_threshold = draws.chance(50) ? 0 : draws.pick<std::int64_t>({1, 4, 7, 16});
  knobs.reserve_full_isl = draws.chance(50);
  if (draws.chance(40)) knobs.watermark = static_cast<double>(draws.between(1, 30)) / 100;
  if (draws.chance(15)) {
    // A server without chunks takes whole prompts, so its budget must hold the longest.
    knobs.enable_chunked_prefill = false;
    server.max_model_len = draws.between(10, 3 * ranges.long_max / 2);
    knobs.max_num_batched_tokens = server.max_model_len + draws.between(0, 20);
  }
  draw_policies(draws, knobs);
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

void draw_chunked(Draws& draws, const Ranges&, ServerConfig& server) {
  server.scheduler.long_prefill_token_threshold = draws.chance(50) ? 0 : draws.pick<std::int64_t>({1, 4, 7, 16});
  draw_policy_knobs(draws, server.scheduler);
  if (draws.chance(20)) server.serving.prefill = PrefillMode::arrives_computed;
}

void draw_srpt(Draws& draws, const Ranges&, ServerConfig& server) {
  draw_policy_knobs(draws, server.scheduler);
  if (draws.chance(20)) server.serving.prefill = PrefillMode::arrives_computed;
}

void draw_mlfq(Draws& draws, const Ranges& ranges, ServerConfig& server) {
  MlfqKnobs& knobs = server.scheduler.mlfq;
  knobs.quantum =
      draws.pick<Duration>({std::chrono::microseconds(150), std::chrono::microseconds(700),
                            std::chrono::milliseconds(10), std::chrono::seconds(1), std::chrono::seconds(3)});
  knobs.growth = draws.between(2, 4);
  knobs.starvation_limit = knobs.quantum * draws.between(0, 20);
  knobs.starvation_check = draws.pick<std::int64_t>({1, 3, 10, 1000});
  if (draws.chance(40)) knobs.free_blocks = draws.between(1, ranges.blocks_max);
  if (draws.chance(20)) server.serving.prefill = PrefillMode::arrives_computed;
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
    EngineDraw{"sjf", 5, draw_chunked},
    EngineDraw{"vtc", 8, draw_chunked},
    EngineDraw{"srpt", 10, draw_srpt},
    EngineDraw{"mlfq", 12, draw_mlfq},
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

void draw_engine_requests(Draws& draws, const ServerConfig& server, std::vector<Request>& requests) {
  const PolicyChoices& policies = server.scheduler.policies;
  if (policies.queue_order == "priority" || policies.victim == "lowest-priority") {
    const std::int64_t levels = draws.pick({1, 2, 3, 10});
    for (Request& request : requests) request.priority = draws.between(0, levels - 1);
  }
  const std::string_view order = queue_order_of(server.scheduler);
  if (order == "fair") {
    const std::int64_t clients = draws.between(1, 4);
    for (Request& request : requests) {
      const auto client = static_cast<std::size_t>(draws.between(1, clients)) - 1;
      request.client = std::array{"anna", "bert", "carl", ""}[client];
    }
  }
  if (order == "deadline") {
    for (Request& request : requests) {
      if (draws.chance(75)) request.deadline = Duration(draws.between(0, 20) * draws.pick({1'000'000, 700'000'000}));
    }
  }
}

}  // namespace decodesim::tests
