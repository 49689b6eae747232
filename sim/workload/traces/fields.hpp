#pragma once
// The single fields of a trace's row, and how a row falls into them.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

/// Each reader sets `value` and returns an empty text, or says what is wrong with the field and how to mend it.

/// 1 to 1,000,000,000.
std::string_view read_tokens(std::string_view field, std::int64_t& value);
/// 0 to 1,000,000,000: what becomes of a zero is decided elsewhere.
std::string_view read_tokens_or_zero(std::string_view field, std::int64_t& value);
/// 0 to 2^62 - 1: what stands above are keys of our own.
std::string_view read_hash_id(std::string_view field, std::int64_t& value);
/// Any integer of 64 bits.
std::string_view read_integer(std::string_view field, std::int64_t& value);
/// A decimal number, also as 1.5e-05; not negative.
std::string_view read_number(std::string_view field, double& value);
/// Nanoseconds as a whole number, 0 to 2^62.
std::string_view read_nanoseconds(std::string_view field, std::int64_t& value);
/// A decimal number of `unit`, also as 1.5e-05, to nanoseconds; half of one goes up.
std::string_view read_time(std::string_view field, TimeUnit unit, std::int64_t& value);
/// A date and a time of day (see formats/azure.cpp) to nanoseconds since 1970-01-01 00:00:00 UTC; years 1970 to 2261.
std::string_view read_timestamp(std::string_view field, std::int64_t& value);

/// The fields of one CSV line, reused from line to line.
class TraceFields {
 public:
  /// Splits `line` from `offset` on. Blanks around a field are not part of it. Returns false at an unclosed quote or
  /// text after a closing one; then the last field is the one meant.
  bool split(std::string_view line, std::size_t offset);

  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] std::string_view text(std::size_t i) const { return fields_[i].text; }
  /// Where field `i` begins in the line, in bytes from 0.
  [[nodiscard]] std::size_t offset(std::size_t i) const { return fields_[i].offset; }

 private:
  struct Field {
    std::string_view text;
    std::size_t offset;
  };
  bool take_quoted(std::string_view line, std::size_t& position);

  std::vector<Field> fields_;
  std::deque<std::string> unquoted_;  // a deque, since the fields look into it
};

}  // namespace decodesim
