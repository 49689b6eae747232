#include "sim/serving/policy_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {

constexpr std::array policies{
    PolicyRow{"phase_order", "running-first", "running sequences get their tokens first, then the queue is admitted"},
    PolicyRow{"phase_order", "batch-by-batch", "a batch is formed when the one before has ended"},
    PolicyRow{"phase_order", "ranked", "of all that are here the first in rank run, decided anew in every pass"},
    PolicyRow{"phase_order", "levels",
              "the same, by levels of growing quanta; who has used up its own falls to the next"},
    PolicyRow{"phase_order", "prefill-first", "who may start computes its prompt, and those that run wait meanwhile"},
    PolicyRow{"phase_order", "decode-first", "all decodes run, then prompts that run, then the queue is admitted"},
    PolicyRow{"phase_order", "list-order", "running or not, requests are asked in the order of one list"},

    PolicyRow{"queue_order", "fcfs", "first come, first served; the head blocks those behind it"},
    PolicyRow{"queue_order", "priority", "the most urgent first, then the first that came", make_priority_order},
    PolicyRow{"queue_order", "sjf", "the shortest predicted output first", make_sjf_order},
    PolicyRow{"queue_order", "srpt", "the shortest predicted rest first", make_srpt_order},
    PolicyRow{"queue_order", "deadline", "the earliest deadline first, and those without one last",
              make_deadline_order},
    PolicyRow{"queue_order", "random", "by a number that each request draws once", make_random_order},
    PolicyRow{"queue_order", "fair", "the oldest of the tenant that got the least service, by virtual token counters",
              make_fair_order},
    PolicyRow{"queue_order", "longest-prefix",
              "who finds the most tokens in the prefix cache first, then the first that came",
              make_longest_prefix_order},
    PolicyRow{"queue_order", "priority-arrival", "smaller priorities first, then by arrival"},

    PolicyRow{"admission", "whole-sequence", "the whole known sequence must fit now (reserve_full_isl: true)",
              make_whole_sequence_admission},
    PolicyRow{"admission", "first-chunk", "the first chunk must fit now (reserve_full_isl: false)",
              make_first_chunk_admission},
    PolicyRow{"admission", "prompt-and-max", "prompt and declared maximum must fit beside those of all that run",
              make_prompt_and_max_admission},
    PolicyRow{"admission", "ratio-weighted",
              "prompt and maximum must fit beside a share of what those that run may still generate",
              make_ratio_weighted_admission},
    PolicyRow{"admission", "peak-estimate", "the highest point that memory can come to must fit",
              make_peak_estimate_admission},
    PolicyRow{"admission", "whole-life", "memory for the whole life is reserved now"},
    PolicyRow{"admission", "declared-maximum",
              "the prompt and all that the client asked for must fit, besides the same of all that generate"},
    PolicyRow{"admission", "next-step", "the blocks of the next step must fit; of a prompt those of all of it"},
    PolicyRow{"admission", "closed-batch", "as declared-maximum, and only while nobody generates"},
    PolicyRow{"admission", "new-token-ratio",
              "prompt and max_tokens must fit beside a share of what running requests may still generate"},
    PolicyRow{"admission", "whole-allocated", "the whole known sequence must fit now, and takes all its blocks"},

    PolicyRow{"victim", "none", "nobody is evicted"},
    PolicyRow{"victim", "last-in-list", "the last of the list that has started, which may be the requester itself"},
    PolicyRow{"victim", "last-admitted", "the sequence admitted last, which may be the requester itself",
              make_last_admitted_victim},
    PolicyRow{"victim", "lowest-priority", "the least urgent, and of those the last that came",
              make_lowest_priority_victim},
    PolicyRow{"victim", "fewest-generated", "the sequence with the fewest generated tokens, then the longest prompt",
              make_fewest_generated_victim},
    PolicyRow{"victim", "most-reclaimable-blocks", "the sequence whose eviction frees most blocks",
              make_most_reclaimable_blocks_victim},
    PolicyRow{"victim", "least-recompute", "the sequence that loses the fewest computed tokens",
              make_least_recompute_victim},
    PolicyRow{"victim", "latest-arrival", "the running sequence that came last", make_latest_arrival_victim},

    PolicyRow{"destination", "head", "a victim heads the queue"},
    PolicyRow{"destination", "tail", "a victim waits behind all others"},
    PolicyRow{"destination", "same-place", "a victim waits before all that arrived after it"},
    PolicyRow{"destination", "by-key", "a victim waits where the order of the queue puts it"},

    PolicyRow{"kv_fate", "dropped", "a victim's KV is lost and recomputed", make_dropped_fate},
    PolicyRow{"kv_fate", "swapped", "a victim's KV moves to the host, where that has room", make_swapped_fate},
    PolicyRow{"kv_fate", "cheaper", "swapped where that is predicted to take less time than to recompute",
              make_cheaper_fate},

    PolicyRow{"after_eviction", "wait", "a pass that evicted admits nobody"},
    PolicyRow{"after_eviction", "admit",
              "a pass that evicted goes on to admit, the victim too where it heads the queue"},
};
constexpr std::array<std::string_view, 4> destinations{"head", "tail", "same-place", "by-key"};

