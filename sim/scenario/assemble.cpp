#include "sim/scenario/assemble.hpp"

#include <variant>

#include "sim/model/memory_plan.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/load.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

// Where neither the scenario nor a model limits a sequence. Far above any real context, far below overflow.
constexpr std::int64_t no_model_len_limit = std::int64_t{1} << 40;

ScenarioError impossible(const Scenario& scenario, const std::string& code, const std::string& message,
                         const std::string& help) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = message;
  diagnostic.file = scenario.case_name.empty() ? scenario.name : scenario.name + " (case " + scenario.case_name + ")";
  diagnostic.help = help;
  return ScenarioError({diagnostic});
}

std::int64_t count_blocks(const Scenario& scenario) {
  if (scenario.memory.num_gpu_blocks) return *scenario.memory.num_gpu_blocks;
  const auto plan =
      plan_memory(scenario.model, scenario.hardware.gpu, scenario.parallel, scenario.precision, scenario.memory);
  if (const auto* error = std::get_if<PlanError>(&plan)) {
    throw impossible(scenario, "does-not-fit", error->message, "change " + error->key);
  }
  return std::get<MemoryPlan>(plan).num_blocks.value();
}

std::int64_t limit_model_len(const Scenario& scenario) {
  if (scenario.scheduler.max_model_len) return *scenario.scheduler.max_model_len;
  return scenario.model.layers > 0 ? scenario.model.max_model_len.value() : no_model_len_limit;
}

// Engines refuse to start where the pool cannot hold one sequence of the longest allowed length. Like vLLM's, the check
// counts the null block, so it can pass one block too early.
void check_startup(const Scenario& scenario, const ServerConfig& server, std::vector<std::string>& warnings) {
  const std::int64_t capacity = server.num_blocks * server.block_size;
  if (server.max_model_len == no_model_len_limit || capacity >= server.max_model_len) return;
  const std::string message = "the pool has " + std::to_string(capacity) +
                              " tokens as a server counts them, fewer than one sequence of max_model_len " +
                              std::to_string(server.max_model_len);
  if (scenario.scheduler.startup_check == StartupCheck::strict) {
    throw impossible(scenario, "pool-too-small", message,
                     "lower scheduler.max_model_len, raise memory.utilization, or take more GPUs");
  }
  warnings.push_back(message + "; a real server would refuse to start (scheduler.startup_check: strict does)");
}

constexpr std::string_view cost_names[] = {"fixed", "ideal", "roofline"};

}  // namespace

Assembly assemble(const Scenario& scenario, const std::string& version) {
  const EngineRow* engine = find_engine(scenario.scheduler.engine);
  if (engine == nullptr)
    throw impossible(scenario, "unknown-engine", "there is no engine '" + scenario.scheduler.engine + "'", "");

  if (const auto error = find_cost_error(scenario.cost, scenario.hardware, scenario.parallel)) {
    throw impossible(scenario, "impossible-cost", error->message, "change " + error->key);
  }

  Assembly parts;
  parts.cost = make_cost_model(scenario.cost, scenario.model, scenario.hardware, scenario.parallel, scenario.precision);
  parts.source = make_request_source(scenario.workload, scenario.run.seed);

  ServerConfig& server = parts.server;
  server.scheduler = scenario.scheduler;
  server.serving = scenario.serving;
  server.num_blocks = count_blocks(scenario);
  server.usable_blocks = server.num_blocks - (engine->keeps_null_block ? 1 : 0);
  if (server.usable_blocks < 1) {
    throw impossible(scenario, "does-not-fit", "the pool has no block that a request could use",
                     "raise memory.num_gpu_blocks or memory.utilization; vllm-v1 keeps one block as its null block");
  }
  server.block_size = scenario.memory.block_size;
  server.max_model_len = limit_model_len(scenario);
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
  check_startup(scenario, server, header.warnings);
  return parts;
}

}  // namespace decodesim
