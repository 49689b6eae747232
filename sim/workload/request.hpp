#pragma once
// Who asks for what, when.

#include <cstdint>
#include <string>

#include "sim/core/quantity.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

struct Request {
  std::int64_t index = 0;          // position in the workload, from 0; ties in arrival are served in this order
  std::string id;                  // the user's name for it; empty: its index
  Time arrival{};                  // closed loop: set when a place becomes free
  std::int64_t input_tokens = 0;   // at least 1
  std::int64_t output_tokens = 0;  // what it will really generate, at least 1; no policy sees it
  std::int64_t max_tokens = 0;     // what the client asks for, at least output_tokens; policies see it
  std::int64_t priority = 0;       // smaller is more urgent, as in vLLM

  friend bool operator==(const Request&, const Request&) = default;
};

}  // namespace decodesim
