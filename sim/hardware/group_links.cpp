#include "sim/hardware/group_links.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Graph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, double,
                    boost::property<boost::edge_residual_capacity_t, double,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor,
                                                    boost::property<boost::edge_weight_t, double>>>>>;

/// Devices that a path may lead through besides its two ends, each step wider than the one before.
enum class Through { switches, host, group_gpus, anything };

struct Path {
  Seconds latency;
  BytesPerSecond bandwidth;
};

bool may_pass(const NodeGraph& node, std::size_t device, std::size_t ranks, Through through) {
  switch (node.devices[device].kind) {
    case DeviceKind::network_switch:
      return true;
    case DeviceKind::host:
      return through >= Through::host;
    case DeviceKind::gpu:
      return device < ranks ? through >= Through::group_gpus : through >= Through::anything;
  }
  return false;
}

/// The node's graph without the devices that a path from `a` to `b` may not touch.
Graph open_graph(const NodeGraph& node, std::size_t a, std::size_t b, std::size_t ranks, Through through) {
  Graph graph(node.devices.size());
  const auto open = [&](std::size_t device) {
    return device == a || device == b || may_pass(node, device, ranks, through);
  };
  for (const Link& link : node.links) {
    if (!open(link.from) || !open(link.to)) continue;
    const auto there = boost::add_edge(link.from, link.to, graph).first;
    const auto back = boost::add_edge(link.to, link.from, graph).first;
    for (const auto& edge : {there, back}) {
      boost::put(boost::edge_capacity, graph, edge, link.bandwidth.value());
      boost::put(boost::edge_weight, graph, edge, link.latency.value());
    }
    boost::put(boost::edge_reverse, graph, there, back);
    boost::put(boost::edge_reverse, graph, back, there);
  }
  return graph;
}

Path find_path(const NodeGraph& node, std::size_t a, std::size_t b, std::size_t ranks) {
  for (Through through : {Through::switches, Through::host, Through::group_gpus, Through::anything}) {
    Graph graph = open_graph(node, a, b, ranks, through);
    std::vector<double> distance(boost::num_vertices(graph));
    boost::dijkstra_shortest_paths(graph, a, boost::distance_map(distance.data()));
    if (distance[b] == std::numeric_limits<double>::max()) continue;
    return {Seconds(distance[b]), BytesPerSecond(boost::edmonds_karp_max_flow(graph, a, b))};
  }
  check(false, "two GPUs of a checked topology have no path between them");
  return {};
}

/// The paths between the GPUs of a group, one search for all pairs that look alike.
class Paths {
 public:
  Paths(const NodeGraph& node, std::size_t ranks) : node_(node), ranks_(ranks), kinds_(ranks) {
    using Attachment = std::tuple<std::size_t, BytesPerSecond, Seconds>;
    std::vector<std::vector<Attachment>> attachments(ranks);
    for (const Link& link : node.links) {
      for (const auto& [gpu, other] : {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
        // A GPU linked to GPUs has its own place among them, which nothing but its number tells.
        if (gpu < ranks) attachments[gpu].emplace_back(other < node.gpus ? gpu : other, link.bandwidth, link.latency);
      }
    }
    for (std::size_t gpu = 0; gpu < ranks; ++gpu)
      kinds_[gpu] = static_cast<std::size_t>(std::find(attachments.begin(), attachments.end(), attachments[gpu]) -
                                             attachments.begin());
  }

  const Path& between(std::size_t a, std::size_t b) {
    const auto [known, fresh] = found_.try_emplace(std::pair(kinds_[a], kinds_[b]));
    if (fresh) known->second = find_path(node_, a, b, ranks_);
    return known->second;
  }

 private:
  const NodeGraph& node_;
  std::size_t ranks_;
  std::vector<std::size_t> kinds_;  // of each GPU: the first one with the same links
  std::map<std::pair<std::size_t, std::size_t>, Path> found_;
};

/// Who is linked to whom, among the group's GPUs and the switches.
class Neighbours {
 public:
  Neighbours(const NodeGraph& node, std::size_t ranks) : node_(node), ranks_(ranks), width_(node.devices.size()) {
    bandwidth_.resize(width_ * width_);
    for (const Link& link : node.links) {
      bandwidth_[link.from * width_ + link.to] += link.bandwidth;
      bandwidth_[link.to * width_ + link.from] += link.bandwidth;
    }
  }

