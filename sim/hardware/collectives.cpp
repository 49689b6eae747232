#include "sim/hardware/collectives.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {

AllReduceLine one_shot(const GroupLinks& links, double n) {
  const double per_byte = std::max((n - 1) / links.injection_bandwidth.value(), 1 / links.pair_bandwidth.value());
  return {AllReduceAlgorithm::one_shot, links.pair_latency.value(), per_byte, n - 1};
}

AllReduceLine two_shot(const GroupLinks& links, double n) {
  const double per_byte = std::max((n - 1) / links.injection_bandwidth.value(), 1 / links.pair_bandwidth.value());
  return {AllReduceAlgorithm::two_shot, 2 * links.pair_latency.value(), 2 / n * per_byte, 2 * (n - 1) / n};
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

}  // namespace

std::vector<AllReduceLine> all_reduce_lines(const GroupLinks& links, std::optional<AllReduceAlgorithm> only) {
  std::vector<AllReduceLine> lines;
  if (links.ranks < 2) return lines;
  const double n = links.ranks;
  if (links.direct) lines = {one_shot(links, n), two_shot(links, n)};
  lines.push_back(ring(links, n));
  if (links.reduction_bandwidth.value() > 0) lines.push_back(in_network(links, n));
  if (only) std::erase_if(lines, [&](const AllReduceLine& line) { return line.algorithm != *only; });
  return lines;
}

AllReduce all_reduce(Bytes bytes, const std::vector<AllReduceLine>& lines) {
  check(!lines.empty(), "an all-reduce was priced over links that allow none");
  const auto price = [&](const AllReduceLine& line) { return line.seconds + line.seconds_per_byte * bytes.value(); };
  const AllReduceLine* cheapest = &lines.front();
  for (const AllReduceLine& line : lines)
    if (price(line) < price(*cheapest)) cheapest = &line;
  return {Seconds(price(*cheapest)), cheapest->algorithm, bytes * cheapest->sent_per_byte};
}

}  // namespace decodesim
