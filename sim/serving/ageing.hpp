#pragma once
// Work that counts for less the longer it waits, so that short work cannot keep long work out for ever.

#include <cstdint>

#include "sim/core/time.hpp"
#include "sim/serving/sequence.hpp"

namespace decodesim {

/// Work of so many tokens that has waited for so long. The waiting times of two that are compared may lack the same constant.
struct Aged {
  std::int64_t tokens = 0;
  Duration waited{};
  std::int64_t index = 0;  // of the request
};

/// One that waits until now, which falls out where both do.
inline Aged aged_waiting(const Sequence& waiting, std::int64_t tokens) {
  return {tokens, waiting.waited - waiting.waits_since.time_since_epoch(), waiting.request.index};
}

/// Compares tokens less one for each `per_token` of waiting, without rounding. Zero: waiting counts nothing. Of equal ones
/// the one of fewer tokens goes before, then the first that came.
class Ageing {
 public:
  explicit Ageing(Duration per_token) : per_token_(per_token) {}

  [[nodiscard]] bool before(const Aged& a, const Aged& b) const {
    const std::int64_t more = a.tokens - b.tokens;
    if (per_token_ != Duration{}) {
      // more x per_token against the difference of the waits, divided so that nothing overflows.
      const Duration wait = a.waited - b.waited;
      std::int64_t whole = wait / per_token_;
      Duration rest = wait % per_token_;
      if (rest < Duration{}) {
        --whole;
        rest += per_token_;
      }
      if (more != whole) return more < whole;
      if (rest != Duration{}) return true;
    }
    return more != 0 ? more < 0 : a.index < b.index;
  }

 private:
  Duration per_token_;
};

}  // namespace decodesim
