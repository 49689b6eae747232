#pragma once
// The kinds of values that scenarios hold, and the units of each.

#include <cstdint>
#include <span>
#include <string_view>
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

/// "a time" or "a bandwidth", for sentences.
std::string_view kind_name(Kind kind);
/// A well-formed value with a unit: "21 ms".
std::string_view kind_example(Kind kind);
/// Names of the units that a value of this kind takes; empty for plain numbers, flags and texts.
std::vector<std::string_view> unit_names(Kind kind);
/// True where a number alone, without a unit, is no value of the kind.
bool needs_unit(Kind kind);
/// "time" or "bandwidth", for "needs a time unit"; empty where the kind has none.
std::string_view unit_noun(Kind kind);

/// factor x 10^power10 x 2^power2 of the kind's own unit.
struct QuantityUnit {
  std::string_view name;
  int power10 = 0;
  int power2 = 0;
  std::int64_t factor = 1;
  bool printed = true;
};

/// The units that a value of this kind takes, decimal ones first and then binary ones, each from small to large.
std::span<const QuantityUnit> units_of(Kind kind);

}  // namespace decodesim
