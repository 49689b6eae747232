#pragma once
// A workload from its first request to its last, played by nobody.

#include <optional>
#include <utility>

#include "sim/workload/request_source.hpp"

namespace decodesim {

/// Calls `tell` with every request of `source`, the turns of a session together, in the order of their indexes, their arrivals
/// not set but for those that hang on no answer.
template <class Tell>
void for_every_request(RequestSource& source, const Tell& tell) {
  while (std::optional<Request> request = source.next()) {
    while (request) {
      tell(*request);
      request = source.next_turn(*request);
    }
  }
}

}  // namespace decodesim
