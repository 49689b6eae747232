#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/report/explanation_json.hpp"
#include "sim/report/explanation_text.hpp"
#include "sim/report/explanation_values.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

Explanation whiteboard(std::int64_t context = 4096, std::optional<std::int64_t> batch = std::nullopt) {
  Deployment deployment = tests::whiteboard();
  Question question;
  question.context = context;
  question.batch = batch;
  return std::get<Explanation>(explain(deployment, question));
}

std::string text_of(const Explanation& explanation, std::size_t width = default_line_width) {
  std::ostringstream out;
  write_explanation_text(out, {"context-gap", "llama-3-70b on hgx-h100"}, explanation, width);
  return out.str();
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

/// The text without its line breaks and indents, so that it reads the same at every width.
std::string unbroken(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += word + " ";
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("figures are shown with the digits that a reader compares") {
  CHECK(figure_text(327'680, Unit::bytes) == "327,680 B");
  CHECK(figure_text(184.04967296e9, Unit::bytes) == "184.05 GB");
  CHECK(figure_text(80e9, Unit::bytes) == "80 GB");
  CHECK(figure_text(9'999'999, Unit::bytes) == "9,999,999 B");
  CHECK(figure_text(999.999e9, Unit::bytes) == "1 TB");
  CHECK(figure_text(0.75, Unit::bytes) == "0.75 B");
  CHECK(value_text(1024.0 * 1024 * 1024, Unit::binary_bytes) == "1.0737 GB (1 GiB)");
  CHECK(value_text(4096, Unit::binary_bytes) == "4,096 B");
  CHECK(figure_text(26.8e12, Unit::bytes_per_second) == "26.8 TB/s");
  CHECK(figure_text(989.5e12, Unit::flops_per_second) == "989.5 TFLOP/s");
  CHECK(figure_text(0.92, Unit::count) == "0.92");
  CHECK(figure_text(15'040.6, Unit::tokens_per_second) == "15,041");
  CHECK(figure_text(60.56, Unit::flops_per_byte) == "60.6 FLOP/B");
  CHECK(value_text(82'340, Unit::blocks) == "82,340 blocks");
  CHECK(factor_text(32.02) == "32x");
  CHECK(factor_text(1.311) == "1.311x");
  CHECK(factor_text(0.03125) == "0.03125x");
  CHECK(factor_text(1) == "1x");
  CHECK(context_text(4096) == "4k");
  CHECK(context_text(131072) == "128k");
  CHECK(context_text(5000) == "5,000");
}

TEST_CASE("a formula is shown with its inputs in place") {
  Term term;
  term.formula = "floor(a x (b + 2)) / a_b";
  term.inputs = {{"a", 3, Unit::count}, {"b", 5e9, Unit::bytes}, {"a_b", 7, Unit::tokens}};
  CHECK(formula_text(term) == "floor(3 a x (5 GB b + 2)) / 7 a_b");
}

TEST_CASE("the text answers the questions of the whiteboard") {
  const std::string text = text_of(whiteboard());
  for (const char* part :
       {"327,680 B (320 KiB)", "2.6844 GB (2.5 GiB)", "141.1 GB", "430,603 tokens", "3,364 tokens", "431.7 GB",
        "82,340 blocks", "1,317,440 tokens", "571.94 GB", "21.34 ms", "15,041 tokens/s", "295.4 FLOP/B", "60.6 FLOP/B",
        "11.3 FLOP/B", "The gap is 32x", "A tuned\n  stack reaches about half of them.",
        "floor(53.962 GB pool_bytes_per_gpu / 655,360 B block_bytes)"}) {
    CAPTURE(part);
    CHECK(has(text, part));
  }
  CHECK(has(text_of(whiteboard(4096, 32)), "184.05 GB"));
  CHECK(has(text_of(whiteboard(4096, 32)), "* more than fit: such a step never runs"));
}

TEST_CASE("every line of the text names its source, and shares have bars") {
  std::istringstream lines(text_of(whiteboard()));
  std::size_t terms = 0;
  for (std::string line; std::getline(lines, line);) {
    CHECK((line.empty() || line.back() != ' '));
    const bool is_term =
        line.starts_with("  ") && (has(line, "  derived") || has(line, "  spec") || has(line, "  assumed"));
    terms += is_term ? 1 : 0;
    if (line.starts_with("  weights of one rank")) CHECK(has(line, "##........"));
    if (line.starts_with("  cache's share")) CHECK(has(line, "########.."));
  }
  CHECK(terms > 40);
}

TEST_CASE("no line is longer than the terminal, and what is said does not depend on its width") {
  const Explanation explanation = whiteboard();
  const Comparison comparison = compare(whiteboard(4096), whiteboard(131072));
  for (std::size_t width : {64U, 72U, 80U, 100U, 120U, 200U, 400U}) {
    CAPTURE(width);
    const std::string text = text_of(explanation, width);
    CHECK(longest_line(text) <= width);
    for (const char* part : {"floor(53.962 GB pool_bytes_per_gpu / 655,360 B block_bytes)", "The gap is 32x: 15,041",
                             "(2 x 70,550,000,000 parameters + 4 x 80 layers x 64 heads", "19,968", "113.1 FLOP/B"})
      CHECK(has(unbroken(text), part));
    std::ostringstream out;
    write_comparison_text(out, {"short", "m"}, {"long", "m"}, comparison, width);
    CHECK(longest_line(out.str()) <= std::max<std::size_t>(width, 70));
  }
  CHECK(longest_line(text_of(explanation)) <= 120);
  CHECK(has(text_of(explanation, 80), "\n      = 8 tp x 3.35 TB/s gpu_bandwidth\n"));
  CHECK(has(text_of(explanation, 200), "derived   8 tp x 3.35 TB/s gpu_bandwidth\n"));
}

TEST_CASE("bars have a legend, and the gap stands behind all that concerns the step") {
  const std::string text = text_of(whiteboard());
  CHECK(has(unbroken(text), "A bar is its share of the whole, # a tenth"));
  CHECK(text.find("A bar is") < text.find("####"));
  CHECK(text.find("\nThe gap\n") > text.find("* When a larger batch brings no more tokens"));
  CHECK(text.find("* The gap is 32x") > text.find("\nThe gap\n"));
}

TEST_CASE("names cannot move the cursor of a terminal") {
  std::ostringstream out;
  write_explanation_text(out, {"evil\x1b[2Jname", "m\nodel"}, whiteboard());
  CHECK_FALSE(has(out.str(), "\x1b"));
  CHECK(out.str().starts_with("evil\\x1b[2Jname: m\\x0aodel\n"));
}

TEST_CASE("the JSON document has every term under a stable key") {
  const Explanation explanation = whiteboard();
  std::ostringstream out;
  write_explanation_json(out, "context-gap", explanation);
  const auto document = nlohmann::json::parse(out.str());
  CHECK(document["schema_version"] == 1);
  CHECK(document["scenario"] == "context-gap");
  REQUIRE(document["terms"].size() == explanation.terms.size());
  std::vector<std::string> keys;
  for (const auto& term : document["terms"]) {
    keys.push_back(term["key"]);
    for (const char* member : {"section", "label", "value", "unit", "source", "formula", "inputs"})
      CHECK(term.contains(member));
    CHECK(explanation.value(keys.back()) == term["value"].get<double>());
  }
  for (const char* key : {"gpu_bandwidth",
                          "bandwidth",
                          "gpu_peak",
                          "peak",
                          "ridge",
                          "parameters",
                          "weights",
                          "kv_bytes_per_token_per_layer",
                          "kv_bytes_per_token",
                          "kv_bytes_per_token_per_rank",
                          "kv_copies",
                          "kv_bytes_per_sequence.4096",
                          "gpu_memory",
                          "usable_memory",
                          "weight_shard",
                          "runtime_overhead",
                          "pool_bytes_per_gpu",
                          "pool_bytes",
                          "block_bytes",
                          "num_blocks",
                          "num_tokens",
                          "usable_blocks",
                          "capacity_tokens",
                          "crossover_tokens",
                          "crossover_context",
                          "sequences.131072",
                          "batch.131072",
                          "cache_bytes.131072",
                          "step_bytes.131072",
                          "cache_share.131072",
                          "step_time.131072",
                          "tokens_per_s.131072",
                          "tokens_per_s_per_user.131072",
                          "tokens_per_s_limit.131072",
                          "intensity_ceiling.131072",
                          "throughput_gap",
                          "context",
                          "sequences",
                          "batch",
                          "cache_bytes",
                          "step_bytes",
                          "cache_share",
                          "intensity",
                          "step_time",
                          "step_time.linear",
                          "step_time.attention",
                          "tokens_per_s",
                          "tokens_per_s_per_user",
                          "bound_by.bandwidth",
                          "tokens_per_s_limit",
                          "intensity_ceiling"}) {
    CAPTURE(key);
    CHECK(std::find(keys.begin(), keys.end(), key) != keys.end());
  }
}

TEST_CASE("a comparison says the gap in words and lists causes and differences, as text and as JSON") {
  const Comparison comparison = compare(whiteboard(4096), whiteboard(131072));
  std::ostringstream text;
  write_comparison_text(text, {"short", "m"}, {"long", "m"}, comparison);
  CHECK(text.str().starts_with("Compared is pure decode with the pool as full as max_num_seqs allows (321 sequences"));
  CHECK(has(text.str(), "The gap is 32x: A makes more tokens/s."));
  CHECK(has(text.str(), "context of a sequence"));
  std::ostringstream json;
  write_comparison_json(json, "short", "long", comparison);
  const auto document = nlohmann::json::parse(json.str());
  CHECK(document["schema_version"] == 1);
  CHECK(document["scope"].get<std::string>().starts_with("pure decode"));
  CHECK(document["ratio"].get<double>() == doctest::Approx(1.0 / 32).epsilon(0.001));
  CHECK(document["causes"].size() == comparison.causes.size());
  CHECK(document["differences"].size() == comparison.differences.size());
}

}  // namespace decodesim
