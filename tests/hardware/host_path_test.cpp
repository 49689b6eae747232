// What GPUs get towards their host.

#include "sim/hardware/host_path.hpp"

#include <doctest/doctest.h>

namespace decodesim::tests {

namespace {

NodeSpec node(int gpus) {
  NodeSpec spec;
  spec.gpus = gpus;
  spec.gpu.link_bandwidth = BytesPerSecond(450e9);
  return spec;
}

double gigabytes(const NodeSpec& spec, int ranks) {
  const Topology topology = expand(spec);
  REQUIRE(topology.errors.empty());
  const auto bandwidth = host_bandwidth(topology.graph, ranks);
  return bandwidth ? bandwidth->value() / 1e9 : 0;
}

}  // namespace

TEST_CASE("each GPU with a link of its own has all of it") {
  NodeSpec spec = node(4);
  spec.links.push_back({"gpu", "gpu", std::nullopt, Seconds(1e-6)});
  spec.links.push_back({"gpu", "host", BytesPerSecond(64e9), Seconds(1e-6)});
  CHECK(gigabytes(spec, 1) == 64);
  CHECK(gigabytes(spec, 4) == 64);
}

TEST_CASE("GPUs behind one switch share its link to the host, as many as there are ranks") {
  NodeSpec spec = node(4);
  spec.switches.push_back({"pcie-switch", 2, false});
  spec.links.push_back({"gpu0-1", "pcie-switch0", BytesPerSecond(64e9), Seconds(1e-6)});
  spec.links.push_back({"gpu2-3", "pcie-switch1", BytesPerSecond(64e9), Seconds(1e-6)});
  spec.links.push_back({"pcie-switch", "host", BytesPerSecond(64e9), Seconds(1e-6)});
  CHECK(gigabytes(spec, 1) == 64);
  CHECK(gigabytes(spec, 2) == 32);
  CHECK(gigabytes(spec, 4) == 32);
}

TEST_CASE("a node that states no link to its host has no way there") {
  NodeSpec spec = node(2);
  spec.links.push_back({"gpu", "gpu", std::nullopt, Seconds(1e-6)});
  CHECK(gigabytes(spec, 2) == 0);
}

}  // namespace decodesim::tests
