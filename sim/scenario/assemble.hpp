#pragma once
// The one place where parts are joined: from a scenario to what a run needs.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"
#include "sim/serving/simulation.hpp"
#include "sim/workload/request_source.hpp"

namespace decodesim {

/// A scenario put together. `server` points to `cost`, so an assembly moves but is not copied.
struct Assembly {
  std::unique_ptr<CostModel> cost;
  ServerConfig server;
  std::unique_ptr<RequestSource> source;
  RunHeader header;
  std::map<std::string, SloSpec> class_slos;  // of SLO classes that have limits of their own
};

/// What the scenario deploys, in words: "llama-3-70b with bf16 weights and bf16 KV cache, tp 8 on hgx-h100". Says so where
/// there is no model or it has no name; a node without a name is left out.
std::string deployment_text(const Scenario& scenario);

/// Joins the parts of `scenario`, which load_scenarios() found able to work; `version` is the program's. Throws TraceError
/// where its trace cannot be read, and ScenarioError where its memory can be planned but not played: pipeline stages,
/// blocks of several kinds of layers.
Assembly assemble(const Scenario& scenario, const std::string& version);

}  // namespace decodesim
