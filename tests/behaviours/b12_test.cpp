// Prompts of a closed loop that collide: vllm-project/vllm#13412.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("in a closed loop without chunked prefill the first token comes sooner where answers are longer") {
  const auto cases = play_behaviour("b12-colliding-prompts");
  const auto ttft = [&](const char* output) { return cases.at(output).report.ttft.mean; };
  for (const char* output : {"1", "50", "200", "500", "50-spread", "200-spread", "500-spread"})
    MESSAGE("answers of " << std::string(output) << ": mean TTFT " << ttft(output) << " ms");
  CHECK(ttft("1") > ttft("200"));
  // "Mean TTFT decreases as OSL grows." Answers of equal length end together, so their successors collide whatever it is.
  CHECK(ttft("1") > ttft("50"));
  CHECK(ttft("50") >= ttft("200"));
  CHECK(ttft("200") >= ttft("500"));
  CHECK(ttft("1") > ttft("50-spread"));
  CHECK(ttft("50-spread") > ttft("200-spread"));
  CHECK(ttft("200-spread") > ttft("500-spread"));
  CHECK(broken_littles_law(cases) == "");
}

}  // namespace decodesim::tests
