// Which policies a scenario may choose, and what it is told where it may not.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_fields.hpp"
#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

constexpr WrongFile wrong_policies[] = {
    {"a misspelt victim", FIXED LOAD "scheduler: {victim: §fewest-generatd}\n", "unknown-name",
     "did you mean 'fewest-generated'?"},
    {"a victim's name on another axis", FIXED LOAD "scheduler: {destination: §last-admitted}\n", "unknown-name",
     "head, tail, same-place, by-key"},
    {"vLLM's name of the queue order", FIXED LOAD "scheduler: {§policy: priority}\n", "unknown-key",
     "here it is called 'scheduler.queue_order'"},
    {"a place in a sorted queue", FIXED LOAD "scheduler: {queue_order: priority, destination: §head}\n",
     "contradiction", "write 'by-key', or remove the key"},
    {"a key in a queue without", FIXED LOAD "scheduler: {destination: §by-key}\n", "contradiction",
     "write 'head', 'tail' or 'same-place', or choose another 'queue_order'"},
    {"a knob beside the choice it makes", FIXED LOAD "scheduler: {admission: first-chunk, §reserve_full_isl: true}\n",
     "no-effect", "remove it"},
    {"an axis of an engine that leaves none open", FIXED LOAD "scheduler: {engine: orca, §victim: last-admitted}\n",
     "no-effect", "remove it, or choose 'engine: vllm-v1'"},
    {"a knob of another engine", FIXED LOAD "scheduler: {§batching: in_turn}\n", "no-effect",
     "add 'engine: sarathi', or remove it"},
    {"a knob without the switch that it needs", FIXED LOAD "scheduler: {§defer_frees: true}\n", "no-effect",
     "add 'async: true', or remove it"},
    {"a request's key in the generator",
     FIXED "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2, §load_time: 1 s}\n", "unknown-key",
     "it belongs at 'workload.requests[].load_time'"},
};

}  // namespace

TEST_CASE("a policy that an engine does not take, or that contradicts another, is refused with the reason") {
  for (const WrongFile& wrong : wrong_policies) check_mistake(wrong);
}

TEST_CASE("every policy that vllm-v1 leaves open loads by its name") {
  const EngineRow& engine = *find_engine("vllm-v1");
  for (const PolicyRow& row : policy_table()) {
    if (!engine_opens(engine.name, row.axis) || !engine_takes(engine, row)) continue;
    const std::string order = row.name == "by-key" ? "queue_order: priority, " : "";
    // Nothing says what a block takes on the host, so the file says how many it holds.
    const bool swaps = row.axis == "kv_fate" && row.name != "dropped";
    std::string fixed = FIXED;
    if (row.name == "longest-prefix") fixed.replace(fixed.find("memory: {"), 9, "memory: {prefix_caching: true, ");
    if (swaps) fixed.replace(fixed.find("memory: {"), 9, "memory: {host_swap: {blocks: 9}, ");
    const Loaded loaded =
        load_text(fixed + LOAD + "scheduler: {" + order + std::string(row.axis) + ": " + std::string(row.name) + "}\n");
    CAPTURE(row.axis);
    CAPTURE(row.name);
    CHECK(diagnostics_text(loaded.diagnostics) == "");
  }
}

TEST_CASE("two names of one field exclude each other under every engine that knows both, at the later of the two") {
  std::int64_t pairs = 0;
  for (const EngineRow& engine : engine_table()) {
    SchedulerSpec spec;
    spec.engine = engine.name;
    for (const Field& field : scheduler_fields) {
      if (field.stands_for.empty() || !field.applies_to(&spec)) continue;
      ++pairs;
      CAPTURE(engine.name);
      CAPTURE(field.key);
      const std::string one(field.key);
      const std::string other(field.stands_for);
      const std::string scheduler =
          "scheduler:\n  engine: " + std::string(engine.name) + "\n  max_num_seqs: 64\n  max_model_len: 64\n";
      for (const auto& [first, second] : {std::pair(one, other), std::pair(other, one)}) {
        const Loaded loaded =
            load_text(FIXED LOAD + scheduler + "  " + first + ": 512\n  # between them\n    \n  " + second + ": 512\n");
        REQUIRE(loaded.diagnostics.size() == 1);
        const Diagnostic& mistake = loaded.diagnostics.front();
        CHECK(mistake.severity == Severity::error);
        CHECK(mistake.line == 12);
        CHECK(mistake.column == 3);
        CHECK(mistake.message == "'scheduler." + first + "' and 'scheduler." + second +
                                     "' are two names of one field, and both are stated");
        CHECK(mistake.help == "keep one of them");

        // Of two layers the later one counts, whichever name it takes.
        const std::string text = FIXED LOAD + scheduler + "  " + first + ": 512\n";
        const Loaded over = load_text(text, {"scheduler." + second + "=256"});
        INFO(diagnostics_text(over.diagnostics));
        REQUIRE(over.scenarios.size() == 1);
        REQUIRE(over.diagnostics.size() == 1);
        CHECK(over.diagnostics.front().code == "superseded");
        CHECK(over.diagnostics.front().message == "'scheduler." + second + "' is stated later than 'scheduler." +
                                                      first + "', which it leaves without effect: it is dropped");
        const Scenario alone = load_one(FIXED LOAD + scheduler + "  " + second + ": 256\n");
        CHECK(scenario_text(over.scenarios.front()) == scenario_text(alone));
        CHECK(over.scenarios.front().stated == alone.stated);
        // What is written out is what was meant, and loads again.
        CHECK(scenario_text(alone).find(first + ": ") == std::string::npos);
        CHECK(scenario_text(load_one(scenario_text(alone))) == scenario_text(alone));
      }
    }
  }
  CHECK(pairs == 3);
}

TEST_CASE("a value under one of two names is dropped where a later layer takes an engine that does not know it") {
  const std::string text = FIXED LOAD
      "scheduler: {engine: trtllm-guaranteed-no-evict, max_num_tokens: 512, max_num_seqs: 64, max_model_len: 64}\n";
  const Loaded other = load_text(text, {"scheduler.engine=vllm-v1", "scheduler.max_num_batched_tokens=4096"});
  INFO(diagnostics_text(other.diagnostics));
  REQUIRE(other.scenarios.size() == 1);
  CHECK(other.scenarios.front().scheduler.max_num_batched_tokens == 4096);
  REQUIRE(other.diagnostics.size() == 1);
  CHECK(other.diagnostics.front().code == "superseded");
  // The other way round: what both engines know by one name stays.
  const std::string vllm = FIXED LOAD "scheduler: {max_num_batched_tokens: 512, max_num_seqs: 64, max_model_len: 64}\n";
  const Loaded same = load_text(vllm, {"scheduler.engine=trtllm-max-utilization"});
  CHECK(diagnostics_text(same.diagnostics) == "");
  const Loaded sglang = load_text(vllm, {"scheduler.engine=sglang"});
  REQUIRE(sglang.scenarios.size() == 1);
  CHECK(sglang.diagnostics.front().code == "superseded");
}

}  // namespace decodesim::tests
