#include "sim/core/random.hpp"

#include "sim/core/check.hpp"
#include "sim/core/math.hpp"

namespace decodesim {

namespace {

/// FNV-1a over bytes, with its published 64-bit offset and prime.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace

std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose) {
  return scrambled(scrambled(seed) ^ fnv1a(purpose));
}

Stream::Stream(std::uint64_t seed, std::string_view purpose) : engine_(stream_seed(seed, purpose)) {}

std::int64_t Stream::integer(std::int64_t min, std::int64_t max) {
  check(min <= max, "a random integer was asked for from an empty range");
  const std::uint64_t choices = static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min) + 1;
  std::uint64_t draw = engine_();
  if (choices == 0) return static_cast<std::int64_t>(draw);  // the whole range of 64 bits
  // 2^64 mod choices numbers at the low end would make some results likelier than others.
  const std::uint64_t uneven = (0 - choices) % choices;
  while (draw < uneven) draw = engine_();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min) + draw % choices);
}

double Stream::unit() { return static_cast<double>((engine_() >> 11) + 1) * 0x1p-53; }

double Stream::exponential() { return -math::log(unit()); }

IndexedDraws::IndexedDraws(std::uint64_t seed, std::string_view purpose) : start_(stream_seed(seed, purpose)) {}

std::uint64_t IndexedDraws::number(std::int64_t index) const {
  return scrambled(start_ + static_cast<std::uint64_t>(index) * scrambling_increment);
}

double IndexedDraws::unit(std::int64_t index) const {
  return (static_cast<double>(number(index) >> 12) + 0.5) * 0x1p-52;
}

}  // namespace decodesim
