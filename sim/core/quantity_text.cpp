#include "sim/core/quantity_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "sim/core/decimal.hpp"
#include "sim/core/letters.hpp"
#include "sim/core/suggest.hpp"

namespace decodesim {

namespace {

bool is_whole(Kind kind) { return kind == Kind::count || kind == Kind::tokens || kind == Kind::duration; }

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

// A number as it stands at the front of a text.
struct Front {
  Decimal number;
  std::string_view number_text;
  std::string_view rest;
};

// More digits than this cannot matter to a double or to 64 bits, and exponents beyond it overflow both.
constexpr std::size_t most_digits = 60;
constexpr int largest_exponent = 400;

TextProblem not_a_number(Kind kind, std::string_view text) {
  return {"not-a-number", "takes " + std::string(kind_name(kind)) + ", not '" + std::string(text) + "'",
          "write it like '" + std::string(kind_example(kind)) + "'"};
}

std::variant<Front, TextProblem> split(Kind kind, std::string_view text) {
  const std::string small = lower(text);
  for (std::string_view word :
       {".nan", "nan", "-nan", ".inf", "+.inf", "-.inf", "inf", "-inf", "infinity", "-infinity"}) {
    if (small == word)
      return TextProblem{"not-finite", "must be a finite number",
                         "write it like '" + std::string(kind_example(kind)) + "'"};
  }
  if (!text.empty() && text.front() == '-' && text.size() > 1 && (is_digit(text[1]) || text[1] == '.')) {
    return TextProblem{"out-of-range", "must not be negative",
                       "write it like '" + std::string(kind_example(kind)) + "'"};
  }
  std::size_t at = 0;
  Front front;
  int point = 0;
  bool seen_point = false;
  std::size_t whole_digits = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !seen_point) {
      seen_point = true;
    } else if (is_digit(text[at])) {
      front.number.digits += text[at];
      if (seen_point)
        ++point;
      else
        ++whole_digits;
    } else {
      break;
    }
  }
  if (front.number.digits.empty()) return not_a_number(kind, text);
  if (at < text.size() && (text[at] == ',' || text[at] == '_') && at + 1 < text.size() && is_digit(text[at + 1])) {
    std::string plain;
    for (char letter : text) {
      if (letter != ',' && letter != '_') plain += letter;
    }
    return TextProblem{"not-a-number", "takes a number without separators", "write '" + plain + "'"};
  }
  // YAML 1.1 reads 010 as eight and 1.2 as ten; nobody should have to know.
  if (whole_digits > 1 && front.number.digits[0] == '0') {
    return TextProblem{"leading-zero", "has a leading zero, which YAML may read as octal",
                       "write '" +
                           std::string(text.substr(text.find_first_not_of('0') < at ? text.find_first_not_of('0')
                                                                                    : whole_digits - 1)) +
                           "'"};
  }
  int exponent = 0;
  if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t digit = at + 1;
    if (text[digit] == '+' || text[digit] == '-') ++digit;
    if (digit < text.size() && is_digit(text[digit])) {
      const bool negative = text[at + 1] == '-';
      for (at = digit; at < text.size() && is_digit(text[at]); ++at)
        exponent = std::min(exponent * 10 + (text[at] - '0'), 10 * largest_exponent);
      if (negative) exponent = -exponent;
    }
  }
  front.number_text = text.substr(0, at);
  front.rest = trimmed(text.substr(at));
  Decimal& number = front.number;
  number.exponent = exponent - point;
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  while (!number.digits.empty() && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  if (number.digits.empty()) number.exponent = 0;
  if (number.digits.size() > most_digits || number.exponent > largest_exponent || number.exponent < -largest_exponent) {
    return TextProblem{"out-of-range", "has more digits than any number needs",
                       "write it like '" + std::string(kind_example(kind)) + "'"};
  }
  return front;
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// What to write instead of a number without a unit.
std::string unit_fix(Kind kind, std::string_view number) {
  const auto either = [&](std::string_view a, std::string_view b) {
    return "write '" + std::string(number) + " " + std::string(a) + "' or '" + std::string(number) + " " +
           std::string(b) + "'";
  };
  switch (kind) {
    case Kind::bytes:
      return either("GB", "GiB");
    case Kind::bandwidth:
      return either("GB/s", "TB/s");
    case Kind::flop_rate:
      return either("TFLOP/s", "GFLOP/s");
    case Kind::latency:
      return either("us", "ns");
    case Kind::request_rate:
      return "write '" + std::string(number) + " req/s'";
    default:
      return either("ms", "s");
  }
}

// Units that people write for one of ours.
std::string_view unit_meant(Kind kind, std::string_view unit) {
  struct Meant {
    Kind kind;
    std::string_view theirs;
    std::string_view ours;
  };
  static constexpr Meant known[] = {
      {Kind::request_rate, "rps", "req/s"},
      {Kind::request_rate, "qps", "req/s"},
      {Kind::request_rate, "/s", "req/s"},
      {Kind::request_rate, "request/s", "req/s"},
      {Kind::request_rate, "requests/s", "req/s"},
      {Kind::request_rate, "reqs/s", "req/s"},
      {Kind::request_rate, "req/sec", "req/s"},
      {Kind::request_rate, "1/s", "req/s"},
      {Kind::request_rate, "hz", "req/s"},
      {Kind::duration, "sec", "s"},
      {Kind::duration, "seconds", "s"},
      {Kind::duration, "second", "s"},
      {Kind::duration, "msec", "ms"},
      {Kind::duration, "usec", "us"},
      {Kind::duration, "\xc2\xb5s", "us"},
      {Kind::duration, "minutes", "min"},
      {Kind::duration, "hours", "h"},
      {Kind::latency, "sec", "s"},
      {Kind::latency, "msec", "ms"},
      {Kind::latency, "usec", "us"},
      {Kind::latency, "\xc2\xb5s", "us"},
      {Kind::tokens, "k", "k"},
      {Kind::tokens, "m", "M"},
      {Kind::tokens, "ktokens", "k"},
      {Kind::tokens, "k tokens", "k"},
  };
  const std::string plain = lower(unit);
  for (const Meant& meant : known) {
    if (meant.kind == kind && meant.theirs == plain) return meant.ours;
  }
  return {};
}

ParsedValue parse_number(Kind kind, std::string_view text) {
  auto parts = split(kind, text);
  if (auto* problem = std::get_if<TextProblem>(&parts)) return std::move(*problem);
  const Front& front = std::get<Front>(parts);
  const QuantityUnit* unit = nullptr;
  for (const QuantityUnit& candidate : units_of(kind)) {
    if (candidate.name == front.rest) unit = &candidate;
  }
  if (unit == nullptr) {
    if (front.rest.empty()) {
      return TextProblem{"missing-unit", "needs a " + std::string(unit_noun(kind)) + " unit",
                         unit_fix(kind, front.number_text)};
    }
    const std::vector<std::string_view> names = unit_names(kind);
    if (names.empty()) return not_a_number(kind, text);
    if (const std::string_view meant = unit_meant(kind, front.rest); !meant.empty()) {
      const std::string space = kind == Kind::tokens ? "" : " ";
      return TextProblem{
          "wrong-unit",
          "takes " + std::string(kind_name(kind)) + "; '" + std::string(front.rest) + "' is no unit of it",
          "write '" + std::string(front.number_text) + space + std::string(meant) + "'"};
    }
    return TextProblem{"wrong-unit",
                       "takes " + std::string(kind_name(kind)) + "; '" + std::string(front.rest) + "' is no unit of it",
                       suggestion(front.rest, names)};
  }
  if (is_whole(kind)) {
    std::int64_t value = 0;
    switch (to_whole(front.number, *unit, value)) {
      case WholeTrouble::none:
        return Value(value);
      case WholeTrouble::too_large:
        return TextProblem{"out-of-range", "is too large", "the largest value is " + value_text(kind, Value(largest))};
      case WholeTrouble::not_whole:
        if (kind == Kind::duration)
          return TextProblem{"out-of-range", "is finer than a nanosecond", "round it to whole nanoseconds"};
        return TextProblem{"not-a-number", "must be a whole number",
                           "write it like '" + std::string(kind_example(kind)) + "'"};
    }
  }
  std::optional<double> value = to_double(front.number, *unit);
  if (!value)
    return TextProblem{"out-of-range", "is beyond the range of numbers",
                       "write it like '" + std::string(kind_example(kind)) + "'"};
  if (kind == Kind::bytes) value = std::floor(*value + 0.5);
  return Value(*value);
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

// `value` in `unit` with as few decimals as read back to it, if six or fewer do.
std::optional<std::string> in_unit(Kind kind, double value, const QuantityUnit& unit) {
  double scaled = std::ldexp(value, -unit.power2);
  for (int power = unit.power10; power > 0; --power) scaled /= 10;
  for (int power = unit.power10; power < 0; ++power) scaled *= 10;
  const bool base = unit.power10 == 0 && unit.power2 == 0;
  if (scaled >= 1e5 || (scaled < 1 && !base)) return std::nullopt;
  for (int decimals = 0; decimals <= 6; ++decimals) {
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), scaled, std::chars_format::fixed, decimals).ptr;
    std::string text = std::string(buffer.data(), end) + " " + std::string(unit.name);
    const ParsedValue back = parse_value(kind, text);
    if (back.ok() && back.value == Value(value)) return text;
  }
  return std::nullopt;
}

