// Room set aside for tokens that never come: NVIDIA/TensorRT-LLM#2866 and #2865.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {

/// How full the server was while its largest request was in it: one entry a case, in their order.
class WhileLargeRuns : public Observer {
 public:
  struct Seen {
    std::int64_t most_running = 0;
    double fullest = 0;  // share of the blocks that anybody held
  };
  void step(const StepFacts& facts) override {
    if (large_ended_) return;
    Seen& seen = cases.back();
    seen.most_running = std::max(seen.most_running, facts.running);
    seen.fullest = std::max(seen.fullest, 1 - static_cast<double>(facts.free_blocks) / 82);
  }
  void ended(const RequestFacts& facts) override { large_ended_ = large_ended_ || facts.request->id == "large"; }
  void run_ended(const RunFacts&) override {
    large_ended_ = false;
    cases.emplace_back();
  }

  std::vector<Seen> cases{Seen{}};

 private:
  bool large_ended_ = false;
};

double end_of_large(const PlayedCase& played) {
  for (const EndedRequest& request : played.requests) {
    if (request.id == "large") return request.e2el;
  }
  return -1;
}

double mean_ttft_of_small(const PlayedCase& played) {
  double sum = 0;
  for (const EndedRequest& request : played.requests) sum += request.id == "large" ? 0 : request.ttft;
  return sum / static_cast<double>(played.requests.size() - 1);
}

}  // namespace

TEST_CASE("a request that asks for far more than it uses keeps all others out of a nearly empty cache") {
  WhileLargeRuns watch;
  auto played = play_behaviour("b17-reservation-by-max-tokens", &watch);
  const PlayedCase& no_evict = played.at("no-evict");
  const PlayedCase& max_utilization = played.at("max-utilization");
  const WhileLargeRuns::Seen& reserved = watch.cases.at(0);
  const WhileLargeRuns::Seen& used = watch.cases.at(1);
  MESSAGE("running " << reserved.most_running << " with " << 100 * reserved.fullest << " % of the cache in use, and "
                     << used.most_running << " with " << 100 * used.fullest << " % without reservations");
  MESSAGE("small ones wait " << mean_ttft_of_small(no_evict) << " s, " << mean_ttft_of_small(max_utilization)
                             << " s without reservations");

  // Reported: one request blocks all others although the GPU is nearly idle. "Running = 1 with KV used far below 100 %":
  // its prompt and its real output are 800 of 5,248 tokens.
  CHECK(reserved.most_running == 1);
  CHECK(reserved.fullest <= 0.25);
  // Nobody else gets a token before it ends.
  for (const EndedRequest& request : no_evict.requests) {
    if (request.id == "large") continue;
    CHECK(0.5 * (request.id.back() - '1') + 1 + request.ttft > end_of_large(no_evict));
  }
  // Where only the next step needs room, all of them run together, and wait a small part of that.
  CHECK(used.most_running >= 5);
  CHECK(used.fullest >= 0.5);
  CHECK(mean_ttft_of_small(max_utilization) <= 0.25 * mean_ttft_of_small(no_evict));
  // The report gives no figures: all requests end in both cases.
  for (const PlayedCase* one : {&no_evict, &max_utilization}) {
    for (const EndedRequest& request : one->requests) CHECK(request.outcome == Outcome::completed);
  }
}

}  // namespace decodesim::tests
