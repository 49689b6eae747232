// The kept schedules of scenario files against the passes that the description of each engine prints.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace decodesim::tests {

namespace {

/// "A6 B5, preempt C, done A" of every pass, in the notation of the description.
std::string passes(const std::string& scenario) {
  const std::string path = std::string(DECODESIM_SOURCE_DIR) + "/tests/engine/scenarios/" + scenario + ".jsonl";
  std::ifstream file(path);
  REQUIRE_MESSAGE(file, path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json pass = nlohmann::json::parse(line);
    text += "t" + std::to_string(pass.at("step").get<int>());
    for (const auto& pair : pass.at("scheduled"))
      text += " " + pair.at(0).get<std::string>() + std::to_string(pair.at(1).get<int>());
    const auto list = [&](const char* key, const char* words) {
      if (!pass.contains(key) || pass.at(key).empty()) return;
      text += std::string(", ") + words;
      for (const auto& name : pass.at(key)) text += " " + name.get<std::string>();
    };
    list("loads_started", "load");
    list("preempted", "preempt");
    list("swapped_in", "swap in");
    list("finished", "done");
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("prefill priority thrashes: five evictions in thirteen passes") {
  CHECK(passes("vllm-v0-thrash") ==
        "t1 A6 B5 C3\n"
        "t2 A1 B1, preempt C\n"
        "t3 C4\n"
        "t4 A1 B1, preempt C\n"
        "t5 A1, preempt B\n"
        "t6 B8\n"
        "t7 A1, preempt B\n"
        "t8 A1\n"
        "t9 A1, done A\n"
        "t10 B9 C5\n"
        "t11 B1, preempt C, done B\n"
        "t12 C6\n"
        "t13 C1, done C\n");
}

TEST_CASE("swapping keeps what was computed, and the oldest on the host blocks the others there") {
  CHECK(passes("vllm-v0-swap") ==
        "t1 A6 B5 C3\n"
        "t2 A1 B1, preempt C\n"
        "t3 A1 B1\n"
        "t4 A1, preempt B\n"
        "t5 A1\n"
        "t6 A1\n"
        "t7 A1, done A\n"
        "t8 B1 C1, swap in B C\n"
        "t9 B1 C1\n"
        "t10 B1, preempt C, done B\n"
        "t11 C1, swap in C\n"
        "t12 C1, done C\n");
}

TEST_CASE("a generation stalls for four passes behind prompts, and not at all where they come in chunks") {
  CHECK(passes("vllm-v0-stall") ==
        "t1 A4\n"
        "t2 B8\n"
        "t3 C8\n"
        "t4 D8\n"
        "t5 A1 B1 C1 D1, done B C D\n"
        "t6 A1\n"
        "t7 A1, done A\n");
  CHECK(passes("sarathi-no-stall") ==
        "t1 A4\n"
        "t2 A1 B7\n"
        "t3 A1 B1 C6\n"
        "t4 A1 B1 C2 D4, done A B\n"
        "t5 C1 D4, done C\n"
        "t6 D1, done D\n");
}

TEST_CASE(
    "who loads takes its place when its KV is there and a place is free, and computes the last token of its prompt") {
  CHECK(passes("loads-from-elsewhere") ==
        "t1, load A B C\n"
        "t2 B1 C1\n"
        "t3 B1 C1, done C\n"
        "t4 B1 A1, done B\n"
        "t5 A1\n"
        "t6 A1, done A\n");
}

}  // namespace decodesim::tests
