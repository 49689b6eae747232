#include "sim/hardware/topology.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

namespace decodesim {

namespace {

/// The devices of one name: places [first, first + count).
struct DeviceClass {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// A link whose bandwidth is still open.
struct OpenLink {
  std::size_t from;
  std::size_t to;
  const LinkSpec* spec;
  std::size_t number;  // of the spec
};

std::vector<DeviceClass> add_devices(const NodeSpec& node, NodeGraph& graph) {
  std::vector<DeviceClass> classes;
  const auto add = [&](const std::string& name, int count, DeviceKind kind, bool reduces) {
    const auto members = static_cast<std::size_t>(std::max(count, 0));
    classes.push_back({name, graph.devices.size(), members});
    for (std::size_t i = 0; i < members; ++i) {
      const bool alone = kind == DeviceKind::host;
      graph.devices.push_back({alone ? name : name + std::to_string(i), kind, reduces});
    }
  };
  add("gpu", node.gpus_installed > 0 ? node.gpus_installed : node.gpus, DeviceKind::gpu, false);
  for (const SwitchSpec& one : node.switches)
    add(one.name, one.count, DeviceKind::network_switch, one.in_network_reduction);
  add("host", 1, DeviceKind::host, false);
  graph.gpus = classes.front().count;
  return classes;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// What `text` names: members of a class, or a message.
struct End {
  std::size_t first = 0;
  std::size_t count = 0;
  std::string error;
};

std::string known_classes(const std::vector<DeviceClass>& classes) {
  std::string names;
  for (const DeviceClass& one : classes) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

End find_end(std::string_view text, const std::vector<DeviceClass>& classes) {
  for (const DeviceClass& one : classes)
    if (text == one.name) return {one.first, one.count, ""};
  const DeviceClass* longest = nullptr;  // `nvswitch2` belongs to `nvswitch` even where a class `nv` exists
  for (const DeviceClass& one : classes)
    if (text.starts_with(one.name) && (longest == nullptr || one.name.size() > longest->name.size())) longest = &one;
  const std::string quoted = std::string("'").append(text).append("'");
  const std::string unknown = quoted + " is no device of this node; it has " + known_classes(classes);
  if (longest == nullptr) return {0, 0, unknown};
  const std::string_view range = text.substr(longest->name.size());
  const std::size_t dash = range.find('-');
  const auto first = whole_number(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
  if (!first || !last) return {0, 0, unknown};
  if (*first > *last) return {0, 0, quoted + " runs backwards; write the lower number first"};
  if (*last >= longest->count)
    return {0, 0, quoted + " goes beyond the node's " + std::to_string(longest->count) + " of '" + longest->name + "'"};
  return {longest->first + *first, *last - *first + 1, ""};
}

std::vector<OpenLink> write_out(const NodeSpec& node, const std::vector<DeviceClass>& classes,
                                std::vector<TopologyError>& errors) {
  std::vector<OpenLink> links;
  for (std::size_t number = 0; number < node.links.size(); ++number) {
    const LinkSpec& spec = node.links[number];
    const End from = find_end(spec.from, classes);
    const End to = find_end(spec.to, classes);
    for (const End* end : {&from, &to})
      if (!end->error.empty()) errors.push_back({number, end->error});
    const auto has = [](const End& end, std::size_t place) {
      return place >= end.first && place < end.first + end.count;
    };
    for (std::size_t a = from.first; a < from.first + from.count; ++a) {
      for (std::size_t b = to.first; b < to.first + to.count; ++b) {
        const bool seen_from_the_other_side = b < a && has(from, b) && has(to, a);
        if (a != b && !seen_from_the_other_side) links.push_back({a, b, &spec, number});
      }
    }
  }
  return links;
}

/// Sets every link's bandwidth and latency.
void resolve(const NodeSpec& node, const std::vector<OpenLink>& open, Topology& topology) {
  NodeGraph& graph = topology.graph;
  std::vector<std::size_t> sharing(graph.gpus, 0);  // links of each GPU that state no bandwidth
  for (const OpenLink& link : open)
    for (std::size_t end : {link.from, link.to})
      if (end < graph.gpus && !link.spec->bandwidth) ++sharing[end];

  std::size_t reported = TopologyError::whole_node;
  for (const OpenLink& link : open) {
    std::optional<BytesPerSecond> bandwidth = link.spec->bandwidth;
    if (!bandwidth) {
      for (std::size_t end : {link.from, link.to}) {
        if (end >= graph.gpus) continue;
        const BytesPerSecond share = node.gpu.link_bandwidth / static_cast<double>(sharing[end]);
        bandwidth = bandwidth ? std::min(*bandwidth, share) : share;
      }
    }
    if ((!bandwidth || !(bandwidth->value() > 0)) && reported != link.number) {
      reported = link.number;
      const std::string ends = link.spec->from + " to " + link.spec->to;
      topology.errors.push_back(
          {link.number, !bandwidth ? "the link " + ends + " ends at no GPU, so it must state its bandwidth"
                                   : "the link " + ends + " has no bandwidth"});
    }
    graph.links.push_back({link.from, link.to, bandwidth.value_or(BytesPerSecond(0)),
                           link.spec->latency.value_or(node.gpu.link_latency)});
  }
}

/// Names the GPUs that no path joins with GPU 0.
void check_connected(const NodeGraph& graph, std::vector<TopologyError>& errors) {
  std::vector<std::size_t> island(graph.devices.size());
  std::iota(island.begin(), island.end(), std::size_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (const Link& link : graph.links) {
      const std::size_t lower = std::min(island[link.from], island[link.to]);
      changed = changed || island[link.from] != lower || island[link.to] != lower;
      island[link.from] = island[link.to] = lower;
    }
  }
  for (std::size_t gpu = 1; gpu < graph.gpus; ++gpu)
    if (island[gpu] != island[0])
      errors.push_back({TopologyError::whole_node, graph.devices[gpu].name + " has no path of links to gpu0"});
}

}  // namespace

Topology expand(const NodeSpec& node) {
  Topology topology;
  const std::vector<DeviceClass> classes = add_devices(node, topology.graph);
  const std::vector<OpenLink> links = write_out(node, classes, topology.errors);
  resolve(node, links, topology);
  // A mistyped link disconnects GPUs too; one message is enough for it.
  if (topology.errors.empty()) check_connected(topology.graph, topology.errors);
  return topology;
}

}  // namespace decodesim
