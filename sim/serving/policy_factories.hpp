#pragma once
// What makes each policy and each engine; one file each, in the folder of its axis or in schedulers/.

#include "sim/serving/policy_table.hpp"

namespace decodesim {

std::unique_ptr<QueueOrder> make_deadline_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_fair_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_longest_prefix_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_priority_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_random_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_sjf_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_srpt_order(const ServerConfig& server);

std::unique_ptr<AdmissionTest> make_first_chunk_admission(const ServerConfig& server);
std::unique_ptr<AdmissionTest> make_peak_estimate_admission(const ServerConfig& server);
std::unique_ptr<AdmissionTest> make_prompt_and_max_admission(const ServerConfig& server);
std::unique_ptr<AdmissionTest> make_ratio_weighted_admission(const ServerConfig& server);
std::unique_ptr<AdmissionTest> make_whole_sequence_admission(const ServerConfig& server);

std::unique_ptr<VictimChoice> make_last_admitted_victim(const ServerConfig& server);
std::unique_ptr<VictimChoice> make_lowest_priority_victim(const ServerConfig& server);
std::unique_ptr<VictimChoice> make_fewest_generated_victim(const ServerConfig& server);
std::unique_ptr<VictimChoice> make_most_reclaimable_blocks_victim(const ServerConfig& server);
std::unique_ptr<VictimChoice> make_least_recompute_victim(const ServerConfig& server);
std::unique_ptr<VictimChoice> make_latest_arrival_victim(const ServerConfig& server);

EngineParts make_mlfq(const ServerConfig& server);
EngineParts make_sjf(const ServerConfig& server);
EngineParts make_srpt(const ServerConfig& server);
std::unique_ptr<FateChoice> make_dropped_fate(const ServerConfig& server);
std::unique_ptr<FateChoice> make_swapped_fate(const ServerConfig& server);
std::unique_ptr<FateChoice> make_cheaper_fate(const ServerConfig& server);

EngineParts make_vllm_v1(const ServerConfig& server);
EngineParts make_vtc(const ServerConfig& server);
EngineParts make_orca(const ServerConfig& server);
EngineParts make_static_batch(const ServerConfig& server);
EngineParts make_trtllm_guaranteed_no_evict(const ServerConfig& server);
EngineParts make_trtllm_max_utilization(const ServerConfig& server);
EngineParts make_trtllm_static_batch(const ServerConfig& server);
EngineParts make_sglang(const ServerConfig& server);
EngineParts make_vllm_v0(const ServerConfig& server);
EngineParts make_sarathi(const ServerConfig& server);

bool vllm_v0_swaps(const SchedulerSpec& scheduler);

}  // namespace decodesim