std::string double_text(Kind kind, double value) {
  if (kind == Kind::number || kind == Kind::fraction) return shortest(value);
  std::optional<std::string> best;
  std::string_view base;
  for (const QuantityUnit& unit : units_of(kind)) {
    if (unit.power10 == 0 && unit.power2 == 0) base = unit.name;
    if (!unit.printed) continue;
    std::optional<std::string> text = in_unit(kind, value, unit);
    const bool nicer =
        text && (!best || text->size() < best->size() || (text->size() == best->size() && unit.power2 == 0));
    if (nicer) best = std::move(text);
  }
  return best ? *best : shortest(value) + " " + std::string(base);
}

// The shortest of 1500000 ns, 1500 us and 1.5 ms.
std::string duration_text(std::int64_t nanoseconds) {
  std::string best = std::to_string(nanoseconds) + " ns";
  std::int64_t scale = 1;
  int places = 0;
  for (std::string_view name : {"us", "ms", "s"}) {
    scale *= 1000;
    places += 3;
    if (nanoseconds < scale && nanoseconds != 0) break;
    std::string decimals = std::to_string(nanoseconds % scale);
    decimals.insert(0, static_cast<std::size_t>(places) - decimals.size(), '0');
    while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
    std::string text =
        std::to_string(nanoseconds / scale) + (decimals.empty() ? "" : "." + decimals) + " " + std::string(name);
    if (text.size() <= best.size()) best = std::move(text);
  }
  return best;
}

}  // namespace

ParsedValue parse_value(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::flag:
      if (text == "true") return Value(true);
      if (text == "false") return Value(false);
      return TextProblem{"not-a-flag", "takes true or false, not '" + std::string(text) + "'",
                         "write 'true' or 'false'"};
    case Kind::text:
    case Kind::path:
    case Kind::choice:
      return Value(std::string(text));
    default:
      return parse_number(kind, trimmed(text));
  }
}

std::string value_text(Kind kind, const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) {
    return kind == Kind::duration ? duration_text(*whole) : std::to_string(*whole);
  }
  if (const double* real = std::get_if<double>(&value)) return double_text(kind, *real);
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

}  // namespace decodesim
