#pragma once
// When a client gives up on its request.

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/serving/observer.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

/// After so long, counted from its arrival, a request that is not answered leaves, for this reason.
struct Leaving {
  Duration after{};
  std::string_view reason;
};

/// The earlier of its timeout and its cancellation; of both at once the timeout. Nothing where its client waits for ever.
inline std::optional<Leaving> leaving_of(const Request& request) {
  if (!request.timeout && !request.cancel_after) return std::nullopt;
  if (request.timeout && (!request.cancel_after || *request.timeout <= *request.cancel_after))
    return Leaving{*request.timeout, reason_timed_out};
  return Leaving{*request.cancel_after, reason_cancelled_by_client};
}

/// A request whose client may leave is looked for by its index; all others cost nothing.
inline bool may_leave(const Request& request) { return request.timeout || request.cancel_after; }

}  // namespace decodesim
