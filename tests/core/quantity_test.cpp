#include "sim/core/quantity.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "sim/core/random.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

namespace {

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Multiplies = requires(A a, B b) {
  a* b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};

// Quantities of different units do not mix, and nothing becomes a quantity by itself.
static_assert(Adds<Tokens, Tokens> && !Adds<Tokens, Blocks> && !Adds<Bytes, Flops> && !Adds<Tokens, std::int64_t>);
static_assert(Multiplies<Tokens, std::int64_t> && !Multiplies<Tokens, Tokens>);
static_assert(Compares<Bytes, Bytes> && !Compares<Bytes, BytesPerSecond>);
static_assert(!std::convertible_to<std::int64_t, Tokens> && !std::convertible_to<Tokens, std::int64_t>);
static_assert(std::same_as<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
static_assert(std::same_as<decltype(Flops(1) / FlopsPerSecond(1)), Seconds>);
static_assert(std::same_as<decltype(Tokens(1) / Tokens(1)), std::int64_t>);
static_assert(sizeof(Tokens) == sizeof(std::int64_t) && std::is_trivially_copyable_v<Tokens>);

}  // namespace

TEST_CASE("quantities of one unit add, subtract, scale and compare as their numbers do") {
  Stream chance(1, "quantities");
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t a = chance.integer(-1'000'000, 1'000'000);
    const std::int64_t b = chance.integer(1, 1000);
    CHECK((Tokens(a) + Tokens(b)).value() == a + b);
    CHECK((Tokens(a) - Tokens(b)).value() == a - b);
    CHECK((Tokens(a) * b).value() == a * b);
    CHECK((b * Tokens(a)).value() == a * b);
    CHECK((Tokens(a) / b).value() == a / b);
    CHECK(Tokens(a) / Tokens(b) == a / b);
    CHECK((Tokens(a) < Tokens(b)) == (a < b));
    Tokens changed(a);
    changed += Tokens(b);
    CHECK(changed == Tokens(a + b));
    changed -= Tokens(b);
    CHECK(changed == Tokens(a));
  }
}

TEST_CASE("bytes over a bandwidth are seconds") {
  CHECK((Bytes(26.8e12) / BytesPerSecond(26.8e12)).value() == 1.0);
  CHECK((Flops(3e12) / FlopsPerSecond(2e12)).value() == 1.5);
}

TEST_CASE("a price becomes time by rounding half a nanosecond up") {
  CHECK(to_duration(Seconds(0)).count() == 0);
  CHECK(to_duration(Seconds(0.25e-9)).count() == 0);
  CHECK(to_duration(Seconds(0.5e-9)).count() == 1);
  CHECK(to_duration(Seconds(1.5e-9)).count() == 2);
  CHECK(to_duration(Seconds(2.5e-9)).count() == 3);  // not to even
  CHECK(to_duration(Seconds(21.34e-3)).count() == 21'340'000);
  CHECK(to_duration(Seconds(1)).count() == 1'000'000'000);
}

TEST_CASE("whole nanoseconds go to seconds and back unchanged") {
  Stream chance(2, "durations");
  for (int i = 0; i < 10'000; ++i) {
    // Up to four days every nanosecond survives the way through a double of seconds.
    const Duration duration(chance.integer(0, 345'600'000'000'000));
    CHECK(to_duration(Seconds(to_seconds(duration))) == duration);
    CHECK(to_seconds(Time(duration)) == to_seconds(duration));
  }
  CHECK(to_milliseconds(Duration(1'500'000)) == 1.5);
}

}  // namespace decodesim
