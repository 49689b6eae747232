// What a run is told of its pool, and which pools it cannot play.

#include "sim/scenario/pool.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/scenario/assemble.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

const std::string load = "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n";

std::string server(const std::string& model, const std::string& memory, const std::string& more = "") {
  return "version: 1\nmodel: " + model + "\nhardware: {node: hgx-h100}\nmemory: {" + memory + "}\n" + more + load;
}
const std::string hybrid = "{like: llama-3-8b, linear: {full_every: 4, state: 3 MB}}";

std::string refusal(const std::string& text) {
  const auto error = unplayable(load_one(text));
  return error ? error->key : "";
}

std::string warnings(const std::string& text) {
  std::string all;
  for (const std::string& one : assemble(load_one(text), "test").header.warnings) all += one + "\n";
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("stages, windows of their own and states in blocks are planned but not played") {
  CHECK(refusal(server("llama-3-8b", "utilization: 0.9")) == "");
  CHECK(refusal(server("llama-3-8b", "utilization: 0.9", "parallel: {tp: 4, pp: 2}\n")) == "parallel.pp");
  CHECK(refusal(server("gpt-oss-120b", "window_layers: apart")) == "memory.window_layers");
  CHECK(refusal(server("gpt-oss-120b", "utilization: 0.9")) == "");
  CHECK(refusal(server(hybrid, "utilization: 0.9")) == "memory.state_slots");
  CHECK(refusal(server(hybrid, "state_slots: 100")) == "memory.state_slots");
  CHECK(refusal(server(hybrid, "state_slots: 100", "scheduler: {max_num_seqs: 100}\n")) == "");
  CHECK(refusal(server(hybrid, "num_gpu_blocks: 100")) == "");
  CHECK_THROWS_AS(assemble(load_one(server(hybrid, "utilization: 0.9")), "test"), ScenarioError);
}

TEST_CASE("a run says that it counts windowed layers as full ones") {
  CHECK(has(warnings(server("gpt-oss-120b", "utilization: 0.9")),
            "blocks are counted as if all 36 layers saw the whole context, and 18 see a window"));
  CHECK(warnings(server("llama-3-8b", "utilization: 0.9")) == "");
  CHECK(warnings(server("gpt-oss-120b", "num_gpu_blocks: 100000")) == "");
}

TEST_CASE("a run says where CUDA graphs overflow and where TensorRT-LLM would cut sequences") {
  CHECK(has(warnings(server("llama-3-8b", "utilization: 0.999, cuda_graphs_in_budget: false")),
            "CUDA graphs come on top of memory.utilization"));
  CHECK(has(warnings(server("llama-3-8b", "kv_cache: 100 MiB")), "a real server would refuse to start"));
  const std::string cut =
      "accounting: trtllm, utilization: 0.02, weights: 70 GB, runtime_overhead: 0 GB, block_size: 64";
  CHECK(has(warnings(server("llama-3.1-8b", cut)), "TensorRT-LLM would lower the longest sequence from 131072 to "));
  CHECK_FALSE(has(warnings(server("llama-3.1-8b", cut)), "refuse to start"));
}

TEST_CASE("parts of the overhead are worked out once and seen as figures; stated ones stay") {
  const Scenario bare = load_one(server("llama-3-8b", "non_torch: 1 GiB"));
  CHECK(bare.memory.non_torch == Bytes(1073741824.0));
  CHECK(bare.memory.activation_peak.has_value());
  CHECK(bare.memory.cuda_graphs.has_value());
  const Scenario whole = load_one(server("llama-3-8b", "runtime_overhead: 1 GiB"));
  CHECK_FALSE(whole.memory.activation_peak.has_value());
  const Scenario outside = load_one(server("llama-3-8b", "cuda_graphs_in_budget: false"));
  CHECK_FALSE(outside.memory.cuda_graphs.has_value());
}

TEST_CASE("fields of memory that would have no effect are refused") {
  for (const char* memory :
       {"num_gpu_blocks: 9, kv_cache: 1 GiB", "num_gpu_blocks: 9, num_gpu_tokens: 900",
        "kv_cache: 1 GiB, utilization: 0.5", "runtime_overhead: 1 GB, non_torch: 1 GB",
        "accounting: sglang, activation_peak: 1 GB", "cuda_graphs_in_budget: false, cuda_graphs: 1 GB"}) {
    CAPTURE(memory);
    const Loaded loaded = load_text(server("llama-3-8b", memory));
    REQUIRE_FALSE(loaded.diagnostics.empty());
    CHECK(loaded.diagnostics[0].code == "no-effect");
  }
}

TEST_CASE("memory for layers that the model does not have is refused") {
  for (const char* memory : {"window_layers: apart", "state_slots: 10"}) {
    CAPTURE(memory);
    const Loaded loaded = load_text(server("llama-3-8b", memory));
    REQUIRE_FALSE(loaded.diagnostics.empty());
    CHECK(loaded.diagnostics[0].code == "no-effect");
  }
}

TEST_CASE("kinds of layers that exclude each other are refused, and more stages than GPUs") {
  const auto code = [](const std::string& text) {
    const Loaded loaded = load_text(text);
    return loaded.scenarios.empty() ? loaded.diagnostics[0].message : "";
  };
  CHECK(has(code(server("{like: gemma-3-27b, linear: {full_every: 4, state: 1 MB}}", "utilization: 0.9")),
            "exclude each other"));
  CHECK(has(code(server("{like: llama-3-8b, linear: {full_every: 40, state: 1 MB}}", "utilization: 0.9")),
            "'model.linear.full_every' is above 'model.layers'"));
  CHECK(has(code(server("llama-3-8b", "utilization: 0.9", "parallel: {tp: 8, pp: 2}\n")), "takes 16 GPUs"));
}

TEST_CASE("kinds of layers that no layer is of have no effect") {
  for (const char* model : {"{like: llama-3-8b, window: {size: 128, global_every: 1}}",
                            "{like: llama-3-8b, linear: {full_every: 1, state: 1 MB}}"}) {
    CAPTURE(model);
    const Loaded loaded = load_text(server(model, "utilization: 0.9"));
    REQUIRE_FALSE(loaded.diagnostics.empty());
    CHECK(loaded.scenarios.empty());
    CHECK(loaded.diagnostics[0].code == "no-effect");
  }
}

TEST_CASE("more stages than layers, and heads of windowed layers that do not group, are told at their place") {
  const auto first = [](const std::string& text) { return load_text(text).diagnostics.at(0); };
  const Diagnostic stages =
      first(server("{like: llama-3-8b, layers: 1}", "utilization: 0.9", "parallel: {tp: 4, pp: 2}\n"));
  CHECK(stages.code == "out-of-range");
  CHECK(has(stages.message, "1 layers do not fill the 2 stages"));
  const Diagnostic heads =
      first(server("{like: llama-3-8b, window: {size: 128, global_every: 2, kv_heads: 64}}", "utilization: 0.9"));
  CHECK(has(heads.message, "'model.window.kv_heads' is 64"));
}

TEST_CASE("a pool of the null block alone names what gave it") {
  for (const char* given : {"num_gpu_blocks: 1", "num_gpu_tokens: 16", "kv_cache: 2 MiB"}) {
    CAPTURE(given);
    const Loaded loaded = load_text("version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, gpus: 1}\nmemory: {" +
                                    std::string(given) + "}\n" + load);
    REQUIRE_FALSE(loaded.diagnostics.empty());
    const std::string key = std::string(given).substr(0, std::string(given).find(':'));
    CHECK(has(loaded.diagnostics[0].help, "memory." + key));
  }
}

}  // namespace decodesim::tests
