#include "sim/hardware/collectives.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

/// What sending each other GPU a byte takes: all leave over the injection links, each over the links of its pair.
double to_all_others(const GroupLinks& links, double n) {
  return std::max((n - 1) / links.injection_bandwidth.value(), 1 / links.pair_bandwidth.value());
}

AllReduceLine one_shot(const GroupLinks& links, double n) {
  return {AllReduceAlgorithm::one_shot, links.pair_latency.value(), to_all_others(links, n), n - 1};
}

AllReduceLine two_shot(const GroupLinks& links, double n) {
  return {AllReduceAlgorithm::two_shot, 2 * links.pair_latency.value(), 2 / n * to_all_others(links, n),
          2 * (n - 1) / n};
}

AllReduceLine ring(const GroupLinks& links, double n) {
  const double hops = 2 * (n - 1);
  return {AllReduceAlgorithm::ring, hops * links.ring_latency.value(), hops / n / links.ring_bandwidth.value(),
          hops / n};
}

AllReduceLine in_network(const GroupLinks& links, double n) {
  const double share = 1 + 1 / n;
  return {AllReduceAlgorithm::in_network, 2 * links.pair_latency.value(), share / links.reduction_bandwidth.value(),
          share};
}

/// The library runs as many rings side by side as there are ways round, so that all links of a GPU carry a share.
AllReduceLine library_ring(GroupLinks links, double n) {
  if (links.direct) links.ring_bandwidth = links.injection_bandwidth;
  return ring(links, n);
}

/// `line` with another start and a share of its bandwidth.
AllReduceLine measured(AllReduceLine line, Seconds start, double share) {
  line.seconds = start.value();
  line.seconds_per_byte /= share;
  return line;
}

// In the library's low-latency protocol every second word is a flag that says that the word before it arrived.
constexpr double share_of_data_words = 0.5;

void keep_only(std::vector<AllReduceLine>& lines, std::optional<AllReduceAlgorithm> only) {
  if (only) std::erase_if(lines, [&](const AllReduceLine& line) { return line.algorithm != *only; });
}

}  // namespace

std::vector<AllReduceLine> all_reduce_lines(const GroupLinks& links, std::optional<AllReduceAlgorithm> only) {
  std::vector<AllReduceLine> lines;
  if (links.ranks < 2) return lines;
  const double n = links.ranks;
  if (links.direct) lines = {one_shot(links, n), two_shot(links, n)};
  lines.push_back(ring(links, n));
  if (links.reduction_bandwidth.value() > 0) lines.push_back(in_network(links, n));
  keep_only(lines, only);
  return lines;
}

std::vector<AllReduceLine> sustained_all_reduce_lines(const GroupLinks& links, const SustainedSpec& sustained,
                                                      const CustomAllReduce& custom,
                                                      std::optional<AllReduceAlgorithm> only) {
  std::vector<AllReduceLine> lines;
  if (links.ranks < 2) return lines;
  const double n = links.ranks;
  if (links.direct && custom.bytes_max > Bytes(0)) {
    lines.push_back(measured(one_shot(links, n), sustained.all_reduce + custom.message, sustained.link));
    if (custom.two_shot)
      lines.push_back(measured(two_shot(links, n), sustained.all_reduce * 2 + custom.message, sustained.link));
    for (AllReduceLine& line : lines) line.bytes_max = custom.bytes_max.value();
  }
  lines.push_back(measured(library_ring(links, n), sustained.all_reduce * n, share_of_data_words));
  lines.push_back(measured(library_ring(links, n), sustained.library_all_reduce, sustained.library_link));
  if (links.reduction_bandwidth.value() > 0)
    lines.push_back(measured(in_network(links, n), sustained.library_all_reduce, sustained.library_reduction));
  if (!custom.cuda_graph)
    for (AllReduceLine& line : lines) line.seconds += sustained.launch.value();
  keep_only(lines, only);
  // An algorithm that was asked for is used whatever the size.
  if (only)
    for (AllReduceLine& line : lines) line.bytes_max = std::numeric_limits<double>::infinity();
  return lines;
}

AllReduce all_reduce(Bytes bytes, const std::vector<AllReduceLine>& lines) {
  check(!lines.empty(), "an all-reduce was priced over links that allow none");
  const auto price = [&](const AllReduceLine& line) { return line.seconds + line.seconds_per_byte * bytes.value(); };
  const AllReduceLine* cheapest = nullptr;
  for (const AllReduceLine& line : lines)
    if (bytes.value() <= line.bytes_max && (cheapest == nullptr || price(line) < price(*cheapest))) cheapest = &line;
  check(cheapest != nullptr, "no all-reduce is used for messages of this size");
  return {Seconds(price(*cheapest)), cheapest->algorithm, bytes * cheapest->sent_per_byte};
}

Seconds collective_time(Collective collective, Bytes bytes, const GroupLinks& links) {
  if (links.ranks < 2) return Seconds(0);
  const double n = links.ranks;
  switch (collective) {
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return (links.ring_latency + bytes / n / links.ring_bandwidth) * (n - 1);
    case Collective::all_to_all:
      // Without a shared switch the parts are handed round, as in an all-gather.
      return links.direct ? links.pair_latency + bytes / n * (n - 1) / links.injection_bandwidth
                          : (links.ring_latency + bytes / n / links.ring_bandwidth) * (n - 1);
    case Collective::point_to_point:
      return links.pair_latency + bytes / links.pair_bandwidth;
  }
  return Seconds(0);
}

}  // namespace decodesim
