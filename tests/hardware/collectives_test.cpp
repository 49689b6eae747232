#include "sim/hardware/collectives.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

constexpr double KiB = 1024;

GroupLinks links_of(const NodeSpec& node, int ranks) { return group_links(expand(node).graph, ranks); }

/// Every group that the known nodes offer.
std::vector<GroupLinks> known_groups() {
  std::vector<GroupLinks> groups;
  for (const NodeSpec& node : {tests::hgx_h100(), tests::mi300x_8(), tests::pcie_4090(), tests::pcie_l40s()})
    for (int ranks = 2; ranks <= 8; ++ranks) groups.push_back(links_of(node, ranks));
  return groups;
}

double microseconds(const GroupLinks& links, double bytes, std::optional<AllReduceAlgorithm> only = std::nullopt) {
  return all_reduce(Bytes(bytes), all_reduce_lines(links, only)).time.value() * 1e6;
}

}  // namespace

TEST_CASE("an all-reduce of more bytes never takes less time") {
  for (const GroupLinks& links : known_groups()) {
    double before = 0;
    for (double bytes = 1; bytes < 1e9; bytes *= 1.7) {
      const double now = microseconds(links, bytes);
      CHECK(now >= before);
      before = now;
    }
  }
}

TEST_CASE("an all-reduce is never faster than its bytes through the links, nor than one path") {
  for (const GroupLinks& links : known_groups()) {
    // Whoever adds, each GPU has to send what it holds at least once, and the ring has no more than its own links.
    const double injection = std::max({links.injection_bandwidth.value(), links.ring_bandwidth.value(), 1.0});
    for (double bytes = 1; bytes < 1e9; bytes *= 3.1) {
      for (const AllReduceLine& line : all_reduce_lines(links)) {
        const AllReduce one = all_reduce(Bytes(bytes), {line});
        CHECK(one.time.value() >= one.sent.value() / injection * (1 - 1e-12));
        CHECK(one.time.value() >= links.pair_latency.value() * 0.999);
        CHECK(one.sent.value() >= bytes * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("the cheapest all-reduce is as fast as the fastest that the links allow") {
  for (const GroupLinks& links : known_groups()) {
    for (double bytes = 1; bytes < 1e9; bytes *= 2.3) {
      double fastest = 1e300;
      for (const AllReduceLine& line : all_reduce_lines(links))
        fastest = std::min(fastest, microseconds(links, bytes, line.algorithm));
      CHECK(microseconds(links, bytes) == fastest);
    }
  }
}

TEST_CASE("small all-reduces are one-shot, large ones move fewer bytes") {
  const auto algorithm = [](const NodeSpec& node, double bytes) {
    return all_reduce(Bytes(bytes), all_reduce_lines(links_of(node, 8))).algorithm;
  };
  CHECK(algorithm(tests::hgx_h100(), 16 * KiB) == AllReduceAlgorithm::one_shot);
  CHECK(algorithm(tests::hgx_h100(), 16e6) == AllReduceAlgorithm::in_network);
  CHECK(algorithm(tests::mi300x_8(), 16 * KiB) == AllReduceAlgorithm::one_shot);
  CHECK(algorithm(tests::mi300x_8(), 16e6) == AllReduceAlgorithm::two_shot);
  CHECK(algorithm(tests::pcie_4090(), 16 * KiB) == AllReduceAlgorithm::ring);
}

TEST_CASE("in-network reduction beats two-shot for large messages on eight GPUs and loses on two") {
  const GroupLinks eight = links_of(tests::hgx_h100(), 8);
  CHECK(microseconds(eight, 1e8, AllReduceAlgorithm::in_network) <
        microseconds(eight, 1e8, AllReduceAlgorithm::two_shot));
  const GroupLinks two = links_of(tests::hgx_h100(), 2);
  CHECK(microseconds(two, 1e8, AllReduceAlgorithm::in_network) > microseconds(two, 1e8, AllReduceAlgorithm::two_shot));
}

TEST_CASE("paths through the host allow a ring alone, and a switch that cannot reduce no in-network sum") {
  const auto count = [](const NodeSpec& node, int ranks) { return all_reduce_lines(links_of(node, ranks)).size(); };
  CHECK(count(tests::hgx_h100(), 8) == 4);
  CHECK(count(tests::mi300x_8(), 8) == 3);
  CHECK(count(tests::pcie_l40s(), 4) == 3);
  CHECK(count(tests::pcie_l40s(), 8) == 1);
  CHECK(count(tests::pcie_4090(), 2) == 1);
  CHECK(all_reduce_lines(links_of(tests::pcie_4090(), 8), AllReduceAlgorithm::one_shot).empty());
  CHECK(all_reduce_lines(links_of(tests::hgx_h100(), 1)).empty());
}

TEST_CASE("each algorithm follows its closed form") {
  const GroupLinks h100 = links_of(tests::hgx_h100(), 8);
  const double bytes = 1 << 20;
  const double path = 4.2;
  const double each = bytes / 450e9 * 1e6;  // microseconds to send all of it once
  CHECK(microseconds(h100, bytes, AllReduceAlgorithm::one_shot) == doctest::Approx(path + 7 * each));
  CHECK(microseconds(h100, bytes, AllReduceAlgorithm::two_shot) == doctest::Approx(2 * path + 2 * 7.0 / 8 * each));
  CHECK(microseconds(h100, bytes, AllReduceAlgorithm::ring) == doctest::Approx(14 * (path + each / 8)));
  CHECK(microseconds(h100, bytes, AllReduceAlgorithm::in_network) == doctest::Approx(2 * path + 9.0 / 8 * each));
  const GroupLinks mesh = links_of(tests::mi300x_8(), 8);
  CHECK(microseconds(mesh, bytes, AllReduceAlgorithm::one_shot) == doctest::Approx(5 + bytes / 64e9 * 1e6));
  CHECK(microseconds(mesh, bytes, AllReduceAlgorithm::two_shot) == doctest::Approx(10 + 2 * bytes / 8 / 64e9 * 1e6));
}

TEST_CASE("prices have the size of published custom all-reduces under CUDA graphs") {
  // 8 GPUs, 16 KiB a token of a 70B: 3.8 to 5.2 us for one token, 14.8 to 26 for 64; 3.0 for one token on 2 GPUs.
  const GroupLinks eight = links_of(tests::hgx_h100(), 8);
  CHECK(microseconds(eight, 16 * KiB) > 3.8);
  CHECK(microseconds(eight, 16 * KiB) < 5.3);
  CHECK(microseconds(eight, 640 * KiB) > 8);
  CHECK(microseconds(eight, 640 * KiB) < 16);
  CHECK(microseconds(eight, 8192 * KiB) > 20);
  CHECK(microseconds(eight, 8192 * KiB) < 80);
  CHECK(microseconds(links_of(tests::hgx_h100(), 2), 16 * KiB) < 5.3);
}

TEST_CASE("an all-reduce over a ring is a reduce-scatter and an all-gather") {
  for (const GroupLinks& links : known_groups()) {
    for (double bytes : {1.0, 1e5, 1e8}) {
      const double halves = collective_time(Collective::reduce_scatter, Bytes(bytes), links).value() +
                            collective_time(Collective::all_gather, Bytes(bytes), links).value();
      CHECK(halves * 1e6 == doctest::Approx(microseconds(links, bytes, AllReduceAlgorithm::ring)));
    }
  }
}

TEST_CASE("an all-to-all and a message are never faster than their bytes through the links") {
  for (const GroupLinks& links : known_groups()) {
    const double n = links.ranks;
    const Seconds all = collective_time(Collective::all_to_all, Bytes(1e9), links);
    const double out = std::max(links.injection_bandwidth.value(), links.ring_bandwidth.value());
    CHECK(all.value() >= 1e9 * (n - 1) / n / out);
    CHECK(collective_time(Collective::point_to_point, Bytes(1e9), links) ==
          links.pair_latency + Bytes(1e9) / links.pair_bandwidth);
  }
  CHECK(collective_time(Collective::all_to_all, Bytes(1e9), GroupLinks{}) == Seconds(0));
}

TEST_CASE("what is measured of the links is never faster than the links, and no engine goes without an all-reduce") {
  for (const GroupLinks& links : known_groups()) {
    for (const bool two_shot : {false, true}) {
      for (const double most : {0.0, 8e6}) {
        const CustomAllReduce custom{Bytes(most), two_shot, Seconds(1e-6), true};
        double before = 0;
        for (double bytes = 1; bytes < 1e9; bytes *= 3.1) {
          const AllReduce one = all_reduce(Bytes(bytes), sustained_all_reduce_lines(links, SustainedSpec{}, custom));
          const double out = std::max(links.injection_bandwidth.value(), links.ring_bandwidth.value());
          CHECK(one.time.value() >= one.sent.value() / out * (1 - 1e-12));
          CHECK(one.time.value() >= before);
          before = one.time.value();
        }
      }
    }
  }
}

}  // namespace decodesim
