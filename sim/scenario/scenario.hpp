#pragma once
// A scenario: plain Specs, complete and validated.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hardware/node_spec.hpp"
#include "sim/model/cost_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/report/report_spec.hpp"
#include "sim/serving/serving_spec.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

struct Scenario {
  int version = 1;
  std::string name;
  std::string case_name;  // the entry of `cases` it comes from; empty: the file has none
  ModelSpec model;        // no layers where the scenario names none: cost `fixed` and given blocks need no model
  NodeSpec hardware;      // `gpus` is what the scenario takes of the node
  ParallelSpec parallel;  // `tp` is resolved, at least 1
  PrecisionSpec precision;
  MemorySpec memory;
  SchedulerSpec scheduler;
  ServingSpec serving;
  CostSpec cost;
  WorkloadSpec workload;
  RunSpec run;
  SloSpec slo;
  std::vector<std::string>
      files;  // that it was read from: its own, its bases and the catalog's; the trace is the workload's
  std::vector<std::string>
      stated;  // sorted paths of what the files, the catalog and `--set` wrote; the rest are defaults

  [[nodiscard]] bool states(std::string_view path) const {
    return std::binary_search(stated.begin(), stated.end(), path);
  }
};

}  // namespace decodesim
