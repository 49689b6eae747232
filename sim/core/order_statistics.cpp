#include "sim/core/order_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace decodesim {

namespace {

// Few enough that their counts stay in the processor's cache, many enough that each holds few of a million values.
constexpr int most_bucket_bits = 14;

/// Whole numbers in the order of the values: the bits of a double already are, but for its sign.
std::uint64_t key_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // no value is -0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Cuts the range that the values lie in into buckets of equal numbers of keys.
class Buckets {
 public:
  explicit Buckets(std::span<const double> values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    first_ = key_of(*least);
    const int bits = std::min(most_bucket_bits, static_cast<int>(std::bit_width(values.size())));
    shift_ = std::max(0, static_cast<int>(std::bit_width(key_of(*most) - first_)) - bits);
    count_ = std::size_t{1} << bits;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t of(double value) const {
    return static_cast<std::size_t>((key_of(value) - first_) >> shift_);
  }

 private:
  std::uint64_t first_;
  int shift_;
  std::size_t count_;
};

}  // namespace

std::vector<double> order_statistics(std::span<const double> values, std::span<const std::size_t> ranks) {
  if (ranks.empty()) return {};
  const Buckets buckets(values);
  std::vector<std::size_t> counts(buckets.count());
  for (const double value : values) ++counts[buckets.of(value)];

  // The buckets that ranks fall into: the rank that each begins at, and what is in it.
  struct Wanted {
    std::size_t begin;
    std::vector<double> values;
  };
  constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  std::vector<Wanted> wanted;
  std::vector<std::uint32_t> wanted_of(buckets.count(), nobody);
  std::vector<std::size_t> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  std::size_t bucket = 0;
  std::size_t begin = 0;
  for (const std::size_t rank : sorted) {
    while (begin + counts[bucket] <= rank) begin += counts[bucket++];
    if (wanted_of[bucket] != nobody) continue;
    wanted_of[bucket] = static_cast<std::uint32_t>(wanted.size());
    wanted.push_back({begin, {}});
    wanted.back().values.reserve(counts[bucket]);
  }
  for (const double value : values) {
    const std::uint32_t one = wanted_of[buckets.of(value)];
    if (one != nobody) wanted[one].values.push_back(value);
  }
  for (Wanted& one : wanted) std::sort(one.values.begin(), one.values.end());

  std::vector<double> found;
  for (const std::size_t rank : ranks) {
    const auto holder =
        std::find_if(wanted.rbegin(), wanted.rend(), [rank](const Wanted& one) { return one.begin <= rank; });
    found.push_back(holder->values[rank - holder->begin]);
  }
  return found;
}

}  // namespace decodesim
