#pragma once
// Chance: one named stream of random numbers per purpose.

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <string_view>

namespace decodesim {

/// Random numbers for one purpose ("arrivals", "input lengths"). Streams of different purposes or seeds have nothing to
/// do with each other, so that a draw added to one moves nothing in another. The same seed and purpose give the same
/// numbers everywhere: the engine is MT19937-64, whose output is fixed by its publication, and the draws below are
/// ours.
class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view purpose);

  /// An integer in [min, max], each equally likely; `min` must not exceed `max`. One draw of the engine, and another in
  /// the rare case that it falls into the uneven rest of 2^64.
  std::int64_t integer(std::int64_t min, std::int64_t max);

  /// A multiple of 2^-53 in (0, 1], so that its logarithm is finite. One draw.
  double unit();

  /// Exponentially distributed with mean 1, by inversion: -log(unit()). At most 36.74. One draw.
  double exponential();

 private:
  boost::random::mt19937_64 engine_;
};

/// SplitMix64's increment and finalizer (Steele, Lea, Flood 2014): neighbouring numbers end far apart, and no two meet.
inline constexpr std::uint64_t scrambling_increment = 0x9E3779B97F4A7C15u;
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x += scrambling_increment;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// A random number for every index, the same in whatever order they are asked for: what is drawn for one request does not
/// depend on which others were drawn for. They are the outputs of SplitMix64 that starts from the stream's seed.
class IndexedDraws {
 public:
  IndexedDraws(std::uint64_t seed, std::string_view purpose);
  /// All 64 bits are random.
  [[nodiscard]] std::uint64_t number(std::int64_t index) const;
  /// An odd multiple of 2^-53 in (0, 1).
  [[nodiscard]] double unit(std::int64_t index) const;

 private:
  std::uint64_t start_;
};

/// What a stream's engine starts from: scrambled(scrambled(seed) xor FNV-1a(purpose)). Exposed so that a test can hold it
/// fixed; also a hash of any name.
std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose);

}  // namespace decodesim
