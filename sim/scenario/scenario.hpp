#pragma once
// A scenario: plain Specs, complete and validated.

#include <cstdint>
#include <optional>
#include <string>

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
  ModelSpec model;
  NodeSpec hardware;  // `gpus` is what the scenario takes of the node
  ParallelSpec parallel;
  PrecisionSpec precision;
  MemorySpec memory;
  SchedulerSpec scheduler;
  ServingSpec serving;
  CostSpec cost;
  WorkloadSpec workload;
  RunSpec run;
  SloSpec slo;
};

}  // namespace decodesim
