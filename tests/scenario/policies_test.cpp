// Which policies a scenario may choose, and what it is told where it may not.

#include <doctest/doctest.h>

#include "sim/serving/policy_table.hpp"
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
     "no-effect", "remove it"},
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

}  // namespace decodesim::tests
