#pragma once
// Random draws for tests, the same everywhere.

#include <cstdint>
#include <initializer_list>

namespace decodesim::tests {

/// SplitMix64 (Steele, Lea and Flood, 2014) and the few draws that tests need. Its slight bias does not matter here.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// An integer from `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// True in `percent` of a hundred cases.
  bool chance(std::int64_t percent) { return between(1, 100) <= percent; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace decodesim::tests
