#pragma once
// How long GPUs take to add up their partial results.

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/hardware/gpu_spec.hpp"
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
  double sent_per_byte = 0;                                    // bytes one GPU sends, for each byte that it holds
  double bytes_max = std::numeric_limits<double>::infinity();  // the largest message it is used for
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

/// How an engine adds up on the GPUs: with kernels of its own up to a size, with the vendor's library above.
struct CustomAllReduce {
  Bytes bytes_max{8388608.0};  // the largest message for the engine's own kernels; 0: all go to the library
  bool two_shot = true;        // a two-shot kernel beside the one-shot
  Seconds message{1.5e-6};     // what the engine's kernels take beyond the GPU's small all-reduce
  bool cuda_graph = true;      // launched as part of a graph; else each waits for its launch
};

/// The same as measured: of the links' bandwidth only the shares that `sustained` states, and in place of the paths'
/// latencies what small all-reduces take. Fitted to all-reduces of 1 KiB to 256 MiB in CUDA graphs on 2, 4 and 8 GPUs of
/// H100, H200, B200 and A100 (aiconfigurator data, 2026); docs/validation.md tells the errors. With n GPUs:
///  * the engine's own kernels: one-shot from `all_reduce` + `message`, two-shot from 2 `all_reduce` + `message`, both at
///    the share `link` and only up to `bytes_max`;
///  * the library in its low-latency protocol, in which every second word is a flag: a ring from n `all_reduce` at half of
///    the bandwidth;
///  * the library from `library_all_reduce`: a ring at `library_link`, or the switches at `library_reduction`;
///  * where every two GPUs share a link, the library's rings side by side use all links of a GPU;
///  * outside of a CUDA graph each begins `launch` later.
std::vector<AllReduceLine> sustained_all_reduce_lines(const GroupLinks& links, const SustainedSpec& sustained,
                                                      const CustomAllReduce& custom,
                                                      std::optional<AllReduceAlgorithm> only = std::nullopt);

/// The cheapest of `lines` (not empty) for `bytes` on each GPU; of equal ones the first. One of them must be used for
/// messages of this size.
AllReduce all_reduce(Bytes bytes, const std::vector<AllReduceLine>& lines);

/// Other collectives, which parallelisms besides tensor use. The bytes are those that a GPU holds at the end of an
/// all-gather, at the beginning of a reduce-scatter or an all-to-all, or sends.
enum class Collective { all_gather, reduce_scatter, all_to_all, point_to_point };

/// How long a collective takes at the links' full bandwidth, a straight line over the bytes. With n GPUs and B bytes:
///  * all-gather and reduce-scatter, each half of a ring all-reduce: (n-1) (L + B / (n ring));
///  * all-to-all, each pair at once where they share a switch: L + B (n-1)/n / injection, or handed round;
///  * point to point: L + B / pair.
/// Nothing for a group of one.
Seconds collective_time(Collective collective, Bytes bytes, const GroupLinks& links);

}  // namespace decodesim
