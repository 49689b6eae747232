#pragma once
// Requests from a list.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/workload/content.hpp"
#include "sim/workload/request_source.hpp"

namespace decodesim::tests {

/// Gives `requests` in their order, which must be that of their arrival; a closed loop where `concurrency` is given. Turns
/// behind the first of a session come when the one before them ended, and may stand anywhere behind it.
class VectorSource : public RequestSource {
 public:
  explicit VectorSource(std::vector<Request> requests, std::optional<std::int64_t> concurrency = std::nullopt,
                        std::optional<Time> closes = std::nullopt)
      : requests_(std::move(requests)), concurrency_(concurrency), closes_(closes) {}

  std::optional<Request> next() override {
    while (next_ < requests_.size() && requests_[next_].turn > 1) ++next_;
    if (next_ == requests_.size()) return std::nullopt;
    return requests_[next_++];
  }
  std::optional<Request> next_turn(const Request& ended) override {
    if (ended.turn == 0) return std::nullopt;
    for (Request turn : requests_) {
      if (turn.session != ended.session || turn.turn != ended.turn + 1) continue;
      continue_session(ended, turn);
      return turn;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(requests_.size()); }
  [[nodiscard]] std::optional<std::int64_t> concurrency() const override { return concurrency_; }
  [[nodiscard]] std::optional<Time> closes() const override { return closes_; }

 private:
  std::vector<Request> requests_;
  std::optional<std::int64_t> concurrency_;
  std::optional<Time> closes_;
  std::size_t next_ = 0;
};

}  // namespace decodesim::tests
