#pragma once
// A workload from its first request to its last, played by nobody.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "sim/workload/request_source.hpp"

namespace decodesim {

/// Calls `tell` with every request of `source` in the order of their indexes, the arrivals of later turns not set but for those
/// that hang on no answer. Keeps what stands between the turns of a session.
template <class Tell>
void for_every_request(RequestSource& source, const Tell& tell) {
  std::map<std::int64_t, Request> early;  // by index
  std::int64_t expected = 0;
  const auto tell_in_order = [&](const auto& is_due) {
    while (!early.empty() && is_due(early.begin()->first)) {
      const Request request = std::move(early.extract(early.begin()).mapped());
      expected = request.index + 1;
      tell(request);
    }
  };
  while (std::optional<Request> request = source.next()) {
    while (request) {
      std::optional<Request> following = source.next_turn(*request);
      early.emplace(request->index, std::move(*request));
      request = std::move(following);
    }
    tell_in_order([&](std::int64_t index) { return index == expected; });
  }
  tell_in_order([](std::int64_t) { return true; });
}

}  // namespace decodesim
