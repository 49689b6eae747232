#include "sim/hardware/group_links.hpp"

#include <doctest/doctest.h>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

GroupLinks links_of(const NodeSpec& node, int ranks) {
  const Topology topology = expand(node);
  REQUIRE(topology.errors.empty());
  return group_links(topology.graph, ranks);
}

}  // namespace

TEST_CASE("behind switches every pair has the whole bandwidth of a GPU, whatever the size of the group") {
  for (int ranks : {2, 4, 8}) {
    CAPTURE(ranks);
    const GroupLinks links = links_of(tests::hgx_h100(), ranks);
    CHECK(links.direct);
    CHECK(links.injection_bandwidth.value() == 450e9);
    CHECK(links.pair_bandwidth.value() == 450e9);
    CHECK(links.ring_bandwidth.value() == 450e9);
    CHECK(links.reduction_bandwidth.value() == 450e9);
    CHECK(links.pair_latency.value() == doctest::Approx(4.2e-6));
  }
}

TEST_CASE("on a full mesh a group uses only the links among itself") {
  for (int ranks : {2, 4, 8}) {
    CAPTURE(ranks);
    const GroupLinks links = links_of(tests::mi300x_8(), ranks);
    CHECK(links.direct);
    CHECK(links.injection_bandwidth.value() == 64e9 * (ranks - 1));
    CHECK(links.pair_bandwidth.value() == 64e9);
    CHECK(links.ring_bandwidth.value() == 64e9);
    CHECK(links.reduction_bandwidth.value() == 0);
    CHECK(links.pair_latency.value() == 5e-6);
  }
}

TEST_CASE("GPUs that meet in the host alone are not direct, and their path goes through it") {
  const GroupLinks links = links_of(tests::pcie_4090(), 8);
  CHECK_FALSE(links.direct);
  CHECK(links.pair_latency.value() == 10e-6);
  CHECK(links.pair_bandwidth.value() == 32e9);
  CHECK(links.ring_bandwidth.value() == 32e9);
  CHECK(links.reduction_bandwidth.value() == 0);
}

TEST_CASE("a group behind one PCIe switch is direct, one over two switches is not") {
  const GroupLinks four = links_of(tests::pcie_l40s(), 4);
  CHECK(four.direct);
  CHECK(four.pair_latency.value() == 10e-6);
  const GroupLinks eight = links_of(tests::pcie_l40s(), 8);
  CHECK_FALSE(eight.direct);
  CHECK(eight.pair_latency.value() == doctest::Approx(12e-6));
  CHECK(eight.ring_bandwidth.value() == 32e9);
}

TEST_CASE("the narrowest link on the way bounds a pair") {
  NodeSpec node = tests::pcie_l40s();
  node.links[2].bandwidth = BytesPerSecond(8e9);
  CHECK(links_of(node, 8).ring_bandwidth.value() == 8e9);
  CHECK(links_of(node, 4).ring_bandwidth.value() == 32e9);
}

TEST_CASE("a chain of GPUs without a host passes data through GPUs, and is not direct") {
  NodeSpec node;
  node.gpu = tests::h100_sxm();
  node.gpus = 3;
  node.links = {{"gpu0", "gpu1", BytesPerSecond(100e9), Seconds(1e-6)},
                {"gpu1", "gpu2", BytesPerSecond(50e9), Seconds(1e-6)}};
  const GroupLinks links = links_of(node, 3);
  CHECK_FALSE(links.direct);
  CHECK(links.pair_latency.value() == doctest::Approx(2e-6));
  CHECK(links.pair_bandwidth.value() == 50e9);
}

TEST_CASE("a switch reduces for a group only if all of it is linked there") {
  NodeSpec node = tests::pcie_l40s();
  for (SwitchSpec& one : node.switches) one.in_network_reduction = true;
  CHECK(links_of(node, 4).reduction_bandwidth.value() == 32e9);
  CHECK(links_of(node, 8).reduction_bandwidth.value() == 0);
}

TEST_CASE("one GPU with a narrower link slows the whole group, wherever it stands") {
  for (const char* slow : {"gpu0", "gpu3", "gpu7"}) {
    CAPTURE(slow);
    NodeSpec node = tests::pcie_4090();
    node.links.clear();
    for (int gpu = 0; gpu < 8; ++gpu) {
      const std::string name = "gpu" + std::to_string(gpu);
      const bool narrow = name == slow;
      node.links.push_back({name, "host", BytesPerSecond(narrow ? 16e9 : 32e9), Seconds(narrow ? 9e-6 : 5e-6)});
    }
    const GroupLinks links = links_of(node, 8);
    CHECK(links.pair_bandwidth.value() == 16e9);
    CHECK(links.ring_bandwidth.value() == 16e9);
    CHECK(links.pair_latency.value() == doctest::Approx(14e-6));
    CHECK(links.ring_latency.value() == doctest::Approx(14e-6));
  }
}

TEST_CASE("one narrow link in a mesh slows the pair that it joins, and so the group") {
  NodeSpec node = tests::mi300x_8();
  node.links = {{"gpu0-7", "gpu0-7", BytesPerSecond(64e9), std::nullopt}};
  const GroupLinks even = links_of(node, 8);
  node.links = {{"gpu0-6", "gpu0-6", BytesPerSecond(64e9), std::nullopt},
                {"gpu7", "gpu0-4", BytesPerSecond(64e9), std::nullopt},
                {"gpu7", "gpu6", BytesPerSecond(64e9), std::nullopt},
                {"gpu7", "gpu5", BytesPerSecond(10e9), Seconds(8e-6)}};
  const GroupLinks uneven = links_of(node, 8);
  CHECK(even.pair_bandwidth.value() == 64e9);
  CHECK(uneven.pair_bandwidth.value() == 10e9);
  CHECK(uneven.pair_latency.value() == 8e-6);
  CHECK(uneven.ring_bandwidth.value() == 64e9);
  CHECK(uneven.injection_bandwidth.value() == 6 * 64e9 + 10e9);
}

TEST_CASE("one GPU alone has no links") {
  const GroupLinks links = links_of(tests::hgx_h100(), 1);
  CHECK(links.ranks == 1);
  CHECK(links.injection_bandwidth.value() == 0);
}

TEST_CASE("finding a path once for GPUs that are wired alike gives what finding each gives") {
  for (const NodeSpec& node : {tests::hgx_h100(), tests::mi300x_8(), tests::pcie_4090(), tests::pcie_l40s()}) {
    CAPTURE(node.name);
    for (int ranks : {2, 5, 8}) {
      Topology topology = expand(node);
      const GroupLinks alike = group_links(topology.graph, ranks);
      // Bandwidths that differ in the twelfth digit make no two GPUs alike, so that every pair is searched for.
      double factor = 1;
      for (Link& link : topology.graph.links) link.bandwidth = link.bandwidth * (factor += 1e-12);
      const GroupLinks each = group_links(topology.graph, ranks);
      CHECK(alike.pair_bandwidth.value() == doctest::Approx(each.pair_bandwidth.value()).epsilon(1e-9));
      CHECK(alike.ring_bandwidth.value() == doctest::Approx(each.ring_bandwidth.value()).epsilon(1e-9));
      CHECK(alike.pair_latency.value() == each.pair_latency.value());
      CHECK(alike.ring_latency.value() == each.ring_latency.value());
    }
  }
}

}  // namespace decodesim
