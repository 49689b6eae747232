#include "sim/scenario/policy_notes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/scenario/load.hpp"

using namespace decodesim;

namespace {

/// The scheduler of a scenario with these knobs.
SchedulerSpec scheduler_with(const std::string& knobs) {
  const std::string text =
      "version: 1\nmemory: {num_gpu_blocks: 40, block_size: 4}\nscheduler: {max_model_len: 100, " + knobs +
      "}\ncost: {model: fixed, step: 1 s}\nworkload: {requests: [{input_tokens: 4, output_tokens: 4}]}\n";
  std::vector<Diagnostic> warnings;
  return load_scenarios_text(text, "notes.yaml", ".", {}, warnings).front().scheduler;
}

}  // namespace

TEST_CASE("a report names the victim rule of the engine, or the one that the scenario chose instead") {
  CHECK(victim_rule(scheduler_with("engine: vllm-v1")) == "last-admitted");
  CHECK(victim_rule(scheduler_with("engine: vllm-v1, victim: fewest-generated")) == "fewest-generated");
}

TEST_CASE("what a policy knows that no real server could is said, whatever error it makes") {
  CHECK(oracles_of(scheduler_with("engine: vllm-v1")).empty());
  const auto known = [](const std::string& knobs) { return oracles_of(scheduler_with(knobs)); };
  REQUIRE(known("engine: sjf").size() == 1);
  CHECK(known("engine: sjf").front() == "how many tokens each request will generate, exactly");
  CHECK(known("engine: srpt, predictor: {kind: buckets}").front().find("power of two") != std::string::npos);
  // What a client asks for is known to every server.
  CHECK(known("engine: sjf, predictor: {kind: max_tokens}").empty());
  CHECK(known("engine: orca, reservation: oracle").size() == 1);
  CHECK(known("engine: orca, reservation: maximum").empty());
}
