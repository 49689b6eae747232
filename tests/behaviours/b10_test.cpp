// What tensor parallelism brings: vllm-project/vllm#16300, #8089 and #1888.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("four times the ranks bring less than four times the tokens, and less to large batches and small models") {
  const auto cases = play_behaviour("b10-more-ranks");
  const auto rate = [&](const std::string& name) { return cases.at(name).report.output_throughput; };
  const auto speed_up = [&](const std::string& batch) { return rate(batch + "-tp8") / rate(batch + "-tp2"); };
  for (const char* batch : {"1", "16", "128"}) {
    const std::string b(batch);
    MESSAGE("batch " << b << ": " << rate(b + "-tp2") << ", " << rate(b + "-tp4") << ", " << rate(b + "-tp8")
                     << " tok/s, " << speed_up(b) << " times");
    CHECK(rate(b + "-tp2") < rate(b + "-tp4"));
    CHECK(rate(b + "-tp4") < rate(b + "-tp8"));
    CHECK(rate(b + "-tp4") / rate(b + "-tp2") < 2);
    CHECK(rate(b + "-tp8") / rate(b + "-tp4") < rate(b + "-tp4") / rate(b + "-tp2"));
  }
  MESSAGE("a small model at batch 1: " << speed_up("small") << " times");
  // Reported: 36.2 -> 63 tok/s at batch 1, 528 -> 760 at batch 16. 1.98 and 1.89 times here: the fall with the batch is small.
  CHECK(speed_up("1") >= 1.30);   // 1.74
  CHECK(speed_up("1") <= 2.35);   // 1.74
  CHECK(speed_up("16") >= 1.10);  // 1.44
  CHECK(speed_up("16") <= 1.95);  // 1.44
  CHECK(speed_up("16") < speed_up("1"));
  CHECK(speed_up("128") < speed_up("16"));
  CHECK(speed_up("small") < speed_up("1"));
  CHECK(broken_littles_law(cases) == "");
}

TEST_CASE("replicas of fewer ranks win where none of them is short of KV") {
  const auto cases = play_behaviour("b10-replicas");
  const auto rate = [&](const char* name) { return cases.at(name).report.request_throughput; };
  MESSAGE("70B: two on four GPUs " << 2 * rate("large-tp4") << " req/s, one on eight " << rate("large-tp8"));
  MESSAGE("7B: eight on one GPU " << 8 * rate("small-tp1") << " req/s, one on eight " << rate("small-tp8"));
  for (const auto& [name, played] : cases) CHECK(played.report.evictions.run.account.preemptions == 0);
  CHECK(2 * rate("large-tp4") > rate("large-tp8"));
  CHECK(8 * rate("small-tp1") > rate("small-tp8"));
  CHECK(broken_littles_law(cases) == "");
}

}  // namespace decodesim::tests
