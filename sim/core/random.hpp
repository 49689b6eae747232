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

/// What a stream's engine starts from: mix(mix(seed) xor FNV-1a(purpose)), where mix is the finalizer of SplitMix64.
/// Exposed so that a test can hold it fixed.
std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose);

}  // namespace decodesim
