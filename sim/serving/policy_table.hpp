#pragma once
// Every policy by axis and name, and every engine as a tuple of them.

#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/serving/policy_axes.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

using MakeQueueOrder = std::unique_ptr<QueueOrder> (*)(const ServerConfig& server);
using MakeAdmission = std::unique_ptr<AdmissionTest> (*)(const ServerConfig& server);
using MakeVictim = std::unique_ptr<VictimChoice> (*)(const ServerConfig& server);
using MakeFate = std::unique_ptr<FateChoice> (*)(const ServerConfig& server);

/// A policy: a word of a scenario, and what makes it where it is code of its own and not a branch of an engine.
struct PolicyRow {
  std::string_view axis;  // as the key of `scheduler` that chooses on it
  std::string_view name;
  std::string_view doc;
  std::variant<std::monostate, MakeQueueOrder, MakeAdmission, MakeVictim, MakeFate> make{};
};
std::span<const PolicyRow> policy_table();
/// The policy of this name on this axis, or nothing.
const PolicyRow* find_policy(std::string_view axis, std::string_view name);
/// The names on an axis, in the order of the table.
std::vector<std::string_view> policy_names(std::string_view axis);

/// The policy that `chosen` names, or else `own`. Throws std::invalid_argument where no row on its axis makes it. A queue
/// order that is not made is fcfs.
std::unique_ptr<QueueOrder> make_queue_order(const ServerConfig& server, std::string_view own);
std::unique_ptr<AdmissionTest> make_admission(const ServerConfig& server, std::string_view own);
std::unique_ptr<VictimChoice> make_victim(const ServerConfig& server, std::string_view own);
std::unique_ptr<FateChoice> make_fate(const ServerConfig& server, std::string_view own);
Destination destination_of(const ServerConfig& server, std::string_view own);
/// Does this queue order sort the queue by a key, so that a victim has no other place than that of its key?
bool sorts_queue(std::string_view queue_order);

/// An engine: a name for one choice on every axis.
struct EngineRow {
  std::string_view name;
  std::string_view doc;
  bool keeps_null_block;  // one of the blocks that its log prints is never handed out
  EngineParts (*make)(const ServerConfig& server);
  std::span<const std::string_view> policies;   // its choice on every axis, under the default knobs
  std::span<const std::string_view> knobs;      // the fields of `scheduler` that it reads, beside those of every engine
  std::span<const std::string_view> open = {};  // what a scenario may choose: axes, for all made for them, or names
  bool (*swaps)(const SchedulerSpec& scheduler) = nullptr;  // may it move KV to the host? absent: never
};
std::span<const EngineRow> engine_table();
/// The engine of this name, or nothing.
const EngineRow* find_engine(std::string_view name);
/// The order of the queue and the admission test of this scheduler: what it chooses, or else its engine's own.
std::string_view queue_order_of(const SchedulerSpec& scheduler);
std::string_view admission_of(const SchedulerSpec& scheduler);
/// Does a policy of this scheduler go by how long outputs will be?
bool goes_by_length(const SchedulerSpec& scheduler);
/// Does the engine of this name read this field of `scheduler`?
bool engine_reads(std::string_view engine, std::string_view knob);
/// May this scheduler move KV to the host?
bool may_swap(const SchedulerSpec& scheduler);
/// May a scenario choose anything on this axis of the engine of this name?
bool engine_opens(std::string_view engine, std::string_view axis);
/// May a scenario choose this policy for this engine? The engine's own ones it always may.
bool engine_takes(const EngineRow& engine, const PolicyRow& policy);
/// The engine's own choice on an axis, under the default knobs; empty where it has none.
std::string_view own_policy(const EngineRow& engine, std::string_view axis);

}  // namespace decodesim
