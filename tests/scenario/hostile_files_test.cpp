// Files that mean harm, or come from a crash: each ends in a message, soon.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>

#include "sim/scenario/document.hpp"
#include "tests/scenario/loading.hpp"
#include "tests/support/damage.hpp"

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
    const std::string text = damaged(whole, ":{}[],#&*!|>'\"%@`- \n\tx5\xc3", random);
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
  const Loaded cut = folder.load("20.yaml");
  REQUIRE(cut.diagnostics.size() == 1);
  CHECK(cut.diagnostics[0].code == "too-deep");
}

TEST_CASE("a chain of bases has at most 32 files") {
  const Folder folder;
  folder.write("0.yaml", small_scenario);
  for (int level = 1; level <= 2000; ++level)
    folder.write(std::to_string(level) + ".yaml", "base: " + std::to_string(level - 1) + ".yaml\n");
  CHECK(folder.load("31.yaml").scenarios.size() == 1);
  for (const char* file : {"32.yaml", "2000.yaml"}) {
    const Loaded deep = folder.load(file);
    REQUIRE(deep.diagnostics.size() == 1);
    CHECK(deep.diagnostics[0].code == "too-deep");
  }
}

TEST_CASE("a scenario is read from at most 100 files") {
  const Folder folder;
  folder.write("a.yaml", small_scenario);
  const auto bases = [](int count) {
    std::string text = "base: [";
    for (int i = 0; i < count; ++i) text += "a.yaml, ";
    return text + "]\n";
  };
  folder.write("most.yaml", bases(99));
  folder.write("more.yaml", bases(5000));
  CHECK(folder.load("most.yaml").scenarios.size() == 1);
  const Loaded more = folder.load("more.yaml");
  REQUIRE(more.diagnostics.size() == 1);
  CHECK(more.diagnostics[0].code == "too-deep");
}

TEST_CASE("a path of --set is as deep as a file may nest, and no deeper") {
  const auto path = [](std::size_t keys) {
    std::string text = "x-a";
    for (std::size_t i = 1; i < keys; ++i) text += ".a";
    return text + "=1";
  };
  CHECK(load_text(small_scenario, {path(deepest_nesting)}).scenarios.size() == 1);
  for (const std::size_t keys : {deepest_nesting + 1, std::size_t{20000}}) {
    const Loaded deep = load_text(small_scenario, {path(keys)});
    REQUIRE(deep.diagnostics.size() == 1);
    CHECK(deep.diagnostics[0].code == "too-deep");
  }
}

TEST_CASE("many mistakes of any kind cost time in proportion, and are told up to a limit") {
  for (const char* row :
       {"{input_tokens: 5q, output_tokens: 2}", "{input_tokens: !x 5, output_tokens: 2}", "{id: a, foo: }",
        "{id: a, id: a}", "{id: a, input_tokens: 5, output_tokens: 2}", "{input_token: 5}", "5"}) {
    std::string text =
        "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\nworkload:\n  requests:\n";
    for (int i = 0; i < 50000; ++i) text += std::string("  - ") + row + "\n";
    CAPTURE(row);
    const auto start = std::chrono::steady_clock::now();
    const Loaded loaded = load_text(text);
    // A walk through the file for every mistake would take far longer.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    REQUIRE(loaded.diagnostics.size() == 501);
    CHECK(std::count_if(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                        [](const Diagnostic& diagnostic) { return diagnostic.code == "too-many-mistakes"; }) == 1);
  }
}

TEST_CASE("a syntax error after as many mistakes as are told is one more of them") {
  for (const int mistakes : {499, 500, 501, 502}) {
    std::string text = "x-a:\n";
    for (int i = 0; i < mistakes; ++i) text += "  - !x 1\n";
    CAPTURE(mistakes);
    CHECK(load_text(text + "x-b: [1\n").diagnostics.size() == static_cast<std::size_t>(std::min(mistakes + 1, 501)));
  }
}

TEST_CASE("a bracket that is never closed is one mistake, at the innermost one") {
  const std::pair<const char*, int> texts[] = {{"x-a: [1, 2\n", 6},   {"name: {a", 7},        {"[[[[", 4},
                                               {"a: {b: [1", 8},      {"a: {b: ", 4},         {"{a: 1, b", 1},
                                               {"a: [\"]\", ']'", 4}, {"a: {b: 1, # }\n", 4}, {"a: [{b: 1}, [2]", 4}};
  for (const auto& entry : texts) {
    const std::string text = entry.first;
    CAPTURE(text);
    const Loaded loaded = load_text(text);
    INFO(diagnostics_text(loaded.diagnostics));
    REQUIRE(loaded.diagnostics.size() == 1);
    CHECK(loaded.diagnostics[0].message == "this bracket is never closed");
    CHECK(loaded.diagnostics[0].column == entry.second);
  }
  CHECK(load_text(small_scenario, {"name={a"}).diagnostics.at(0).message == "this bracket is never closed");
  CHECK(load_text("a: {b, c: 1}\n").diagnostics.at(0).message != "this bracket is never closed");
}

TEST_CASE("a name that is not UTF-8 is an error at its place, in a file and in --set") {
  const Loaded file = load_text(small_scenario + "name: a\xff\n");
  REQUIRE(file.diagnostics.size() == 1);
  CHECK(file.diagnostics[0].code == "not-utf8");
  CHECK(file.diagnostics[0].line == 5);
  CHECK(load_text(small_scenario, {"name=\xc0\x80"}).diagnostics.at(0).code == "not-utf8");
  CHECK(load_text(small_scenario + "cases: {\xfe: {name: a}}\n").diagnostics.at(0).code == "not-utf8");
  CHECK(load_text(small_scenario + "name: \xc3\xbc\n").scenarios.size() == 1);
}

TEST_CASE("what cannot be read says what to write instead") {
  for (const Loaded& loaded :
       {load_text(std::string("a\0b", 3)), load_text(small_scenario + "base: ''\n"), load_text("[a]: b\n"),
        load_text(small_scenario, {"cases={}"}), load_text(small_scenario, {"base=a.yaml"}),
        load_text(small_scenario, {"scheduler.watermark=1e390"}), load_text(small_scenario, {"run.seed=1e999"})}) {
    INFO(diagnostics_text(loaded.diagnostics));
    CHECK(loaded.scenarios.empty());
    REQUIRE(loaded.diagnostics.size() >= 1);
    CHECK_FALSE(loaded.diagnostics[0].help.empty());
  }
}

}  // namespace decodesim::tests
