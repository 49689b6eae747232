#pragma once
// The columns of decodesim's own trace, as they are written.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/workload/request.hpp"

namespace decodesim {

struct WrittenColumn {
  std::string_view name;
  /// Does the request say something that an empty field does not?
  bool (*needed)(const Request& request);
  /// Puts the field behind `row`.
  void (*append)(const Request& request, std::string& row);
};

/// Behind input_tokens and output_tokens, in the order in which they are written.
std::span<const WrittenColumn> written_columns();

/// Seconds with as many of nine decimals as it takes.
std::string written_seconds(std::int64_t nanoseconds);

/// Does its prompt begin with tokens of the turn before it that no hash id stands for?
bool continues_session(const Request& request);

/// Throws std::invalid_argument where a row could not say what `request` says.
void require_writable(const Request& request);

/// Throws std::invalid_argument where `text` holds a control character.
void require_no_controls(std::string_view text);

}  // namespace decodesim
