#include "sim/model/cost/links.hpp"

#include <string>

#include "sim/model/cost/kinds.hpp"

namespace decodesim::cost {

namespace {

std::optional<PlanError> find_link_error(const CostSpec& cost, const NodeSpec& node, int ranks) {
  const Topology topology = expand(node);
  if (!topology.errors.empty()) return PlanError{"hardware.links", topology.errors.front().message};
  const GroupLinks links = group_links(topology.graph, ranks);
  const auto algorithm = only(cost.all_reduce);
  if (!all_reduce_lines(links, algorithm).empty()) return std::nullopt;
  const std::string name(all_reduce_algorithm_names[static_cast<std::size_t>(*algorithm)]);
  const std::string why = *algorithm == AllReduceAlgorithm::in_network
                              ? "needs switches that reduce (in_network_reduction) and that all ranks are linked to"
                              : "needs a link or a switch between every two ranks, not a path through the host";
  return PlanError{"cost.all_reduce", name + " " + why + "; write cheapest or ring"};
}

}  // namespace

std::optional<AllReduceAlgorithm> only(AllReduceChoice choice) {
  switch (choice) {
    case AllReduceChoice::cheapest:
      return std::nullopt;
    case AllReduceChoice::one_shot:
      return AllReduceAlgorithm::one_shot;
    case AllReduceChoice::two_shot:
      return AllReduceAlgorithm::two_shot;
    case AllReduceChoice::ring:
      return AllReduceAlgorithm::ring;
    case AllReduceChoice::in_network:
      return AllReduceAlgorithm::in_network;
  }
  return std::nullopt;
}

std::optional<PlanError> find_operations_error(const CostSpec& cost, const NodeSpec& node,
                                               const ParallelSpec& parallel) {
  if (!(node.gpu.peak_bf16.value() > 0))
    return PlanError{"hardware", "the GPU '" + node.gpu.name + "' states no bf16 peak, which this cost model needs"};
  return parallel.tp > 1 ? find_link_error(cost, node, parallel.tp) : std::nullopt;
}

}  // namespace decodesim::cost
