#include "sim/report/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace decodesim {

namespace {

/// units / 10^decimals as text, without ever leaving the integers.
std::string decimal_text(std::int64_t units, int decimals, Zeros zeros) {
  const bool negative = units < 0;
  const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(units) : static_cast<std::uint64_t>(units);
  std::string text = std::to_string(size);
  const auto places = static_cast<std::size_t>(decimals);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, 1, '.');
  if (zeros == Zeros::trimmed) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return negative ? "-" + text : text;
}

/// Puts commas into the integer part of a decimal number.
std::string with_separators(std::string text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

}  // namespace

std::string seconds_text(Duration duration, Zeros zeros) { return decimal_text(duration.count(), 9, zeros); }
std::string milliseconds_text(Duration duration) { return decimal_text(duration.count(), 6, Zeros::kept); }

std::string fixed_text(double number, int decimals) {
  if (!std::isfinite(number)) return "n/a";
  std::array<char, 400> room;  // the largest double has 309 digits before the point
  const auto result = std::to_chars(room.data(), room.data() + room.size(), number, std::chars_format::fixed, decimals);
  std::string text(room.data(), result.ptr);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string grouped(std::int64_t number) { return with_separators(std::to_string(number)); }

std::string counted(std::int64_t count, std::string_view noun) {
  return grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string significant(double number, int digits) {
  if (!std::isfinite(number)) return "n/a";
  int decimals = digits - 1;
  double size = std::fabs(number);
  for (; size >= 10 && decimals > 0; size /= 10) --decimals;
  if (size > 0) {
    for (; size < 1 && decimals < 12; size *= 10) ++decimals;
  } else {
    decimals = 0;
  }
  std::string text = fixed_text(number, decimals);
  // 9.9996 at four digits became 10.000: one decimal less.
  const auto count_digits = [](std::string_view t) {
    int count = 0;
    bool leading = true;
    for (char c : t) {
      if (c < '0' || c > '9') continue;
      leading = leading && c == '0';
      count += leading ? 0 : 1;
    }
    return count;
  };
  if (decimals > 0 && count_digits(text) > digits) text = fixed_text(number, decimals - 1);
  return with_separators(text);
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "n/a";
  const double size = share * 100;
  if (size > 0 && size < 0.005) return "<0.01 %";
  if (size < 9.995) return fixed_text(size, size == 0 ? 0 : 2) + " %";
  return fixed_text(size, size < 99.95 ? 1 : 0) + " %";
}

std::string bytes_text(double bytes) {
  static constexpr std::array<std::string_view, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; std::fabs(bytes) >= 999.95 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return significant(bytes, 4) + " " + std::string(units[unit]);
}

std::string time_text(double seconds, int digits, Zeros zeros) {
  if (!std::isfinite(seconds)) return "n/a";
  const double size = std::fabs(seconds);
  const bool whole = size == 0 || size >= 1;
  std::string text = significant(whole ? seconds : size >= 1e-3 ? seconds * 1e3 : seconds * 1e6, digits);
  if (zeros == Zeros::trimmed && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + (whole ? " s" : size >= 1e-3 ? " ms" : " us");
}

}  // namespace decodesim