constexpr std::array<std::string_view, 7> vllm_v1_policies{
    "running-first", "fcfs", "whole-sequence", "last-admitted", "head", "dropped", "wait"};
constexpr std::array<std::string_view, 12> vllm_v1_knobs{"async",
                                                         "drop_in_flight",
                                                         "defer_frees",
                                                         "max_num_batched_tokens",
                                                         "long_prefill_token_threshold",
                                                         "enable_chunked_prefill",
                                                         "reserve_full_isl",
                                                         "watermark",
                                                         "prefix_caching",
                                                         "host_cache",
                                                         "remote_loads",
                                                         "speculative"};
constexpr std::array<std::string_view, 10> vllm_v1_open{"queue_order", "admission", "victim",  "head", "tail",
                                                        "same-place",  "by-key",    "kv_fate", "wait", "admit"};

constexpr std::array<std::string_view, 3> orca_policies{"running-first", "whole-life", "fcfs"};
constexpr std::array<std::string_view, 1> orca_knobs{"reservation"};
constexpr std::array<std::string_view, 3> static_batch_policies{"batch-by-batch", "whole-life", "fcfs"};
constexpr std::array<std::string_view, 2> static_batch_knobs{"reservation", "finished_slots"};
constexpr std::array<std::string_view, 4> trtllm_guaranteed_no_evict_policies{"list-order", "declared-maximum",
                                                                              "priority-arrival", "none"};
constexpr std::array<std::string_view, 6> trtllm_max_utilization_policies{
    "list-order", "next-step", "priority-arrival", "last-in-list", "same-place", "dropped"};
constexpr std::array<std::string_view, 4> trtllm_static_batch_policies{"list-order", "closed-batch", "priority-arrival",
                                                                       "none"};
constexpr std::array<std::string_view, 5> trtllm_knobs{"enable_block_reuse", "max_num_batched_tokens", "max_batch_size",
                                                       "max_num_tokens", "context_chunking_policy"};

constexpr std::array<std::string_view, 4> sjf_policies{"running-first", "sjf", "prompt-and-max", "dropped"};
constexpr std::array<std::string_view, 4> vtc_policies{"running-first", "fair", "peak-estimate", "dropped"};
constexpr std::array<std::string_view, 4> srpt_policies{"ranked", "srpt", "whole-sequence", "dropped"};
constexpr std::array<std::string_view, 2> mlfq_policies{"levels", "whole-sequence"};
constexpr std::array<std::string_view, 2> chunked_knobs{"max_num_batched_tokens", "long_prefill_token_threshold"};
constexpr std::array<std::string_view, 1> srpt_knobs{"max_num_batched_tokens"};
constexpr std::array<std::string_view, 2> mlfq_knobs{"max_num_batched_tokens", "mlfq"};
constexpr std::array<std::string_view, 7> sglang_policies{
    "prefill-first", "fcfs", "new-token-ratio", "fewest-generated", "tail", "dropped", "wait"};
constexpr std::array<std::string_view, 1> sglang_knobs{"async"};
constexpr std::array<std::string_view, 7> vllm_v0_policies{
    "prefill-first", "fcfs", "whole-allocated", "latest-arrival", "head", "dropped", "wait"};
constexpr std::array<std::string_view, 7> vllm_v0_knobs{
    "max_num_batched_tokens", "enable_chunked_prefill", "watermark",     "preemption_mode",
    "append_check",           "delay_factor",           "prefix_caching"};
