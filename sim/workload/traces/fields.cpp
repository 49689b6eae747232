#include "sim/workload/traces/fields.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace decodesim {

namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view not_a_time(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::ns:
      return "expected nanoseconds as a decimal number";
    case TimeUnit::us:
      return "expected microseconds as a decimal number";
    case TimeUnit::ms:
      return "expected milliseconds as a decimal number";
    case TimeUnit::s:
      return "expected decimal seconds, such as 12 or 0.25";
  }
  return {};
}

}  // namespace

std::string_view read_integer(std::string_view field, std::int64_t& value) {
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc::result_out_of_range) return "expected a number that fits 64 bits";
  if (error != std::errc() || stop != end) return "expected a whole number, digits only";
  return {};
}

std::string_view read_tokens_or_zero(std::string_view field, std::int64_t& value) {
  const std::string_view wrong = read_integer(field, value);
  if (!wrong.empty()) return wrong;
  if (value < 0) return "a number of tokens is not negative";
  return value > 1'000'000'000 ? "expected at most 1000000000 tokens" : "";
}

std::string_view read_tokens(std::string_view field, std::int64_t& value) {
  const std::string_view wrong = read_tokens_or_zero(field, value);
  return wrong.empty() && value == 0 ? "expected at least 1 token" : wrong;
}

std::string_view read_hash_id(std::string_view field, std::int64_t& value) {
  const std::string_view wrong = read_integer(field, value);
  if (!wrong.empty()) return wrong;
  if (value < 0) return "an id is not negative";
  return value >= std::int64_t{1} << 62 ? "expected an id below 2^62, so that it stays itself" : "";
}

std::string_view read_number(std::string_view field, double& value) {
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  return error == std::errc() && stop == end && std::isfinite(value) && value >= 0
             ? ""
             : "expected a decimal number that is not negative";
}

std::string_view read_nanoseconds(std::string_view field, std::int64_t& value) {
  const std::string_view wrong = read_integer(field, value);
  if (!wrong.empty()) return wrong;
  if (value < 0) return "a request does not arrive before time zero";
  if (value > std::int64_t{1} << 62) return "expected at most 2^62 ns, which is 146 years";
  return {};
}

std::string_view read_time(std::string_view field, TimeUnit unit, std::int64_t& value) {
  const std::string_view not_a_number = not_a_time(unit);
  if (!field.empty() && field[0] == '-') return "a request does not arrive before time zero";
  // The digits are one whole number, which `shift` powers of ten turn into nanoseconds.
  std::uint64_t digits = 0;
  int shift = 3 * static_cast<int>(unit);
  std::size_t i = 0;
  bool any = false;
  bool in_fraction = false;
  for (; i < field.size(); ++i) {
    if (field[i] == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (!digit(field[i])) break;
    any = true;
    const bool fits = digits < 1'000'000'000'000'000'000u;  // so that another digit fits 64 bits
    if (fits) digits = digits * 10 + static_cast<std::uint64_t>(field[i] - '0');
    if (fits && in_fraction) --shift;
    if (!fits && !in_fraction) ++shift;
  }
  if (!any) return not_a_number;
  if (i < field.size() && (field[i] == 'e' || field[i] == 'E')) {
    int exponent = 0;
    if (++i < field.size() && field[i] == '+') ++i;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data() + i, end, exponent);
    if (error != std::errc() || stop != end || exponent < -1000 || exponent > 1000) return not_a_number;
    i = field.size();
    shift += exponent;
  }
  if (i != field.size()) return not_a_number;
  constexpr std::uint64_t limit = std::uint64_t{1} << 62;
  for (; shift > 0 && digits > 0; --shift) {
    if (digits > limit / 10) return "expected at most 2^62 ns, which is 146 years";
    digits *= 10;
  }
  // Only the last of the digits taken off decides whether half a nanosecond is reached.
  std::uint64_t last = 0;
  for (; shift < 0 && (digits > 0 || last > 0); ++shift) {
    last = digits % 10;
    digits /= 10;
  }
  digits += last >= 5 ? 1 : 0;
  if (digits > limit) return "expected at most 2^62 ns, which is 146 years";
  value = static_cast<std::int64_t>(digits);
  return {};
}

bool TraceFields::split(std::string_view line, std::size_t offset) {
  fields_.clear();
  if (!unquoted_.empty()) unquoted_.clear();
  std::size_t position = offset;
  while (true) {
    while (position < line.size() && blank(line[position])) ++position;
    if (position < line.size() && line[position] == '"') {
      if (!take_quoted(line, position)) return false;
    } else {
      const std::size_t start = position;
      while (position < line.size() && line[position] != ',') ++position;
      std::size_t end = position;
      while (end > start && blank(line[end - 1])) --end;
      fields_.push_back({line.substr(start, end - start), start});
    }
    if (position >= line.size()) return true;
    ++position;  // the comma
  }
}

/// From an opening quote to the comma or the end after the closing one.
bool TraceFields::take_quoted(std::string_view line, std::size_t& position) {
  const std::size_t start = position++;
  std::string& text = unquoted_.emplace_back();
  bool closed = false;
  while (position < line.size() && !closed) {
    const char c = line[position++];
    const bool doubled = c == '"' && position < line.size() && line[position] == '"';
    if (doubled) ++position;
    if (c == '"' && !doubled) closed = true;
    if (!closed) text += c;
  }
  fields_.push_back({text, start});
  while (position < line.size() && blank(line[position])) ++position;
  return closed && (position >= line.size() || line[position] == ',');
}

}  // namespace decodesim
