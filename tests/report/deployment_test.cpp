// What was run is named in text and JSON, and how far its cost model can be trusted.

#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/report/cost_note.hpp"
#include "sim/report/measurements.hpp"
#include "sim/report/report_json.hpp"
#include "sim/report/summary_text.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/scenario/load.hpp"
#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;

namespace {

RunHeader header_for(const std::string& lines) {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  std::vector<Diagnostic> warnings;
  const auto scenarios = load_scenarios_text("version: 1\nname: told\n" + lines, "told.yaml", ".", {}, warnings);
  REQUIRE(scenarios.size() == 1);
  return assemble(scenarios.front(), "0.1.0").header;
}

Report report_with(const RunHeader& header) {
  Measurements measurements(header_of(2), {}, {});
  tell_two_requests(measurements);
  Report report = measurements.report();
  report.header = header;
  return report;
}

nlohmann::json json_of(const Report& report) {
  std::ostringstream out;
  write_json(report, out);
  return nlohmann::json::parse(out.str());
}

std::string text_of(const std::vector<Report>& reports) {
  std::ostringstream out;
  write_text(reports, out);
  return out.str();
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const std::string loop = "workload: {num_requests: 4, max_concurrency: 2, input_tokens: 100, output_tokens: 10}\n";

}  // namespace

TEST_CASE("a report names the model, its number formats, the ranks, the node, the engine and the cost model") {
  RunHeader header = header_for(
      "model: llama-3-70b\nhardware: {node: hgx-h100}\nprecision: {kv_cache: fp8}\ncost: {model: ideal}\n" + loop);
  CHECK(header.deployment == "llama-3-70b with bf16 weights and fp8 KV cache, tp 8 on hgx-h100");
  const std::string text = text_of({report_with(header)});
  const std::size_t second = text.find('\n') + 1;
  CHECK(text.substr(second, text.find('\n', second) - second) ==
        "told: llama-3-70b with bf16 weights and fp8 KV cache, tp 8 on hgx-h100, engine vllm-v1");
  header.case_name = "4k";
  CHECK(text_of({report_with(header)}).find("\ntold, case 4k: llama-3-70b with") != std::string::npos);

  const nlohmann::json scenario = json_of(report_with(header)).at("scenario");
  CHECK(scenario.at("name") == "told");
  CHECK(scenario.at("case") == "4k");
  CHECK(scenario.at("hash") == header.hash);
  CHECK(scenario.at("seed") == 1);
  CHECK(scenario.at("model") == "llama-3-70b");
  CHECK(scenario.at("weights") == "bf16");
  CHECK(scenario.at("kv_cache") == "fp8");
  CHECK(scenario.at("tp") == 8);
  CHECK(scenario.at("node") == "hgx-h100");
  CHECK(scenario.at("engine") == "vllm-v1");
  CHECK(scenario.at("cost_model") == "ideal");
}

TEST_CASE("a scenario without model or node has none to name") {
  const RunHeader header = header_for(
      "memory: {num_gpu_blocks: 100}\nscheduler: {max_model_len: 1000}\ncost: {model: fixed, step: 1 s}\n" + loop);
  CHECK(header.deployment == "no model");
  const nlohmann::json scenario = json_of(report_with(header)).at("scenario");
  for (const char* key : {"model", "weights", "kv_cache", "node"}) CHECK(scenario.at(key).is_null());
}

TEST_CASE("the remedy for a short run is what makes this workload longer") {
  const std::string server =
      "memory: {num_gpu_blocks: 100}\nscheduler: {max_model_len: 1000}\ncost: {model: fixed, step: 1 s}\n";
  CHECK(header_for(server + loop).more_requests == "raise workload.num_requests");
  CHECK(header_for(server + "workload: {requests: [{input_tokens: 4, output_tokens: 1}]}\n").more_requests ==
        "add to workload.requests");
}

TEST_CASE("a report says how far its cost model can be trusted") {
  for (const std::string model : {"fixed", "ideal", "roofline"}) {
    RunHeader header = header_of(2);
    header.cost_model = model;
    const std::string note(cost_note(model));
    CHECK(note.size() > 20);
    CHECK(occurrences(text_of({report_with(header)}), "\nCost                  " + model + ": " + note + '\n') == 1);
    CHECK(json_of(report_with(header)).at("cost").at("model") == model);
    CHECK(json_of(report_with(header)).at("cost").at("note") == note);
  }
}

TEST_CASE("cases say once what their cost model is worth, or each for itself where they differ") {
  RunHeader header = header_of(2);
  header.cost_model = "roofline";
  const Report roofline = report_with(header);
  header.cost_model = "ideal";
  const Report ideal = report_with(header);
  CHECK(occurrences(text_of({roofline, roofline, roofline}), "a real server is slower") == 1);
  CHECK(text_of({roofline, roofline}).find("\nCost is roofline: datasheet peaks") != std::string::npos);
  CHECK(occurrences(text_of({ideal, ideal}), "a tuned stack reaches about half") == 1);
  const std::string mixed = text_of({roofline, ideal});
  CHECK(occurrences(mixed, "\nCost      ") == 2);
  CHECK(occurrences(mixed, "\nCost is ") == 0);
}
