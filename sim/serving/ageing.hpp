#pragma once
// Work that counts for less the longer it waits, so that short work cannot keep long work out for ever.

#include <cstdint>

#include "sim/core/time.hpp"

namespace decodesim {

/// Compares `tokens` less one token for each `per_token` of waiting, without rounding. Zero: waiting counts nothing.
class Ageing {
 public:
  explicit Ageing(Duration per_token) : per_token_(per_token) {}

  /// Below, at or above zero: whether work of `a_tokens` that has waited for `a_waited` counts for less than the other.
  /// The waiting times may lack the same constant.
  [[nodiscard]] int compare(std::int64_t a_tokens, Duration a_waited, std::int64_t b_tokens, Duration b_waited) const {
    const std::int64_t more = a_tokens - b_tokens;
    if (per_token_ == Duration{}) return more < 0 ? -1 : more > 0 ? 1 : 0;
    // more x per_token against the difference of the waits, divided so that nothing overflows.
    const Duration wait = a_waited - b_waited;
    std::int64_t whole = wait / per_token_;
    Duration rest = wait % per_token_;
    if (rest < Duration{}) {
      --whole;
      rest += per_token_;
    }
    if (more != whole) return more < whole ? -1 : 1;
    return rest == Duration{} ? 0 : -1;
  }

 private:
  Duration per_token_;
};

}  // namespace decodesim
