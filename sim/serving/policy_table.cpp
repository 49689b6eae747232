#include "sim/serving/policy_table.hpp"

#include <algorithm>
#include <array>

namespace decodesim {

namespace {

constexpr std::array policies{
    PolicyRow{"phase order", "running-first", "running sequences get their tokens first, then the queue is admitted"},
    PolicyRow{"phase order", "batch-by-batch", "a batch is formed when the one before has ended"},
    PolicyRow{"admission", "whole-life", "memory for the whole life is reserved now"},
    PolicyRow{"admission", "whole-sequence", "the whole known sequence must fit now (reserve_full_isl: true)"},
    PolicyRow{"admission", "first-chunk", "the first chunk must fit now (reserve_full_isl: false)"},
    PolicyRow{"queue order", "fcfs", "first come, first served; the head blocks those behind it"},
    PolicyRow{"victim", "last-admitted", "the sequence admitted last, which may be the requester itself"},
    PolicyRow{"destination", "head", "a victim heads the queue"},
    PolicyRow{"KV fate", "dropped", "a victim's KV is lost and recomputed"},
    PolicyRow{"same-step guard", "no-admission-after-preemption", "a pass that preempted admits nobody"},
};

constexpr std::array<std::string_view, 7> vllm_v1_policies{
    "running-first", "whole-sequence", "fcfs", "last-admitted", "head", "dropped", "no-admission-after-preemption"};
constexpr std::array<std::string_view, 6> vllm_v1_knobs{"max_num_batched_tokens",
                                                        "long_prefill_token_threshold",
                                                        "enable_chunked_prefill",
                                                        "reserve_full_isl",
                                                        "watermark",
                                                        "async"};

constexpr std::array<std::string_view, 3> orca_policies{"running-first", "whole-life", "fcfs"};
constexpr std::array<std::string_view, 1> orca_knobs{"reservation"};
constexpr std::array<std::string_view, 3> static_batch_policies{"batch-by-batch", "whole-life", "fcfs"};
constexpr std::array<std::string_view, 2> static_batch_knobs{"reservation", "finished_slots"};

constexpr std::array engines{
    EngineRow{"vllm-v1",
              "vLLM V1 scheduler, upstream state of August 2026: FCFS, running first, chunked prefill, preemption of "
              "the last admitted by recompute",
              true, make_vllm_v1, vllm_v1_policies, vllm_v1_knobs},
    EngineRow{"orca", "iteration-level scheduling with memory reserved for whole lives (Orca, OSDI 2022)", false,
              make_orca, orca_policies, orca_knobs},
    EngineRow{"static-batch", "request-level batching: nobody joins a batch that runs (FasterTransformer)", false,
              make_static_batch, static_batch_policies, static_batch_knobs},
};

}  // namespace

std::span<const PolicyRow> policy_table() { return policies; }
std::span<const EngineRow> engine_table() { return engines; }

const EngineRow* find_engine(std::string_view name) {
  for (const EngineRow& row : engines) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool goes_by_length(const SchedulerSpec& scheduler) {
  const EngineRow* row = find_engine(scheduler.engine);
  return row != nullptr && (std::find(row->policies.begin(), row->policies.end(), "sjf") != row->policies.end() ||
                            std::find(row->policies.begin(), row->policies.end(), "srpt") != row->policies.end());
}

bool engine_reads(std::string_view engine, std::string_view knob) {
  const EngineRow* row = find_engine(engine);
  return row != nullptr && std::find(row->knobs.begin(), row->knobs.end(), knob) != row->knobs.end();
}

bool may_swap(const SchedulerSpec& scheduler) {
  const EngineRow* row = find_engine(scheduler.engine);
  return row != nullptr && row->swaps != nullptr && row->swaps(scheduler);
}

}  // namespace decodesim
