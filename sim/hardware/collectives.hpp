#pragma once
// How long GPUs take to add up their partial results.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/hardware/group_links.hpp"

namespace decodesim {

enum class AllReduceAlgorithm { one_shot, two_shot, ring, in_network };
inline constexpr std::array<std::string_view, 4> all_reduce_algorithm_names{"one_shot", "two_shot", "ring",
                                                                            "in_network"};

/// The price of an all-reduce by one algorithm, which is a straight line over the bytes each GPU holds.
struct AllReduceLine {
  AllReduceAlgorithm algorithm = AllReduceAlgorithm::ring;
  double seconds = 0;  // for no bytes at all: the latencies on the way
  double seconds_per_byte = 0;
  double sent_per_byte = 0;  // bytes one GPU sends, for each byte that it holds
};

struct AllReduce {
  Seconds time;
  AllReduceAlgorithm algorithm = AllReduceAlgorithm::ring;
  Bytes sent;  // by each GPU
};

/// The algorithms that the links of a group allow, in the order of the enumeration; only `only`, where given. Empty for
/// a group of one, or where the links do not allow `only`.
///
/// With n GPUs, B bytes on each, L the latency of a path and its synchronisation, and bandwidths per direction:
///  * one-shot: every GPU sends all it has to every other one and adds: L + B max((n-1) / injection, 1 / pair);
///    sends (n-1) B.
///  * two-shot: every GPU collects and adds one n-th and sends the sum around (a reduce-scatter and an all-gather):
///    2 L + 2 B/n max((n-1) / injection, 1 / pair); sends 2 (n-1)/n B.
///  * ring: the same sums handed from neighbour to neighbour, 2 (n-1) hops of B/n: 2 (n-1) (L + B / (n ring));
///    sends 2 (n-1)/n B (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms", 2009).
///  * in-network: the switch adds. Each GPU fetches the sum of one n-th, for which the switch reads that n-th from all,
///    and sends it back for the switch to copy to all: 2 L + B (1 + 1/n) / reduction; sends (1 + 1/n) B (Klenk et al.,
///    "An in-network architecture for accelerating shared-memory multiprocessor collectives", 2020).
/// A ring is always possible. One-shot and two-shot write into each other's memory, so every pair must share a link or
/// a switch: a path through the host, or through other GPUs, will not do. In-network needs switches that reduce and
/// that all of the group are linked to.
std::vector<AllReduceLine> all_reduce_lines(const GroupLinks& links,
                                            std::optional<AllReduceAlgorithm> only = std::nullopt);

/// The cheapest of `lines` (not empty) for `bytes` on each GPU; of equal ones the first.
AllReduce all_reduce(Bytes bytes, const std::vector<AllReduceLine>& lines);

}  // namespace decodesim
