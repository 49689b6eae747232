#pragma once
// Requests from a list.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/workload/request_source.hpp"

namespace decodesim::tests {

/// Gives `requests` in their order, which must be that of their arrival; a closed loop where `concurrency` is given.
class VectorSource : public RequestSource {
 public:
  explicit VectorSource(std::vector<Request> requests, std::optional<std::int64_t> concurrency = std::nullopt)
      : requests_(std::move(requests)), concurrency_(concurrency) {}

  std::optional<Request> next() override {
    if (next_ == requests_.size()) return std::nullopt;
    return requests_[next_++];
  }
  [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(requests_.size()); }
  [[nodiscard]] std::optional<std::int64_t> concurrency() const override { return concurrency_; }

 private:
  std::vector<Request> requests_;
  std::optional<std::int64_t> concurrency_;
  std::size_t next_ = 0;
};

}  // namespace decodesim::tests
