#include "sim/scenario/assemble.hpp"

#include <filesystem>
#include <utility>
#include <variant>

#include "sim/core/check.hpp"
#include "sim/core/precision.hpp"
#include "sim/hardware/peak.hpp"
#include "sim/model/cost_fields.hpp"
#include "sim/model/draft.hpp"
#include "sim/model/operations.hpp"
#include "sim/scenario/class_slos.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/host_memory.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/policy_notes.hpp"
#include "sim/scenario/pool.hpp"

namespace decodesim {

namespace {

std::string format_name(Precision precision) {
  return std::string(precision_names[static_cast<std::size_t>(precision)]);
}

/// The catalog calls what was changed "like NAME".
std::string spoken_name(const std::string& entry) {
  return entry.starts_with("like ") ? "a variant of " + entry.substr(5) : entry;
}

/// How the user of such a workload makes a run longer.
std::string more_requests(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::requests:
      return "add to workload.requests";
    case WorkloadKind::trace:
      return "take a longer workload.trace";
    case WorkloadKind::generator:
      return "raise workload.num_requests";
  }
  return {};
}

[[noreturn]] void refuse(const Scenario& scenario, const PlanError& error) {
  Diagnostic diagnostic;
  diagnostic.code = "unsupported";
  diagnostic.message = error.message;
  diagnostic.file = scenario.files.empty() ? scenario.name : scenario.files.back();
  diagnostic.help = "change " + error.key;
  throw ScenarioError({diagnostic});
}

void describe_deployment(const Scenario& scenario, RunHeader& header) {
  header.deployment = deployment_text(scenario);
  header.node = scenario.hardware.name;
  header.tp = scenario.parallel.tp;
  header.engine = scenario.scheduler.engine;
  header.draft_tokens = scenario.scheduler.speculative.draft_tokens;
  header.victim_rule = victim_rule(scenario.scheduler);
  header.oracles = oracles_of(scenario.scheduler);
  if (scenario.model.layers == 0) return;  // number formats are those of a model
  header.model = scenario.model.name;
  header.weights = format_name(scenario.precision.weights);
  header.kv_cache = format_name(scenario.precision.kv_cache);
}

}  // namespace

std::string deployment_text(const Scenario& scenario) {
  std::string text = "no model";
  if (scenario.model.layers > 0) {
    text = (scenario.model.name.empty() ? "a model without a name" : spoken_name(scenario.model.name)) + " with " +
           format_name(scenario.precision.weights) + " weights and " + format_name(scenario.precision.kv_cache) +
           " KV cache, tp " + std::to_string(scenario.parallel.tp);
  }
  return scenario.hardware.name.empty() ? text : text + " on " + spoken_name(scenario.hardware.name);
}

Assembly assemble(const Scenario& scenario, const std::string& version) {
  if (const auto error = unplayable(scenario)) refuse(scenario, *error);
  const auto plan = plan_pool(scenario);
  check(std::holds_alternative<Pool>(plan), "a loaded scenario has a pool");
  const Pool& pool = std::get<Pool>(plan);
  const auto host = plan_host(scenario);
  check(std::holds_alternative<HostMemory>(host), "a loaded scenario knows its host memory");

  Assembly parts;
  parts.cost = make_cost_model(scenario.cost, scenario.model, scenario.hardware, scenario.parallel, scenario.precision);
  parts.cost = with_draft_of(std::move(parts.cost), scenario.scheduler.speculative, scenario.cost, scenario.model,
                             scenario.hardware, scenario.parallel, scenario.precision);
  if (scenario.scheduler.async) parts.cost = with_host_beside_device(std::move(parts.cost));
  parts.source = make_request_source(scenario.workload, scenario.run.seed, model_len_limit(scenario));

  ServerConfig& server = parts.server;
  server.scheduler = scenario.scheduler;
  server.serving = scenario.serving;
  server.num_blocks = pool.num_blocks;
  server.usable_blocks = pool.usable_blocks;
  server.block_size = scenario.memory.block_size;
  server.host_blocks = std::get<HostMemory>(host).blocks;
  server.host = std::get<HostMemory>(host).transfer;
  server.host_cache = std::get<HostMemory>(host).cache;
  server.prefix_caching = scenario.memory.prefix_caching;
  server.uncached_free_to_front = scenario.memory.uncached_free_to_front;
  server.max_model_len = model_len_limit(scenario);
  server.attention_clip = attention_clip(scenario.model);
  server.seed = scenario.run.seed;
  server.cost = parts.cost.get();
  if (scenario.cost.model == CostKind::fixed) server.grid_step = scenario.cost.step;

  parts.class_slos = class_slos(scenario.slo, scenario.workload);

  RunHeader& header = parts.header;
  header.version = version;
  header.scenario = scenario.name;
  header.case_name = scenario.case_name;
  header.hash = scenario_hash(scenario);
  header.seed = scenario.run.seed;
  header.requests = parts.source->count();
  header.requests_known = ends_by_itself(scenario.workload);
  if (const TraceAccount* account = parts.source->trace_account()) {
    header.trace = *account;
    // Where the file lies is this machine's; a report is the same on all.
    header.trace->file = std::filesystem::path(account->file).filename().string();
  }
  header.num_blocks = server.num_blocks;
  header.usable_blocks = server.usable_blocks;
  header.block_size = server.block_size;
  if (server.max_model_len != no_model_len_limit) header.max_model_len = server.max_model_len;
  header.moved_block = server.host.bytes(1);
  header.prompts_arrive_computed = scenario.serving.prefill == PrefillMode::arrives_computed;
  header.closed_loop = parts.source->concurrency().has_value();
  header.closes = parts.source->closes();
  header.cost_model = cost_kind_names[static_cast<std::size_t>(scenario.cost.model)];
  if (scenario.cost.model != CostKind::fixed) {
    const GpuSpec& gpu = scenario.hardware.gpu;
    header.bound = {gpu.hbm_bandwidth * scenario.parallel.tp, highest_peak(gpu) * scenario.parallel.tp};
  }
  header.more_requests = more_requests(scenario.workload.kind);
  describe_deployment(scenario, header);
  header.defaults = defaults_in_effect(scenario);
  for (std::string& warning : pool_warnings(scenario, pool)) header.warnings.push_back(std::move(warning));
  return parts;
}

}  // namespace decodesim
