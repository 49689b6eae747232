#pragma once
// Quantities as people write them, "80 GB" or "21 ms", and back.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/core/kind.hpp"

namespace decodesim {

/// A value of any kind: a flag; an integer for counts, tokens, durations in nanoseconds and the place of a choice in
/// its list; a double for the rest of the numbers, in bytes, seconds, FLOP and their ratios; text. Monostate is absent.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Why a text is no value of its kind. The sentence goes on after the key: "needs a time unit".
struct TextProblem {
  std::string code;  // of the diagnostic
  std::string message;
  std::string help;
};

/// A value, or why there is none.
struct ParsedValue {
  Value value;
  TextProblem problem;

  ParsedValue(Value read) : value(std::move(read)) {}
  ParsedValue(TextProblem found) : problem(std::move(found)) {}
  [[nodiscard]] bool ok() const { return problem.code.empty(); }
};

/// Reads every kind but choice. Exact where the text is: decimals are never rounded on the way to an integer, and
/// doubles are the nearest to what the text says. NaN, infinity, negative numbers and overflow are problems.
ParsedValue parse_value(Kind kind, std::string_view text);

/// The shortest text in any unit of the kind that reads back as the same value; absent is empty. No choices.
std::string value_text(Kind kind, const Value& value);

}  // namespace decodesim
