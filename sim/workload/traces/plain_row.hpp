#pragma once
// CSV rows as nearly all of them are: read from left to right, each byte once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/traces/row.hpp"

namespace decodesim {

/// Reads rows that have neither quotes nor blanks around their fields, and whose numbers are a few digits. It reads no other
/// row, nor one with a mistake: these are for who reads rows field by field, and comes to the same wherever this reads one.
class PlainRow {
 public:
  PlainRow() = default;
  PlainRow(std::vector<Meaning> meanings, const FieldRules& rules);

  /// Reads `line`, a line of TraceLines, from `offset` on. Returns false where it is not such a row; then some fields of
  /// `row` may be set.
  [[nodiscard]] bool read(std::string_view line, std::size_t offset, TraceRow& row);

 private:
  // Each reads a field from `at` on and goes behind it, or returns false.
  [[nodiscard]] static bool take_time(const char*& at, int decimals, std::int64_t& nanoseconds);
  [[nodiscard]] static bool take_tokens(const char*& at, std::int64_t& tokens);
  [[nodiscard]] bool take_date(const char*& at, const char* end, std::int64_t& nanoseconds);
  [[nodiscard]] bool take_other(Meaning meaning, const char*& at, const char* end, TraceRow& row) const;

  std::vector<Meaning> meanings_;  // of the columns
  FieldRules rules_;
  std::string day_;            // that the last date had, as it was written
  std::int64_t midnight_ = 0;  // of it, ns
};

}  // namespace decodesim
