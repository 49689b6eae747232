// scenarios/does-speculation-help.yaml: what drafts bring by the size of the batch.

#include <doctest/doctest.h>

#include <string>

#include "sim/model/speculative_spec.hpp"
#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE("drafts multiply what a few users get, and large batches lose by drafts that are seldom accepted") {
  const auto cases = play_scenario("does-speculation-help");
  const auto gain = [&](const std::string& batch, const std::string& draft) {
    return cases.at(batch + "-" + draft).report.output_throughput / cases.at(batch).report.output_throughput;
  };
  for (const char* draft : {"ngram", "head"}) {
    double before = gain("1", draft);
    for (const char* batch : {"16", "64", "256"}) {
      CAPTURE(batch);
      CAPTURE(draft);
      CHECK(gain(batch, draft) < before * 1.005);  // a larger batch never gains more
      before = gain(batch, draft);
    }
  }
  CHECK(gain("1", "ngram") > 1.4);
  CHECK(gain("1", "head") > 2);
  CHECK(gain("256", "ngram") < 0.9);
  CHECK(gain("256", "head") > 1);
  CHECK(gain("256", "head") < 1.5);
}

TEST_CASE("what a run reports of drafts is what the chances say") {
  const auto cases = play_scenario("does-speculation-help");
  for (const auto& [name, played] : cases) {
    CAPTURE(name);
    const SpeculationReport& told = played.report.speculation;
    const bool head = name.ends_with("head");
    if (!head && !name.ends_with("ngram")) {
      CHECK(told.drafted_tokens == 0);
      continue;
    }
    SpeculativeSpec spec;
    spec.draft_tokens = 3;
    spec.acceptance = head ? 0.7 : 0.3;
    // Of a last step the tokens beyond the answer's end do not count.
    CHECK(told.tokens_per_step == doctest::Approx(tokens_per_step(spec)).epsilon(0.005));
    CHECK(told.acceptance_rate == doctest::Approx((told.tokens_per_step - 1) / 3));
    CHECK((played.report.ledger.of(TimePart::draft) > Duration(0)) == head);
  }
}

}  // namespace decodesim::tests
