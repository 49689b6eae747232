// Requests that a scenario lists one by one.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/core/check.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/sources.hpp"

namespace decodesim {

namespace {

class ListSource final : public RequestSource {
 public:
  explicit ListSource(std::vector<Request> requests) : requests_(std::move(requests)) {
    std::stable_sort(requests_.begin(), requests_.end(),
                     [](const Request& a, const Request& b) { return a.arrival < b.arrival; });
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      Request& request = requests_[i];
      request.index = static_cast<std::int64_t>(i);
      if (request.max_tokens == 0) request.max_tokens = request.output_tokens;
      state_content(request);
      check(request.arrival >= Time{}, "a request arrives before time zero");
      check(request.input_tokens >= 1 && request.output_tokens >= 1, "a request without tokens");
      check(request.max_tokens >= request.output_tokens, "a request generates more than it asks for");
    }
  }

  std::optional<Request> next() override {
    if (position_ == requests_.size()) return std::nullopt;
    return requests_[position_++];
  }
  [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(requests_.size()); }

 private:
  std::vector<Request> requests_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<RequestSource> make_list_source(std::vector<Request> requests) {
  return std::make_unique<ListSource>(std::move(requests));
}

}  // namespace decodesim
