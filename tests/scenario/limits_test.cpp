// Ceilings and floors of values: within them nothing overflows, beyond them is an error with a place.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/scenario/scenario_fields.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

template <class Visit>
void each_number(FieldTable fields, const std::string& path, const Visit& visit) {
  for (const Field& field : fields) {
    const std::string own = path.empty() ? std::string(field.key) : path + "." + std::string(field.key);
    if (const RecordField* record = field.record()) each_number(record->fields, own, visit);
    if (const ListField* list = field.list()) each_number(list->fields, own, visit);
    const ScalarField* scalar = field.scalar();
    if (scalar == nullptr) continue;
    if (scalar->kind == Kind::flag || scalar->kind == Kind::choice || scalar->kind == Kind::text) continue;
    if (scalar->kind != Kind::path) visit(*scalar, own);
  }
}

const std::string machine =
    "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\nworkload: {num_requests: 3, input_tokens: 5, "
    "output_tokens: 2}\n";

struct Bound {
  std::string text;  // a scenario in which the value has an effect
  std::string path;
  std::string taken;
  std::string refused;
};

// A function, since the small scenario is filled in only when the program starts.
std::vector<Bound> bounds() {
  return {
      {small_scenario, "memory.num_gpu_blocks", "4294967294", "4294967295"},
      {small_scenario, "cost.step", "86400 s", "86401 s"},
      {machine, "cost.host_time", "24 h", "25 h"},
      {machine, "hardware.gpu.link.latency", "1 s", "1001 ms"},
      {machine, "hardware.gpu.link.bandwidth", "1 MB/s", "999 kB/s"},
      {machine, "hardware.gpu.hbm_bandwidth", "1 MB/s", "1 B/s"},
      {machine, "hardware.gpu.hbm_bandwidth", "1000 PB/s", "1e-300 B/s"},
      {machine, "hardware.gpu.memory.reported", "1 TB", "101 TB"},
      {machine, "hardware.gpu.memory.sold", "1 MB", "1 B"},
      {machine, "hardware.gpu.peak.bf16", "1 GFLOP/s", "1 MFLOP/s"},
      {machine, "hardware.gpu.peak.fp8", "0 FLOP/s", "1 FLOP/s"},
      {machine, "memory.runtime_overhead", "0 GB", "101 TB"},
      {machine, "model.layers", "100", "10001"},
      {machine, "model.heads", "64", "100008"},
      {machine, "model.parameters", "1", "1.1e15"},
      {machine, "model.max_model_len", "1000000000", "1000000001"},
      {small_scenario, "scheduler.max_num_batched_tokens", "1000000000", "1000000001"},
      {small_scenario, "workload.arrival", "{process: constant, request_rate: 1e-6 req/s}",
       "{process: constant, request_rate: 1e-9 req/s}"},
      {small_scenario, "workload.requests", "[{arrival: 1576800000 s, input_tokens: 1, output_tokens: 1}]",
       "[{arrival: 1576800001 s, input_tokens: 1, output_tokens: 1}]"},
  };
}

}  // namespace

TEST_CASE("every number has a ceiling, but for the seed and for limits that results are only held against") {
  each_number(scenario_fields, "", [](const ScalarField& scalar, const std::string& path) {
    CAPTURE(path);
    const bool compared_only = path == "run.seed" || (path.starts_with("slo.") && path != "slo.min_goodput");
    CHECK(std::isfinite(scalar.range.max) != compared_only);
  });
}

TEST_CASE("a value at its bound is taken, and one beyond is out of range at its place") {
  for (const Bound& bound : bounds()) {
    CAPTURE(bound.path);
    const Loaded taken = load_text(bound.text, {bound.path + "=" + bound.taken});
    INFO(diagnostics_text(taken.diagnostics));
    CHECK(taken.scenarios.size() == 1);
    const Loaded refused = load_text(bound.text, {bound.path + "=" + bound.refused});
    CHECK(refused.scenarios.empty());
    REQUIRE(refused.diagnostics.size() >= 1);
    CHECK(refused.diagnostics[0].code == "out-of-range");
    CHECK(refused.diagnostics[0].file == "--set[1]");
  }
}

TEST_CASE("requests that would arrive over more than fifty years are an error at their rate") {
  const std::string rate = "workload.arrival={process: poisson, request_rate: 1e-6 req/s}";
  CHECK(load_text(small_scenario, {rate, "workload.num_requests=1576"}).scenarios.size() == 1);
  const Loaded beyond = load_text(small_scenario, {rate, "workload.num_requests=1577"});
  REQUIRE(beyond.diagnostics.size() == 1);
  CHECK(beyond.diagnostics[0].code == "out-of-range");
  CHECK(beyond.diagnostics[0].message.find("more than 50 years") != std::string::npos);
  CHECK(beyond.diagnostics[0].column > 1);
}

TEST_CASE("a memory budget that gives more blocks than can be counted is an error") {
  const Loaded many = load_text(machine, {"hardware.gpu.memory={reported: 100 TB, sold: 100 TB}", "memory.block_size=1",
                                          "model.layers=1", "model.kv_heads=1", "model.head_dim=1"});
  REQUIRE(many.diagnostics.size() == 1);
  CHECK(many.diagnostics[0].code == "does-not-fit");
  CHECK(many.diagnostics[0].message.find("the most is 4294967294") != std::string::npos);
}

TEST_CASE("without chunked prefill something must limit prompts") {
  const std::string off = "scheduler.enable_chunked_prefill=false";
  const Loaded endless = load_text(small_scenario, {off});
  REQUIRE(endless.diagnostics.size() == 1);
  CHECK(endless.diagnostics[0].code == "missing-key");
  CHECK(endless.diagnostics[0].help.find("set scheduler.max_model_len, at most max_num_batched_tokens") == 0);
  CHECK(load_text(small_scenario, {off, "scheduler.max_model_len=64"}).scenarios.size() == 1);
}

}  // namespace decodesim::tests