  [[nodiscard]] bool direct() const {
    for (std::size_t a = 0; a < ranks_; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (!linked(a, b) && !share_a_switch(a, b)) return false;
    return true;
  }

  /// Links to the group's GPUs and to switches that lead to one of them.
  [[nodiscard]] BytesPerSecond injection(std::size_t gpu) const {
    BytesPerSecond sum{0};
    for (std::size_t device = 0; device < width_; ++device) {
      const bool in_group = device < ranks_;
      const bool leads_there = is_switch(device) && count_group(device) > (linked(gpu, device) ? 1 : 0);
      if (in_group || leads_there) sum += bandwidth_[gpu * width_ + device];
    }
    return sum;
  }

  [[nodiscard]] BytesPerSecond reduction(std::size_t gpu) const {
    BytesPerSecond sum{0};
    for (std::size_t device = 0; device < width_; ++device)
      if (node_.devices[device].reduces && count_group(device) == ranks_) sum += bandwidth_[gpu * width_ + device];
    return sum;
  }

 private:
  [[nodiscard]] bool linked(std::size_t a, std::size_t b) const { return bandwidth_[a * width_ + b].value() > 0; }
  [[nodiscard]] bool is_switch(std::size_t device) const {
    return node_.devices[device].kind == DeviceKind::network_switch;
  }
  [[nodiscard]] std::size_t count_group(std::size_t device) const {
    std::size_t count = 0;
    for (std::size_t gpu = 0; gpu < ranks_; ++gpu) count += linked(gpu, device) ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool share_a_switch(std::size_t a, std::size_t b) const {
    for (std::size_t device = node_.gpus; device < width_; ++device)
      if (is_switch(device) && linked(a, device) && linked(b, device)) return true;
    return false;
  }

  const NodeGraph& node_;
  std::size_t ranks_;
  std::size_t width_;
  std::vector<BytesPerSecond> bandwidth_;
};

/// Finds paths between GPUs, and only once between GPUs that are wired alike: exchanging two of these leaves the graph as it
/// is. Nodes of real machines have one such pair, or a few.
class PathFinder {
 public:
  PathFinder(const NodeGraph& node, std::size_t ranks) : node_(node), ranks_(ranks) {
    std::vector<Wiring> wirings(node.gpus);
    for (const Link& link : node.links) {
      if (link.from < node.gpus) wirings[link.from].emplace_back(link.to, link.bandwidth.value(), link.latency.value());
      if (link.to < node.gpus) wirings[link.to].emplace_back(link.from, link.bandwidth.value(), link.latency.value());
    }
    std::map<Wiring, std::size_t> kinds;
    for (std::size_t gpu = 0; gpu < node.gpus; ++gpu) {
      kind_.push_back(kinds.emplace(without_names(std::move(wirings[gpu]), gpu), kinds.size()).first->second);
    }
  }

  const Path& between(std::size_t a, std::size_t b) {
    // GPUs within the group and outside of it differ in what may lead through them, but both ends are within.
    const auto [found, fresh] = known_.try_emplace(std::minmax(kind_[a], kind_[b]));
    if (fresh) found->second = find_path(node_, a, b, ranks_);
    return found->second;
  }

 private:
  using Wiring = std::vector<std::tuple<std::size_t, double, double>>;  // to what, bandwidth, latency

  /// A GPU that is linked alike to every other GPU has that written once, whoever they are. One that is linked to some GPUs
  /// only is like no other.
  [[nodiscard]] Wiring without_names(Wiring wiring, std::size_t gpu) const {
    std::sort(wiring.begin(), wiring.end());
    const auto first_other =
        std::find_if(wiring.begin(), wiring.end(), [&](const auto& joint) { return std::get<0>(joint) >= node_.gpus; });
    if (first_other == wiring.begin()) return wiring;
    bool uniform = static_cast<std::size_t>(first_other - wiring.begin()) + 1 == node_.gpus;
    for (auto joint = wiring.begin(); joint != first_other; ++joint) {
      const auto expected = static_cast<std::size_t>(joint - wiring.begin());
      uniform = uniform && std::get<0>(*joint) == expected + (expected >= gpu ? 1 : 0) &&
                std::get<1>(*joint) == std::get<1>(wiring.front()) &&
                std::get<2>(*joint) == std::get<2>(wiring.front());
    }
    const auto [to, bandwidth, latency] = wiring.front();
    wiring.erase(wiring.begin(), first_other);
    wiring.emplace_back(uniform ? node_.devices.size() : gpu, bandwidth, latency);
    return wiring;
  }

  const NodeGraph& node_;
  std::size_t ranks_;
  std::vector<std::size_t> kind_;  // by GPU
  std::map<std::pair<std::size_t, std::size_t>, Path> known_;
};

/// The worse of two paths in each respect.
void worsen(Seconds& latency, BytesPerSecond& bandwidth, const Path& path) {
  latency = std::max(latency, path.latency);
  bandwidth = std::min(bandwidth, path.bandwidth);
}

}  // namespace

GroupLinks group_links(const NodeGraph& graph, int ranks) {
  const auto group = static_cast<std::size_t>(ranks);
  check(ranks >= 1 && group <= graph.gpus, "a group has more GPUs than its node");
  GroupLinks links;
  links.ranks = ranks;
  if (ranks == 1) return links;

  const Neighbours neighbours(graph, group);
  links.direct = neighbours.direct();
  const BytesPerSecond unlimited{std::numeric_limits<double>::infinity()};
  links.injection_bandwidth = links.pair_bandwidth = links.ring_bandwidth = links.reduction_bandwidth = unlimited;
  for (std::size_t gpu = 0; gpu < group; ++gpu) {
    links.injection_bandwidth = std::min(links.injection_bandwidth, neighbours.injection(gpu));
    links.reduction_bandwidth = std::min(links.reduction_bandwidth, neighbours.reduction(gpu));
  }
  Paths paths(graph, group);
  for (std::size_t a = 0; a < group; ++a) {
    for (std::size_t b = a + 1; b < group; ++b) {
      const Path& path = paths.between(a, b);
      worsen(links.pair_latency, links.pair_bandwidth, path);
      const bool neighbours_in_the_ring = b == a + 1 || (a == 0 && b + 1 == group);
      if (neighbours_in_the_ring) worsen(links.ring_latency, links.ring_bandwidth, path);
    }
  }
  return links;
}

}  // namespace decodesim
