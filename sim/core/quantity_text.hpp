#pragma once
// Quantities as people write them, "80 GB" or "21 ms", and back.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace decodesim {

/// What a value in a scenario is, and so which units it takes.
enum class Kind {
  flag,          // true or false
  count,         // a whole number
  tokens,        // a whole number; k is 1,024 and M is 1,024 k
  bytes,         // 80 GB, 80 GiB; rounded to whole bytes
  bandwidth,     // 3.35 TB/s
  flop_rate,     // 989.5 TFLOP/s
  duration,      // 21 ms, in whole nanoseconds
  latency,       // 2.1 us, in seconds before rounding; used for prices
  request_rate,  // 5 req/s
  fraction,      // 0.25 or 25 %
  number,        // 70.55e9
  choice,        // one of a list
  text,
  path,  // of a file, relative to the file that names it
};

/// A value of any kind: a flag; an integer for counts, tokens, durations in nanoseconds and the place of a choice in
/// its list; a double for the rest of the numbers, in bytes, seconds, FLOP and their ratios; text. Monostate is absent.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Why a text is no value of its kind. The sentence goes on after the key: "needs a time unit".
struct TextProblem {
  std::string code;  // of the diagnostic
  std::string message;
  std::string help;
};

/// Reads every kind but choice. Exact where the text is: decimals are never rounded on the way to an integer, and
/// doubles are the nearest to what the text says. NaN, infinity, negative numbers and overflow are problems.
std::variant<Value, TextProblem> parse_value(Kind kind, std::string_view text);

/// The shortest text in any unit of the kind that reads back as the same value; absent is empty. No choices.
std::string value_text(Kind kind, const Value& value);

/// "a time" or "a bandwidth", for sentences.
std::string_view kind_name(Kind kind);
/// A well-formed value with a unit: "21 ms".
std::string_view kind_example(Kind kind);
/// Names of the units that a value of this kind takes; empty for plain numbers, flags and texts.
std::vector<std::string_view> unit_names(Kind kind);
/// True where a number alone, without a unit, is no value of the kind.
bool needs_unit(Kind kind);

}  // namespace decodesim
