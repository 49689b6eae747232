#include "sim/scenario/deployment_checks.hpp"

#include "sim/hardware/topology.hpp"
#include "sim/model/cost_model.hpp"
#include "sim/scenario/host_memory.hpp"
#include "sim/scenario/pool.hpp"

namespace decodesim {

namespace {

// The deepest part of the path that was written, or the line that names the hardware.
Position blame(const DocumentNode& tree, std::string_view path) {
  const bool written = tree.find(path.substr(0, path.find('.'))) != nullptr;
  return place_of(tree, written ? path : "hardware");
}

// Where the room for more memory is.
std::string more_room(const Scenario& scenario, const PlanError& error) {
  if (error.key != "parallel.tp") return "change " + error.key;
  const NodeSpec& node = scenario.hardware;
  if (scenario.parallel.tp < node.gpus)
    return "'hardware' has " + std::to_string(node.gpus) + " GPUs: raise parallel.tp";
  if (node.gpus < node.gpus_installed)
    return "the node has " + std::to_string(node.gpus_installed) + " GPUs: raise hardware.gpus";
  return "'decodesim list nodes' shows nodes with more or larger GPUs";
}

void check_links(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  for (const TopologyError& error : expand(scenario.hardware).errors) {
    const std::string path =
        error.link == TopologyError::whole_node ? "hardware" : "hardware.links[" + std::to_string(error.link) + "]";
    reading.error(place_of(tree, "hardware.links"), "wrong-link", "'" + path + "': " + error.message,
                  "a link's end is gpu, a switch's name or host, or a range such as gpu0-3");
  }
}

// Memory for layers of a kind that the model does not have.
void check_layers(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  if (scenario.memory.window_layers == WindowBlocks::apart && scenario.model.window_layers() == 0) {
    reading.error(place_of(tree, "memory.window_layers"), "no-effect",
                  "'memory.window_layers: apart' has no effect on a model without windowed layers", "remove it");
  }
  if (scenario.memory.state_slots && !scenario.model.has_states()) {
    reading.error(place_of(tree, "memory.state_slots"), "no-effect",
                  "'memory.state_slots' has no effect on a model without layers that keep a state", "remove it");
  }
}

}  // namespace

void check_deployment(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  const std::size_t before = reading.errors();
  check_layers(reading, tree, scenario);
  if (tree.find("hardware") != nullptr) check_links(reading, tree, scenario);
  if (reading.errors() > before) return;
  if (const auto error = find_cost_error(scenario.cost, scenario.hardware, scenario.parallel)) {
    reading.error(blame(tree, error->key), "impossible-cost", error->message, "change " + error->key);
  }
  const auto host = plan_host(scenario);
  if (const auto* error = std::get_if<PlanError>(&host)) {
    reading.error(blame(tree, tree.find("memory") != nullptr ? error->key : "scheduler.engine"), "missing-key",
                  error->message, "change " + error->key);
  }
  const auto plan = plan_pool(scenario);
  if (const auto* error = std::get_if<PlanError>(&plan)) {
    const bool refused = reading.shortage() == Shortage::refused;
    const auto report = refused ? &Reading::error : &Reading::warn;
    (reading.*report)(blame(tree, error->key), "does-not-fit", error->message, more_room(scenario, *error));
  } else if (scenario.scheduler.startup_check == StartupCheck::strict) {
    if (const auto objection = startup_objection(scenario, std::get<Pool>(plan))) {
      reading.error(blame(tree, "scheduler.startup_check"), "pool-too-small", *objection,
                    "lower scheduler.max_model_len, raise memory.utilization, or take more GPUs");
    }
  }
}

}  // namespace decodesim
