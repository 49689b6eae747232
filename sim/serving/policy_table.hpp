#pragma once
// Every policy by axis and name, and every engine as a tuple of them.

#include <memory>
#include <span>
#include <string_view>

#include "sim/serving/policy_axes.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

std::unique_ptr<AdmissionTest> make_first_chunk_admission();
std::unique_ptr<AdmissionTest> make_whole_sequence_admission();
std::unique_ptr<VictimChoice> make_last_admitted_victim();

/// Running sequences first, then admissions, and none in a pass that preempted: vLLM V1.
std::unique_ptr<Scheduler> make_running_first(const SchedulerSpec& knobs, std::unique_ptr<AdmissionTest> admission,
                                              std::unique_ptr<VictimChoice> victim);

/// A policy as `decodesim list policies` shows it.
struct PolicyRow {
  std::string_view axis;
  std::string_view name;
  std::string_view doc;
};
std::span<const PolicyRow> policy_table();

/// An engine's preset: a name for one choice on every axis.
struct EngineRow {
  std::string_view name;
  std::string_view doc;
  bool keeps_null_block;  // one of the blocks that its log prints is never handed out
  std::unique_ptr<Scheduler> (*make)(const SchedulerSpec& knobs);
  std::span<const std::string_view> policies;  // its choice on every axis, under the default knobs
};
std::span<const EngineRow> engine_table();
/// The engine of this name, or nothing.
const EngineRow* find_engine(std::string_view name);

}  // namespace decodesim
