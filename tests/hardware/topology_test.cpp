#include "sim/hardware/topology.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

std::size_t links_of(const NodeGraph& graph, std::size_t device) {
  return static_cast<std::size_t>(std::count_if(graph.links.begin(), graph.links.end(), [&](const Link& link) {
    return link.from == device || link.to == device;
  }));
}

NodeSpec two_gpus(std::vector<LinkSpec> links) {
  NodeSpec node;
  node.gpu = tests::h100_sxm();
  node.gpus = 2;
  node.switches = {{"nvswitch", 2, false}};
  node.links = std::move(links);
  return node;
}

std::vector<std::string> messages(const NodeSpec& node) {
  std::vector<std::string> texts;
  for (const TopologyError& error : expand(node).errors) texts.push_back(error.message);
  return texts;
}

}  // namespace

TEST_CASE("a class linked to a class joins every member with every member") {
  const Topology topology = expand(tests::hgx_h100());
  REQUIRE(topology.errors.empty());
  CHECK(topology.graph.gpus == 8);
  CHECK(topology.graph.devices.size() == 8 + 4 + 1);
  CHECK(topology.graph.links.size() == 8 * 4 + 8);
  CHECK(topology.graph.devices[11].name == "nvswitch3");
  CHECK(topology.graph.devices[11].reduces);
  CHECK(topology.graph.devices[12].name == "host");
}

TEST_CASE("a class linked to itself joins every pair once") {
  const Topology topology = expand(tests::mi300x_8());
  REQUIRE(topology.errors.empty());
  CHECK(topology.graph.links.size() == 8 * 7 / 2 + 8);
  for (std::size_t gpu = 0; gpu < 8; ++gpu) CHECK(links_of(topology.graph, gpu) == 7 + 1);
}

TEST_CASE("links without a bandwidth share the GPU's evenly, those with one keep it") {
  for (const Link& link : expand(tests::hgx_h100()).graph.links) {
    const bool to_host = link.to == 12;
    CHECK(link.bandwidth.value() == (to_host ? 64e9 : 450e9 / 4));
    CHECK(link.latency.value() == (to_host ? 1e-6 : 2.1e-6));
  }
  for (const Link& link : expand(tests::mi300x_8()).graph.links) CHECK(link.bandwidth.value() == 64e9);
}

TEST_CASE("a link between two GPUs with different shares gets the lesser one") {
  NodeSpec node =
      two_gpus({{"gpu0", "gpu1", std::nullopt, std::nullopt}, {"gpu0", "nvswitch", std::nullopt, std::nullopt}});
  const Topology topology = expand(node);
  REQUIRE(topology.errors.empty());
  CHECK(topology.graph.links[0].bandwidth.value() == 150e9);  // a third of gpu0, all of gpu1
}

TEST_CASE("a part of a node keeps the links that the whole node has") {
  NodeSpec node = tests::mi300x_8();
  node.gpus = 4;
  node.gpus_installed = 8;
  const Topology topology = expand(node);
  REQUIRE(topology.errors.empty());
  CHECK(topology.graph.gpus == 8);
  CHECK(topology.graph.links.front().bandwidth.value() == 64e9);
}

TEST_CASE("a range names its members, both ends included") {
  const Topology topology = expand(tests::pcie_l40s());
  REQUIRE(topology.errors.empty());
  CHECK(links_of(topology.graph, 8) == 4 + 1);
  CHECK(links_of(topology.graph, 9) == 4 + 1);
  CHECK(std::count_if(topology.graph.links.begin(), topology.graph.links.end(),
                      [](const Link& link) { return link.from == 3 && link.to == 8; }) == 1);
  CHECK(std::count_if(topology.graph.links.begin(), topology.graph.links.end(),
                      [](const Link& link) { return link.from == 4 && link.to == 9; }) == 1);
}

TEST_CASE("overlapping ranges join no device with itself and no pair twice") {
  NodeSpec node = tests::mi300x_8();
  node.links = {{"gpu0-4", "gpu3-7", std::nullopt, std::nullopt}};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Link& link : expand(node).graph.links) {
    CHECK(link.from != link.to);
    pairs.emplace_back(std::min(link.from, link.to), std::max(link.from, link.to));
  }
  CHECK(pairs.size() == 5 * 5 - 2 - 1);
  std::sort(pairs.begin(), pairs.end());
  CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
}

TEST_CASE("every wrong link is reported, with its number and what would be right") {
  const Topology topology = expand(two_gpus({{"gpu", "nvswich", std::nullopt, std::nullopt},
                                             {"gpu0-2", "nvswitch", std::nullopt, std::nullopt},
                                             {"gpu1-0", "nvswitch9", std::nullopt, std::nullopt},
                                             {"nvswitch0", "host", std::nullopt, std::nullopt},
                                             {"gpu", "host", BytesPerSecond(0), std::nullopt}}));
  REQUIRE(topology.errors.size() == 6);
  std::vector<std::size_t> numbers;
  for (const TopologyError& error : topology.errors) numbers.push_back(error.link);
  CHECK(numbers == std::vector<std::size_t>{0, 1, 2, 2, 3, 4});
  CHECK(topology.errors[0].message == "'nvswich' is no device of this node; it has gpu, nvswitch, host");
  CHECK(topology.errors[1].message == "'gpu0-2' goes beyond the node's 2 of 'gpu'");
  CHECK(topology.errors[2].message == "'gpu1-0' runs backwards; write the lower number first");
  CHECK(topology.errors[3].message == "'nvswitch9' goes beyond the node's 2 of 'nvswitch'");
  CHECK(topology.errors[4].message == "the link nvswitch0 to host ends at no GPU, so it must state its bandwidth");
  CHECK(topology.errors[5].message == "the link gpu to host has no bandwidth");
}

TEST_CASE("malformed ranges name no device") {
  for (const char* text :
       {"gpu0-", "gpu-1", "gpu0-1-2", "gpux", "gp", "", "host0-1", "gpu 0", "gpu99999999999999999999"}) {
    CAPTURE(text);
    const auto errors = messages(two_gpus({{text, "nvswitch", std::nullopt, std::nullopt}}));
    REQUIRE(errors.size() == 1);
  }
}

TEST_CASE("a GPU that no path joins with the others is an error") {
  CHECK(messages(two_gpus({{"gpu0", "nvswitch", std::nullopt, std::nullopt}})) ==
        std::vector<std::string>{"gpu1 has no path of links to gpu0"});
  CHECK(messages(two_gpus({{"gpu", "nvswitch0", std::nullopt, std::nullopt}})).empty());
  NodeSpec alone;
  alone.gpu = tests::h100_sxm();
  CHECK(messages(alone).empty());
}

}  // namespace decodesim
