#include "sim/hardware/host_path.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The links from a GPU to the host, or nothing. Links are tried in the order of the graph and other GPUs are not passed
/// through, so the path is the same every time.
std::vector<std::size_t> path_to_host(const NodeGraph& graph, std::size_t gpu) {
  std::vector<std::size_t> arrived_by(graph.devices.size(), none);
  std::deque<std::size_t> frontier{gpu};
  while (!frontier.empty()) {
    const std::size_t at = frontier.front();
    frontier.pop_front();
    if (graph.devices[at].kind == DeviceKind::host) {
      std::vector<std::size_t> path;
      for (std::size_t back = at; back != gpu;) {
        const std::size_t link = arrived_by[back];
        path.push_back(link);
        back = graph.links[link].from == back ? graph.links[link].to : graph.links[link].from;
      }
      return path;
    }
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
      const Link& one = graph.links[link];
      if (one.from != at && one.to != at) continue;
      const std::size_t other = one.from == at ? one.to : one.from;
      if (other == gpu || arrived_by[other] != none || graph.devices[other].kind == DeviceKind::gpu) continue;
      arrived_by[other] = link;
      frontier.push_back(other);
    }
  }
  return {};
}

}  // namespace

std::optional<BytesPerSecond> host_bandwidth(const NodeGraph& graph, int ranks) {
  check(ranks >= 1 && static_cast<std::size_t>(ranks) <= graph.gpus, "a node has the GPUs that it is asked about");
  std::vector<std::vector<std::size_t>> paths;
  std::vector<double> users(graph.links.size(), 0);
  for (std::size_t gpu = 0; gpu < static_cast<std::size_t>(ranks); ++gpu) {
    paths.push_back(path_to_host(graph, gpu));
    if (paths.back().empty()) return std::nullopt;
    for (std::size_t link : paths.back()) users[link] += 1;
  }
  std::optional<BytesPerSecond> least;
  for (const std::vector<std::size_t>& path : paths) {
    for (std::size_t link : path) {
      const BytesPerSecond share = graph.links[link].bandwidth / users[link];
      least = least ? std::min(*least, share) : share;
    }
  }
  return least;
}

}  // namespace decodesim
