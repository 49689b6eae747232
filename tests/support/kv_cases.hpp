#pragma once
// Start-up logs of real servers: what they printed of their memory, and the deployments they were.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/hardware/gpu_spec.hpp"
#include "sim/model/memory_plan.hpp"

namespace decodesim::tests {

inline constexpr double GiB = 1024.0 * 1024 * 1024;

/// One log, by the columns of data/kv_cases.csv. An absent figure is not a number but nothing.
struct KvCase {
  std::map<std::string, std::string> cells;

  [[nodiscard]] const std::string& text(const std::string& column) const { return cells.at(column); }
  [[nodiscard]] std::optional<double> number(const std::string& column) const;
  [[nodiscard]] std::string id() const { return text("id"); }
};

/// All of them, or nothing where the file is absent.
std::optional<std::vector<KvCase>> kv_cases();

/// What plan_memory() takes.
struct LoggedServer {
  ModelSpec model;
  GpuSpec gpu;
  ParallelSpec parallel{1};
  PrecisionSpec precision;
  MemorySpec memory;
  ServerLimits limits{2048, 256, 0};

  [[nodiscard]] std::variant<MemoryPlan, PlanError> plan() const {
    return plan_memory(model, gpu, parallel, precision, memory, limits);
  }
};

/// The server of a log, with the shape that its row and its note state, and nothing of its overheads.
LoggedServer logged_server(const KvCase& log);
/// The same with the KV bytes that the log prints as given.
LoggedServer with_logged_pool(const KvCase& log);
/// The same with the memory, the weights and the overheads that the log prints; nothing where it prints not all of them.
std::optional<LoggedServer> with_logged_overheads(const KvCase& log);
/// The same with what the log says of memory and utilization, or what its GPU's name and its engine say where it does not,
/// and default overheads. Nothing for models of images and audio, and where the utilization is not known.
std::optional<LoggedServer> with_default_overheads(const KvCase& log);

}  // namespace decodesim::tests
