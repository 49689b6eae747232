// Files that mean harm, or come from a crash: each ends in a message, soon.

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "sim/scenario/document.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {
std::string code_of(const std::string& text) {
  const Loaded loaded = load_text(text);
  CHECK(loaded.scenarios.empty());
  REQUIRE_FALSE(loaded.diagnostics.empty());
  return loaded.diagnostics.front().code;
}
}  // namespace

TEST_CASE("nesting is bounded") {
  CHECK(code_of("x-a: " + std::string(200, '[') + std::string(200, ']') + "\n") == "too-deep");
  for (char bracket : {'[', '{'}) CHECK_FALSE(code_of("x-a: " + std::string(100000, bracket)).empty());
  std::string ladder;
  for (int depth = 0; depth < 100; ++depth) ladder += std::string(static_cast<std::size_t>(depth), ' ') + "a:\n";
  CHECK(code_of(ladder) == "too-deep");
  const std::string deep = "x-a: " + std::string(60, '[') + std::string(60, ']') + "\n";
  CHECK(load_text(small_scenario + deep).scenarios.size() == 1);
}

TEST_CASE("an alias bomb is refused at its first anchor") {
  std::string bomb = "x-a: &a [1, 1, 1, 1]\n";
  for (char name = 'b'; name < 'z'; ++name) {
    const std::string last(1, static_cast<char>(name - 1));
    bomb += "x-" + std::string(1, name) + ": &" + name + " [*" + last + ", *" + last + ", *" + last + "]\n";
  }
  CHECK(code_of(small_scenario + bomb) == "alias");
}

TEST_CASE("size, keys and the number of messages are bounded") {
  CHECK(code_of(small_scenario + "# " + std::string(largest_file, 'x') + "\n") == "too-large");
  std::string keys = small_scenario;
  for (int i = 0; i < 5000; ++i) keys += "x-" + std::to_string(i) + ": 1\n";
  CHECK(code_of(keys) == "too-many-keys");
  std::string rows =
      "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\nworkload:\n  requests:\n";
  for (int i = 0; i < 5000; ++i) rows += "  - {input_tokens: 0, output_tokens: 0}\n";
  const Loaded many = load_text(rows);
  REQUIRE(many.diagnostics.size() == 501);
  CHECK(many.diagnostics.back().code == "too-many-mistakes");
}

TEST_CASE("a list of many entries on one line costs time in proportion") {
  std::string line = "x-a: [";
  for (int i = 0; i < 200000; ++i) line += "1,";
  CHECK(load_text(small_scenario + line + "1]\n").scenarios.size() == 1);
}

TEST_CASE("bytes that are no text end in a message") {
  CHECK(code_of(std::string("version: 1\0cost: 1", 18)) == "syntax");
  for (const char* text : {"\xff\xfe\x00",
                           "\xef\xbb\xbf",
                           "%YAML 9.9\n---\n",
                           "--- !!binary x\n",
                           "\t\t\t",
                           "? ? ?",
                           "&",
                           "*",
                           "!",
                           "|",
                           ">",
                           "- - -",
                           "{",
                           "}",
                           "]",
                           "\"",
                           "'",
                           "@",
                           "`",
                           "a: b: c",
                           "a: !<x y",
                           "%",
                           "---\n...\n---\n",
                           "\x80\x81"}) {
    CAPTURE(text);
    const Loaded loaded = load_text(text);
    CHECK(loaded.scenarios.empty());
    CHECK_FALSE(loaded.diagnostics.empty());
    CHECK_FALSE(diagnostics_text(loaded.diagnostics).empty());
  }
}

TEST_CASE("a valid file with random damage loads or ends in messages") {
  const std::string whole =
      small_scenario + "scheduler: {max_num_seqs: 4, never_fits: {fail_after: 3}}\nslo: {ttft_p99: 2 s}\n";
  std::mt19937_64 random(13);
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char letter = ":{}[],#&*!|>'\"%@`- \n\tx5\xc3"[random() % 24];
      if (random() % 3 == 0) {
        text.erase(at, 1 + random() % 5);
      } else if (random() % 2 == 0) {
        text[at] = letter;
      } else {
        text.insert(at, 1, letter);
      }
    }
    const Loaded loaded = load_text(text);
    CAPTURE(text);
    REQUIRE(loaded.scenarios.empty() != (loaded.scenarios.size() == 1));
    if (loaded.scenarios.empty()) REQUIRE_FALSE(loaded.diagnostics.empty());
    for (const Diagnostic& diagnostic : loaded.diagnostics) REQUIRE_FALSE(diagnostic_text(diagnostic).empty());
  }
}

TEST_CASE("a diamond of bases that doubles at every level is cut off") {
  const Folder folder;
  folder.write("0.yaml", small_scenario);
  for (int level = 1; level <= 20; ++level) {
    const std::string below = std::to_string(level - 1) + ".yaml";
    folder.write(std::to_string(level) + ".yaml", "base: [" + below + ", " + below + "]\n");
  }
  CHECK(folder.load("3.yaml").scenarios.size() == 1);
  CHECK(folder.load("20.yaml").scenarios.empty());
}

}  // namespace decodesim::tests
