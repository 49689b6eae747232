#include "sim/workload/traces/plain_row.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/workload/traces/fields.hpp"

namespace decodesim {

namespace {

constexpr std::int64_t powers_of_ten[] = {1,       10,        100,        1'000,       10'000,
                                          100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

/// The first of eight bytes lowest, whatever the machine; compilers make one load of it.
std::uint64_t eight_bytes(const char* at) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) bytes |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  return bytes;
}

/// The number of eight digits, a byte each and the first lowest: neighbours join to numbers of two, four and eight digits.
std::uint64_t joined(std::uint64_t digits) {
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FF;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFF;
  return (digits * 10'000 + (digits >> 32)) & 0x00000000FFFFFFFF;
}

/// Digits found: where they end, and their number, which is right up to 18 of them.
struct Digits {
  const char* end;
  std::int64_t value;
};

constexpr std::uint64_t zeros = 0x3030303030303030;

/// The highest bit of a byte is set where it is above 9. A carry spoils only bytes behind the first such one.
constexpr std::uint64_t others_in(std::uint64_t digits) {
  return ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
}

/// Eight digits or more.
Digits many_digits(const char* at) {
  std::uint64_t sum = 0;
  for (; others_in(eight_bytes(at) ^ zeros) == 0; at += 8) sum = sum * 100'000'000 + joined(eight_bytes(at) ^ zeros);
  for (; *at >= '0' && *at <= '9'; ++at) sum = sum * 10 + static_cast<std::uint64_t>(*at - '0');
  return {at, static_cast<std::int64_t>(sum)};
}

/// All digits from `at` on, at once, so that how many they are is no branch to guess.
inline Digits digits_at(const char* at) {
  const std::uint64_t digits = eight_bytes(at) ^ zeros;
  const std::uint64_t others = others_in(digits);
  if (others == 0) [[unlikely]]
    return many_digits(at);
  const int count = std::countr_zero(others) / 8;
  // Two shifts, since one by 64 bits is none.
  return {at + count, static_cast<std::int64_t>(joined(digits << (56 - 8 * count) << 8))};
}

bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

PlainRow::PlainRow(std::vector<Meaning> meanings, const FieldRules& rules)
    : meanings_(std::move(meanings)), rules_(rules) {}

bool PlainRow::take_time(const char*& at, int decimals, std::int64_t& nanoseconds) {
  const Digits whole = digits_at(at);
  if (whole.end == at || whole.end - at > 18 - decimals) return false;
  at = whole.end;
  nanoseconds = whole.value * powers_of_ten[decimals];
  if (*at != '.') return true;
  const Digits fraction = digits_at(++at);
  const std::ptrdiff_t behind = fraction.end - at;
  if (behind > decimals) return false;
  at = fraction.end;
  nanoseconds += fraction.value * powers_of_ten[decimals - behind];
  return true;
}

bool PlainRow::take_tokens(const char*& at, std::int64_t& tokens) {
  const Digits digits = digits_at(at);
  const std::ptrdiff_t count = digits.end - at;
  at = digits.end;
  tokens = digits.value;
  return count > 0 && count < 10;
}

/// `2023-11-16 18:15:46.6805900`, and no offset but that of UTC. The day is mostly that of the row before.
bool PlainRow::take_date(const char*& at, const char* end, std::int64_t& nanoseconds) {
  constexpr std::ptrdiff_t day_size = 10;
  constexpr std::ptrdiff_t size = 19;
  if (end - at < size) return false;
  const std::string_view day(at, day_size);
  if (day != day_) {
    if (!read_timestamp(std::string(day) + " 00:00:00", midnight_).empty()) return false;
    day_ = day;
  }
  const char* const clock = at + day_size;
  if ((clock[0] != ' ' && clock[0] != 'T') || clock[3] != ':' || clock[6] != ':') return false;
  std::int64_t parts[3] = {};
  constexpr std::int64_t limits[] = {24, 60, 60};
  for (int i = 0; i < 3; ++i) {
    const int tens = clock[3 * i + 1] - '0';
    const int ones = clock[3 * i + 2] - '0';
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return false;
    parts[i] = 10 * tens + ones;
    if (parts[i] >= limits[i]) return false;
  }
  at += size;
  nanoseconds = midnight_ + ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1'000'000'000;
  if (*at == '.') {
    const Digits fraction = digits_at(++at);
    const std::ptrdiff_t count = fraction.end - at;
    if (count == 0 || count > 9) return false;
    at = fraction.end;
    nanoseconds += fraction.value * powers_of_ten[9 - count];
  }
  constexpr std::string_view utc = "+00:00";
  if (std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(utc)) at += utc.size();
  return true;
}

bool PlainRow::take_other(Meaning meaning, const char*& at, const char* end, TraceRow& row) const {
  const char* const stop = std::find(at, end, ',');
  const std::string_view text(at, static_cast<std::size_t>(stop - at));
  at = stop;
  if (!text.empty() && (text.front() == '"' || blank(text.front()) || blank(text.back()))) return false;
  return set_field(meaning, text, rules_, row).empty();
}

bool PlainRow::read(std::string_view line, std::size_t offset, TraceRow& row) {
  const char* at = line.data() + offset;
  const char* const end = line.data() + line.size();
  Request& request = row.request;
  const auto place = [&] { return static_cast<std::size_t>(at - line.data()); };
  row.timed = true;
  bool good = true;
  for (std::size_t i = 0; i < meanings_.size(); ++i) {
    const Meaning meaning = meanings_[i];
    switch (meaning) {
      case Meaning::time:
        row.time_at = place();
        good = take_time(at, 3 * static_cast<int>(rules_.unit), row.time);
        break;
      case Meaning::time_s:
        row.time_at = place();
        good = take_time(at, 9, row.time);
        break;
      case Meaning::date_time:
        row.time_at = place();
        good = take_date(at, end, row.time);
        break;
      case Meaning::input_tokens:
        row.input_at = place();
        good = take_tokens(at, request.input_tokens);
        break;
      case Meaning::output_tokens:
        row.output_at = place();
        good = take_tokens(at, request.output_tokens);
        break;
      default:
        if (meaning == Meaning::time_ns) row.time_at = place();
        if (meaning == Meaning::hash_ids) row.ids_at = place();
        good = take_other(meaning, at, end, row);
    }
    // Behind every field but the last stands a comma; the end of the line is no comma.
    if (!good || (at != end && *at != ',')) return false;
    if (at == end) return i + 1 == meanings_.size();
    ++at;
  }
  return false;  // more fields than names
}

}  // namespace decodesim
