// Requests that a scenario lists one by one.

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "sim/core/check.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/sources.hpp"

namespace decodesim {

namespace {

class ListSource final : public RequestSource {
 public:
  explicit ListSource(std::vector<Request> requests) : requests_(std::move(requests)) {
    count_turns();
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
    link_turns();
  }

  std::optional<Request> next() override {
    while (position_ < requests_.size() && requests_[position_].turn > 1) ++position_;
    if (position_ == requests_.size()) return std::nullopt;
    return requests_[position_++];
  }
  std::optional<Request> next_turn(const Request& ended) override {
    const std::size_t next = following_[static_cast<std::size_t>(ended.index)];
    if (next == none) return std::nullopt;
    Request turn = requests_[next];
    continue_session(ended, turn);
    return turn;
  }
  [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(requests_.size()); }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);

  // A turn comes no earlier than the one before it, so that the turns of a session stay in their order when all are sorted.
  void count_turns() {
    std::map<Name, const Request*> last;
    for (Request& request : requests_) {
      if (request.session.empty()) continue;
      const Request*& before = last[request.session];
      request.turn = before == nullptr ? 1 : before->turn + 1;
      if (before != nullptr) request.arrival = std::max(request.arrival, before->arrival);
      before = &request;
    }
  }
  void link_turns() {
    following_.assign(requests_.size(), none);
    std::map<Name, std::size_t> last;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].session.empty()) continue;
      const auto [place, is_first] = last.emplace(requests_[i].session, i);
      if (!is_first) following_[std::exchange(place->second, i)] = i;
    }
  }

  std::vector<Request> requests_;
  std::vector<std::size_t> following_;  // by index: the next turn of its session
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<RequestSource> make_list_source(std::vector<Request> requests) {
  return std::make_unique<ListSource>(std::move(requests));
}

}  // namespace decodesim