constexpr std::array<std::string_view, 1> vllm_v0_open{"kv_fate"};

constexpr std::array<std::string_view, 7> sarathi_policies{
    "decode-first", "fcfs", "whole-allocated", "latest-arrival", "head", "dropped", "admit"};
constexpr std::array<std::string_view, 2> sarathi_knobs{"watermark", "chunk_size"};

bool vllm_v1_swaps(const SchedulerSpec& scheduler) {
  return scheduler.policies.kv_fate && *scheduler.policies.kv_fate != "dropped";
}

constexpr std::array engines{
    EngineRow{"vllm-v1",
              "vLLM V1 scheduler, upstream state of August 2026: FCFS or by priority, running first, chunked prefill, "
              "preemption by recompute",
              true, make_vllm_v1, vllm_v1_policies, vllm_v1_knobs, vllm_v1_open, vllm_v1_swaps},
    EngineRow{"orca", "iteration-level scheduling with memory reserved for whole lives (Orca, OSDI 2022)", false,
              make_orca, orca_policies, orca_knobs},
    EngineRow{"static-batch", "request-level batching: nobody joins a batch that runs (FasterTransformer)", false,
              make_static_batch, static_batch_policies, static_batch_knobs},
    EngineRow{
        "trtllm-guaranteed-no-evict",
        "TensorRT-LLM's default: who starts has room for its prompt and all the tokens it asked for, so nobody is "
        "ever paused",
        false, make_trtllm_guaranteed_no_evict, trtllm_guaranteed_no_evict_policies, trtllm_knobs},
    EngineRow{
        "trtllm-max-utilization",
        "TensorRT-LLM's MAX_UTILIZATION: who has room for the next step runs, and the last of the list that started "
        "is paused where blocks are short",
        false, make_trtllm_max_utilization, trtllm_max_utilization_policies, trtllm_knobs},
    EngineRow{"trtllm-static-batch", "TensorRT-LLM's STATIC_BATCH: nobody joins while anybody generates", false,
              make_trtllm_static_batch, trtllm_static_batch_policies, trtllm_knobs},
    EngineRow{"sjf", "the shortest predicted output is next; nobody loses its place", false, make_sjf, sjf_policies,
              chunked_knobs},
    EngineRow{"vtc", "fair shares by virtual token counters (OSDI 2024)", false, make_vtc, vtc_policies, chunked_knobs},
    EngineRow{"srpt", "the shortest predicted rest runs, and takes the place of longer ones at any pass", false,
              make_srpt, srpt_policies, srpt_knobs},
    EngineRow{"mlfq",
              "skip-join multi-level feedback queue with swapping ahead of need (FastServe)",
              false,
              make_mlfq,
              mlfq_policies,
              mlfq_knobs,
              {},
              [](const SchedulerSpec&) { return true; }},
    EngineRow{
        "sglang",
        "SGLang scheduler, upstream state of August 2026: prompts first, admission by an estimate of what running "
        "requests will need, retraction where it was too low",
        false, make_sglang, sglang_policies, sglang_knobs},
    EngineRow{
        "vllm-v0",
        "vLLM V0 scheduler: FCFS, whole prompts in steps of their own or chunks beside decodes, preemption of the "
        "last arrived by recompute or by swapping to the host",
        false, make_vllm_v0, vllm_v0_policies, vllm_v0_knobs, vllm_v0_open, vllm_v0_swaps},
    EngineRow{"sarathi", "Sarathi-Serve scheduler: every decode in every step, prompts in chunks beside them, FCFS",
              false, make_sarathi, sarathi_policies, sarathi_knobs},
};

template <class Make>
auto made(std::string_view axis, const std::optional<std::string>& chosen, std::string_view own,
          const ServerConfig& server) {
  const std::string_view name = chosen ? std::string_view(*chosen) : own;
  const PolicyRow* row = find_policy(axis, name);
  const Make* make = row != nullptr ? std::get_if<Make>(&row->make) : nullptr;
  if (make == nullptr)
    throw std::invalid_argument("nothing makes the policy '" + std::string(name) + "' on the axis " +
                                std::string(axis));
  return (*make)(server);
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// An axis is open to all that is made for it, not to what is a branch of some engine.
bool is_open(const EngineRow& engine, const PolicyRow& policy) {
  const bool made_for_axis = !std::holds_alternative<std::monostate>(policy.make);
  return (made_for_axis && contains(engine.open, policy.axis)) || contains(engine.open, policy.name);
}

}  // namespace

