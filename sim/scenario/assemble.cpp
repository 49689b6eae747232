#include "sim/scenario/assemble.hpp"

#include <variant>

#include "sim/core/check.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/pool.hpp"

namespace decodesim {

namespace {

constexpr std::string_view cost_names[] = {"fixed", "ideal", "roofline"};

}  // namespace

Assembly assemble(const Scenario& scenario, const std::string& version) {
  const auto plan = plan_pool(scenario);
  check(std::holds_alternative<Pool>(plan), "a loaded scenario has a pool");
  const Pool& pool = std::get<Pool>(plan);

  Assembly parts;
  parts.cost = make_cost_model(scenario.cost, scenario.model, scenario.hardware, scenario.parallel, scenario.precision);
  parts.source = make_request_source(scenario.workload, scenario.run.seed);

  ServerConfig& server = parts.server;
  server.scheduler = scenario.scheduler;
  server.serving = scenario.serving;
  server.num_blocks = pool.num_blocks;
  server.usable_blocks = pool.usable_blocks;
  server.block_size = scenario.memory.block_size;
  server.max_model_len = model_len_limit(scenario);
  server.cost = parts.cost.get();
  if (scenario.cost.model == CostKind::fixed) server.grid_step = scenario.cost.step;

  RunHeader& header = parts.header;
  header.version = version;
  header.scenario = scenario.name;
  header.case_name = scenario.case_name;
  header.hash = scenario_hash(scenario);
  header.seed = scenario.run.seed;
  header.requests = parts.source->count();
  header.num_blocks = server.num_blocks;
  header.usable_blocks = server.usable_blocks;
  header.block_size = server.block_size;
  header.closed_loop = parts.source->concurrency().has_value();
  header.cost_model = cost_names[static_cast<std::size_t>(scenario.cost.model)];
  header.defaults = defaults_in_effect(scenario);
  if (const auto objection = startup_objection(scenario, pool)) {
    header.warnings.push_back(*objection +
                              "; a real server would refuse to start (scheduler.startup_check: strict does)");
  }
  return parts;
}

}  // namespace decodesim
