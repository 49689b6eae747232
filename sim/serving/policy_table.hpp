#pragma once
// Every policy by axis and name, and every engine as a tuple of them.

#include <memory>
#include <span>
#include <string_view>

#include "sim/serving/policy_axes.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

// The policies, one file each in the folder of their axis.
std::unique_ptr<AdmissionTest> make_first_chunk_admission();
std::unique_ptr<AdmissionTest> make_whole_sequence_admission();
std::unique_ptr<VictimChoice> make_last_admitted_victim();
std::unique_ptr<QueueOrder> make_deadline_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_random_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_sjf_order(const ServerConfig& server);
std::unique_ptr<QueueOrder> make_srpt_order(const ServerConfig& server);

// The engines, one file each in schedulers/.
EngineParts make_vllm_v1(const ServerConfig& server);
EngineParts make_orca(const ServerConfig& server);
EngineParts make_static_batch(const ServerConfig& server);
EngineParts make_trtllm_guaranteed_no_evict(const ServerConfig& server);
EngineParts make_trtllm_max_utilization(const ServerConfig& server);
EngineParts make_trtllm_static_batch(const ServerConfig& server);

/// A policy as `decodesim list policies` shows it.
struct PolicyRow {
  std::string_view axis;
  std::string_view name;
  std::string_view doc;
};
std::span<const PolicyRow> policy_table();

/// An engine: a name for one choice on every axis.
struct EngineRow {
  std::string_view name;
  std::string_view doc;
  bool keeps_null_block;  // one of the blocks that its log prints is never handed out
  EngineParts (*make)(const ServerConfig& server);
  std::span<const std::string_view> policies;  // its choice on every axis, under the default knobs
  std::span<const std::string_view> knobs;     // the fields of `scheduler` that it reads, beside those of every engine
  bool (*swaps)(const SchedulerSpec& scheduler) = nullptr;  // may it move KV to the host? absent: never
};
std::span<const EngineRow> engine_table();
/// The engine of this name, or nothing.
const EngineRow* find_engine(std::string_view name);
/// Does a policy of this scheduler go by how long outputs will be?
bool goes_by_length(const SchedulerSpec& scheduler);
/// Does the engine of this name read this field of `scheduler`?
bool engine_reads(std::string_view engine, std::string_view knob);
/// May this scheduler move KV to the host?
bool may_swap(const SchedulerSpec& scheduler);

}  // namespace decodesim
