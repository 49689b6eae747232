#pragma once
// Strong types for what the simulator counts, so that only legal arithmetic compiles.

#include <compare>
#include <cstdint>

namespace decodesim {

/// A number with a unit in its type. Quantities of one unit add, subtract, compare and scale by a plain number; the
/// ratio of two of them is a plain number. Products across units are spelled out below, one line each.
template <class Unit, class Rep>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}
  [[nodiscard]] constexpr Rep value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return Quantity(a.value_ / divisor); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity a, Quantity b) = default;

 private:
  Rep value_{};
};

using Tokens = Quantity<struct TokenUnit, std::int64_t>;
using Blocks = Quantity<struct BlockUnit, std::int64_t>;
/// Bytes are a double because 6-bit and 4-bit caches have fractional bytes a value; whole numbers are exact to 2^53.
using Bytes = Quantity<struct ByteUnit, double>;
using Flops = Quantity<struct FlopUnit, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondUnit, double>;
/// Seconds before they are rounded to the simulator's nanoseconds (see time.hpp); used for prices only.
using Seconds = Quantity<struct SecondUnit, double>;

constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) { return Seconds(bytes.value() / rate.value()); }
constexpr Seconds operator/(Flops flops, FlopsPerSecond rate) { return Seconds(flops.value() / rate.value()); }

}  // namespace decodesim