std::span<const PolicyRow> policy_table() { return policies; }
std::span<const EngineRow> engine_table() { return engines; }

const PolicyRow* find_policy(std::string_view axis, std::string_view name) {
  for (const PolicyRow& row : policies) {
    if (row.axis == axis && row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string_view> policy_names(std::string_view axis) {
  std::vector<std::string_view> names;
  for (const PolicyRow& row : policies) {
    if (row.axis == axis) names.push_back(row.name);
  }
  return names;
}

bool sorts_queue(std::string_view queue_order) {
  const PolicyRow* row = find_policy("queue_order", queue_order);
  return row != nullptr && std::holds_alternative<MakeQueueOrder>(row->make);
}

std::unique_ptr<QueueOrder> make_queue_order(const ServerConfig& server, std::string_view own) {
  const std::optional<std::string>& chosen = server.scheduler.policies.queue_order;
  if (chosen ? !sorts_queue(*chosen) : !sorts_queue(own)) return nullptr;
  return made<MakeQueueOrder>("queue_order", chosen, own, server);
}

std::unique_ptr<AdmissionTest> make_admission(const ServerConfig& server, std::string_view own) {
  return made<MakeAdmission>("admission", server.scheduler.policies.admission, own, server);
}

std::unique_ptr<VictimChoice> make_victim(const ServerConfig& server, std::string_view own) {
  return made<MakeVictim>("victim", server.scheduler.policies.victim, own, server);
}

std::unique_ptr<FateChoice> make_fate(const ServerConfig& server, std::string_view own) {
  return made<MakeFate>("kv_fate", server.scheduler.policies.kv_fate, own, server);
}
Destination destination_of(const ServerConfig& server, std::string_view own) {
  const std::optional<std::string>& chosen = server.scheduler.policies.destination;
  const std::string_view name = chosen ? std::string_view(*chosen) : own;
  const auto found = std::find(destinations.begin(), destinations.end(), name);
  if (found == destinations.end()) throw std::invalid_argument("there is no destination '" + std::string(name) + "'");
  return static_cast<Destination>(found - destinations.begin());
}

const EngineRow* find_engine(std::string_view name) {
  for (const EngineRow& row : engines) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string_view queue_order_of(const SchedulerSpec& scheduler) {
  if (scheduler.policies.queue_order) return *scheduler.policies.queue_order;
  const EngineRow* row = find_engine(scheduler.engine);
  return row != nullptr ? own_policy(*row, "queue_order") : std::string_view{};
}

std::string_view admission_of(const SchedulerSpec& scheduler) {
  if (scheduler.policies.admission) return *scheduler.policies.admission;
  const EngineRow* row = find_engine(scheduler.engine);
  return row != nullptr ? own_policy(*row, "admission") : std::string_view{};
}

bool goes_by_length(const SchedulerSpec& scheduler) {
  const std::string_view order = queue_order_of(scheduler);
  return order == "sjf" || order == "srpt";
}

bool engine_reads(std::string_view engine, std::string_view knob) {
  const EngineRow* row = find_engine(engine);
  return row != nullptr && contains(row->knobs, knob);
}

bool engine_opens(std::string_view engine, std::string_view axis) {
  const EngineRow* row = find_engine(engine);
  if (row == nullptr) return false;
  return std::any_of(policies.begin(), policies.end(),
                     [&](const PolicyRow& policy) { return policy.axis == axis && is_open(*row, policy); });
}

bool engine_takes(const EngineRow& engine, const PolicyRow& policy) {
  return is_open(engine, policy) || own_policy(engine, policy.axis) == policy.name;
}

std::string_view own_policy(const EngineRow& engine, std::string_view axis) {
  for (std::string_view name : engine.policies) {
    if (find_policy(axis, name) != nullptr) return name;
  }
  return {};
}

bool may_swap(const SchedulerSpec& scheduler) {
  const EngineRow* row = find_engine(scheduler.engine);
  return row != nullptr && row->swaps != nullptr && row->swaps(scheduler);
}

}  // namespace decodesim
