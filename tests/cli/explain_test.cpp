// The explain command, as a user sees it.

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/program.hpp"

namespace decodesim::tests {

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("explain is about the scenario's own context: of a trace the mean prompt, which it says") {
  const ProgramResult trace = run_program("explain scenarios/chat-on-hgx-h100.yaml");
  CHECK(trace.exit_code == 0);
  CHECK(has(trace.out, "context: the mean of its prompts"));
  CHECK(has(trace.out, "floor(1,337,752 prompt_tokens / 1,200 requests)"));
  CHECK(has(trace.out, "> 1,114"));
  const ProgramResult gap = run_program("explain scenarios/context-gap.yaml --case 32k");
  CHECK(has(gap.out, "> 32k"));
  CHECK(has(gap.out, "The gap is 32x"));
  const ProgramResult range = run_program(
      "explain scenarios/context-gap.yaml --set 'workload.input_tokens={distribution: uniform, min: 1000, max: 2001}'");
  CHECK(has(range.out, "context: the middle of its prompts"));
  CHECK(has(range.out, "> 1,500"));
  const ProgramResult answers = run_program(
      "explain scenarios/context-gap.yaml --set 'workload.output_tokens={distribution: uniform, min: 1, max: 512}'");
  CHECK(has(answers.out, "at the end of their answers (context + output)"));
  CHECK(has(answers.out, "at the end of answers of 512"));
}

TEST_CASE("explain keeps to COLUMNS, and to 120 columns where nobody says") {
  for (const std::string columns : {"72", "90", "160"}) {
    const ProgramResult result = run_program("explain scenarios/context-gap.yaml", "env COLUMNS=" + columns);
    CHECK(longest_line(result.out) <= std::stoul(columns));
    CHECK(result.exit_code == 0);
  }
  const ProgramResult plain = run_program("explain scenarios/context-gap.yaml", "env -u COLUMNS");
  CHECK(longest_line(plain.out) <= 120);
  CHECK(longest_line(plain.out) > 100);
  CHECK(run_program("explain scenarios/context-gap.yaml", "env COLUMNS=wide").out == plain.out);
}

TEST_CASE("explain --diff says first what it compares, within what the closed loop keeps in flight") {
  const ProgramResult result = run_program("explain --diff scenarios/context-gap.yaml --case 4k --case 128k");
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with(
      "Compared is pure decode with the pool as full as max_concurrency and max_num_seqs allow"));
  CHECK(has(result.out, "The gap is 32x"));
  const ProgramResult few =
      run_program("explain --diff scenarios/context-gap.yaml --case 4k --case 32k --set workload.max_concurrency=7");
  CHECK(has(few.out, "(7 sequences of 4,096 and 7"));
}

TEST_CASE("weights that do not fit are explained down to the missing pool, with exit code 2") {
  const std::string large = "explain scenarios/chat-on-hgx-h100.yaml --set model=llama-3.1-405b";
  const ProgramResult result = run_program(large);
  CHECK(result.exit_code == 2);
  CHECK(has(result.out, "KV pool of a GPU"));
  CHECK(has(result.out, "-27.258 GB"));
  CHECK(has(result.out, "* No memory is left for the KV cache"));
  CHECK_FALSE(has(result.out, "One decode step"));
  const ProgramResult json = run_program(large + " --json");
  CHECK(json.exit_code == 2);
  CHECK(has(json.out, "\"does_not_fit\""));
  const ProgramResult other = run_program(large + " --set parallel.tp=16");
  CHECK(other.exit_code == 2);
  CHECK(other.out.empty());
  CHECK_FALSE(other.err.empty());
  const ProgramResult one_case = run_program("explain scenarios/context-gap.yaml --set parallel.tp=1 --case 32k");
  CHECK(one_case.exit_code == 2);
  CHECK(has(one_case.out, "context-gap (case 32k)"));
}

TEST_CASE("a node with another GPU is a variant of the one in the catalog") {
  const ProgramResult result = run_program(
      "explain scenarios/chat-on-hgx-h100.yaml --set 'hardware={node: hgx-h100, gpu: {like: h100-sxm, hbm_bandwidth: 3 "
      "TB/s}}'");
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "tp 8 on a variant of hgx-h100"));
  CHECK_FALSE(has(result.out, "on like"));
}

TEST_CASE("explain --fits shows contexts by batches, at every width, and where nothing fits too") {
  const ProgramResult wide = run_program("explain context-gap --fits", "env COLUMNS=120");
  CHECK(wide.exit_code == 0);
  CHECK(has(wide.out, "What fits"));
  CHECK(has(wide.out, "  4k       321"));
  CHECK(has(wide.out, "wait   the pool does not hold so many"));
  CHECK(longest_line(run_program("explain context-gap --fits", "env COLUMNS=80").out) <= 80);
  CHECK_FALSE(has(run_program("explain context-gap").out, "What fits"));
  const ProgramResult asked = run_program("explain context-gap --fits --context 3000,200k");
  CHECK(has(asked.out, "3,000"));
  CHECK(has(asked.out, "beyond max_model_len"));
  const ProgramResult none = run_program("explain context-gap --fits --set parallel.tp=1");
  CHECK(none.exit_code == 2);
  CHECK(has(none.out, "the pool does not hold even one"));
  const ProgramResult json = run_program("explain context-gap --fits --json");
  CHECK(has(json.out, "\"verdict\": \"waits\""));
  CHECK(run_program("explain --diff --fits context-gap --case 4k --case 32k").exit_code == 2);
}

TEST_CASE("what a run cannot play is refused by run with the reason, and explained by explain") {
  const std::string stages = " chat-on-hgx-h100 --set parallel.tp=4 --set parallel.pp=2";
  const ProgramResult run = run_program("run" + stages);
  CHECK(run.exit_code == 2);
  CHECK(has(run.err, "a run plays one pipeline stage, and 'parallel.pp' is 2"));
  const ProgramResult explained = run_program("explain" + stages + " --fits");
  CHECK(explained.exit_code == 0);
  CHECK(has(explained.out, "pipeline stage with the fewest blocks"));
  CHECK(has(explained.out, "What fits"));
  const ProgramResult groups =
      run_program("run chat-on-hgx-h100 --set model=gpt-oss-120b --set memory.window_layers=apart");
  CHECK(groups.exit_code == 2);
  CHECK(has(groups.err, "'memory.window_layers: apart' counts those of several"));
}

TEST_CASE("explain says at its place what memory has nothing to do with, and explains a shortage that drafts make") {
  const std::string base = "explain scenarios/does-speculation-help.yaml --case 1-head ";
  const ProgramResult stages =
      run_program(base + "--set hardware.gpus=2 --set parallel.pp=2 --set 'model={like: llama-3.1-8b, layers: 1}'");
  CHECK(stages.exit_code == 2);
  CHECK(has(stages.err, "1 layers do not fill the 2 stages"));
  const ProgramResult large = run_program(
      base +
      "--fits --set 'scheduler.speculative={draft_tokens: 3, acceptance: 0.7, draft: model, model: llama-3.1-70b}'");
  CHECK(large.exit_code == 2);
  CHECK(has(large.out, "those of the draft"));
}

}  // namespace decodesim::tests
