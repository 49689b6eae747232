// The source of generated requests: who comes when, and the sessions that are going on.

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/generators/arrival_order.hpp"
#include "sim/workload/generators/mixture.hpp"
#include "sim/workload/sources.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

namespace {

// As many as a workload may have.
constexpr std::int64_t most_requests = 1'000'000'000;

/// Everything that is drawn. A copy plays the same again.
class Generation {
 public:
  Generation(const WorkloadSpec& workload, std::uint64_t seed)
      : most_(workload.num_requests > 0 ? workload.num_requests : most_requests), mixture_(workload, seed) {
    if (!workload.max_concurrency) arrivals_.emplace(workload, seed);
  }

  /// A request that stands alone, or all turns of a session; empty at the end.
  std::vector<Request> next() {
    if (position_ == most_) return {};
    ArrivalOrder::Arrival arrival{};
    if (arrivals_) {
      const std::optional<ArrivalOrder::Arrival> found = arrivals_->next();
      if (!found) return {};
      arrival = *found;
    }
    std::vector<Request> drawn = mixture_.next(arrival.client, position_, most_ - position_);
    for (Request& request : drawn) request.arrival = arrival.at;
    position_ += static_cast<std::int64_t>(drawn.size());
    return drawn;
  }

  /// How many requests are to come.
  [[nodiscard]] std::int64_t count(bool sessions) const {
    if (!arrivals_ || !arrivals_->ends()) return most_;
    std::int64_t counted = 0;
    if (sessions) {
      for (Generation again = *this; const auto drawn = again.next().size();)
        counted += static_cast<std::int64_t>(drawn);
      return counted;
    }
    for (ArrivalOrder again = *arrivals_; counted < most_ && again.next();) ++counted;
    return counted;
  }

 private:
  std::int64_t most_;
  std::int64_t position_ = 0;
  std::optional<ArrivalOrder> arrivals_;  // open loop
  Mixture mixture_;
};

class GeneratorSource final : public RequestSource {
 public:
  GeneratorSource(const WorkloadSpec& workload, std::uint64_t seed)
      : generation_(workload, seed),
        count_(generation_.count(has_sessions(workload))),
        concurrency_(workload.max_concurrency) {
    check(workload.num_requests > 0 || workload.duration || generation_ends(workload), "a workload without an end");
    const bool may_be_cut = concurrency_ || has_sessions(workload);
    if (workload.duration && may_be_cut) closes_ = Time(*workload.duration);
  }

  std::optional<Request> next() override {
    std::vector<Request> drawn = generation_.next();
    if (drawn.empty()) return std::nullopt;
    Request first = drawn.front();
    if (drawn.size() > 1) {
      std::reverse(drawn.begin(), drawn.end());
      talks_.emplace(first.index, std::move(drawn));
    }
    return first;
  }

  std::optional<Request> next_turn(const Request& ended) override {
    auto talk = talks_.extract(ended.index);
    if (talk.empty()) return std::nullopt;
    std::vector<Request>& left = talk.mapped();
    const Request before = std::move(left.back());
    left.pop_back();
    continue_session(before, left.back());
    Request turn = left.back();
    if (left.size() > 1) {
      talk.key() = turn.index;
      talks_.insert(std::move(talk));
    }
    return turn;
  }

  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] std::optional<std::int64_t> concurrency() const override { return concurrency_; }
  [[nodiscard]] std::optional<Time> closes() const override { return closes_; }

 private:
  static bool generation_ends(const WorkloadSpec& workload) {
    return !workload.max_concurrency && ArrivalOrder(workload, 0).ends();
  }

  Generation generation_;
  std::int64_t count_;
  std::optional<std::int64_t> concurrency_;
  std::optional<Time> closes_;
  // The turn in flight and those to come, the last of them first, by the index of the one in flight.
  std::unordered_map<std::int64_t, std::vector<Request>> talks_;
};

}  // namespace

std::unique_ptr<RequestSource> make_generator_source(const WorkloadSpec& workload, std::uint64_t seed) {
  return std::make_unique<GeneratorSource>(workload, seed);
}

}  // namespace decodesim
