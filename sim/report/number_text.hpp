#pragma once
// Numbers as text for people and for files, the same on every machine and in every locale.

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/time.hpp"

namespace decodesim {

enum class Zeros { kept, trimmed };

/// Seconds from whole nanoseconds, exactly: nine decimals, or without trailing zeros.
std::string seconds_text(Duration duration, Zeros zeros = Zeros::kept);
/// Milliseconds from whole nanoseconds, exactly: six decimals.
std::string milliseconds_text(Duration duration);

/// `number` with a fixed count of decimals (0 to 17), rounded as printf does; "n/a" where it is not finite.
std::string fixed_text(double number, int decimals);
/// An integer with thousands separators: 1,317,440.
std::string grouped(std::int64_t number);
/// So many things, with the plural's s where it is due: 1 request, 1,065 requests.
std::string counted(std::int64_t count, std::string_view noun);
/// About `digits` significant digits, never fewer than the integer part has, with thousands separators: 15,041, 46.9,
/// 0.0213. "n/a" where it is not finite.
std::string significant(double number, int digits = 4);
/// A share, not negative, as a percentage: 98.2 %, 3.33 %, <0.01 %.
std::string percent(double share);
/// Bytes with a decimal prefix: 184.1 GB.
std::string bytes_text(double bytes);
/// A number of seconds in the unit that suits it: 21.34 ms, 4.250 s. Trimmed of zeros it is 4.25 s.
std::string time_text(double seconds, int digits = 4, Zeros zeros = Zeros::kept);

}  // namespace decodesim
