// The sample scenario, what it resolves to, and that the resolved text is the scenario.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sim/scenario/scenario_fields.hpp"
#include "sim/workload/workload_fields.hpp"
#include "tests/scenario/loading.hpp"
#include "tests/scenario/random_text.hpp"

namespace decodesim::tests {

namespace {

const std::string sample =
    "version: 1\n"
    "name: context-4k\n"
    "model: llama-3-70b            # or an inline mapping of shape fields, optionally `like: NAME`\n"
    "hardware: {node: hgx-h100}    # or an inline node; `gpus: 4` takes part of one\n"
    "parallel: {tp: 8}\n"
    "precision: {weights: bf16, kv_cache: bf16}\n"
    "memory: {capacity: as_sold, utilization: 0.92, runtime_overhead: 2 GB, block_size: 16}   # num_gpu_blocks "
    "overrides\n"
    "scheduler: {engine: vllm-v1, max_num_seqs: 1024, max_num_batched_tokens: 8192, watermark: 0, reserve_full_isl: "
    "true, async: false, "
    "never_fits: reject}\n"
    "serving: {prefill: arrives_computed}\n"
    "cost: {model: ideal}\n"
    "workload: {max_concurrency: 400, num_requests: 3200, input_tokens: 4k, output_tokens: 16}\n"
    "run: {seed: 1, window: {skip_first: 25 %, skip_last: 25 %}}\n"
    "slo: {ttft_p99: 2 s}\n";

}  // namespace

TEST_CASE("the sample scenario loads as it is written") {
  const Scenario scenario = load_one(sample);
  CHECK(scenario.name == "context-4k");
  CHECK(scenario.model.name == "llama-3-70b");
  CHECK(scenario.model.parameters == 70.55e9);
  CHECK(scenario.model.layers == 80);
  CHECK(scenario.model.kv_heads == 8);
  CHECK(scenario.model.max_model_len.value() == 131072);
  CHECK(scenario.hardware.name == "hgx-h100");
  CHECK(scenario.hardware.gpus == 8);
  CHECK(scenario.hardware.gpus_installed == 0);
  CHECK(scenario.hardware.gpu.name == "h100-sxm");
  CHECK(scenario.hardware.gpu.memory_sold.value() == 80e9);
  CHECK(scenario.hardware.gpu.hbm_bandwidth.value() == 3.35e12);
  CHECK(scenario.hardware.gpu.peak_bf16.value() == 989.5e12);
  CHECK(scenario.hardware.gpu.link_latency.value() == 2.1e-6);
  CHECK(scenario.hardware.links.size() == 2);
  CHECK(scenario.parallel.tp == 8);
  CHECK(scenario.precision.weights == Precision::bf16);
  CHECK(scenario.memory.capacity == MemoryCapacity::as_sold);
  CHECK(scenario.memory.utilization == 0.92);
  CHECK(scenario.memory.runtime_overhead == Bytes(2e9));
  CHECK(scenario.memory.block_size == 16);
  CHECK_FALSE(scenario.memory.num_gpu_blocks.has_value());
  CHECK(scenario.scheduler.engine == "vllm-v1");
  CHECK(scenario.scheduler.max_num_seqs == 1024);
  CHECK(scenario.scheduler.max_num_batched_tokens == 8192);
  CHECK(scenario.scheduler.reserve_full_isl);
  CHECK(scenario.scheduler.never_fits == NeverFits::reject);
  CHECK(scenario.serving.prefill == PrefillMode::arrives_computed);
  CHECK(scenario.cost.model == CostKind::ideal);
  CHECK(scenario.workload.kind == WorkloadKind::generator);
  CHECK(scenario.workload.max_concurrency == 400);
  CHECK(scenario.workload.num_requests == 3200);
  CHECK(scenario.workload.input_tokens.min == 4096);
  CHECK(scenario.workload.input_tokens.max == 4096);
  CHECK(scenario.workload.output_tokens.max == 16);
  CHECK(scenario.run.seed == 1);
  CHECK(scenario.run.window.skip_first == 0.25);
  CHECK(scenario.slo.ttft_p99 == Duration(2'000'000'000));
  CHECK_FALSE(scenario.slo.tpot_p99.has_value());
}

TEST_CASE("defaults in effect are those that were not stated, with their source") {
  std::vector<std::string> listed;
  for (const DefaultUsed& used : defaults_in_effect(load_one(sample)))
    listed.push_back(used.path + "=" + used.value + " " + used.source);
  CHECK(listed == std::vector<std::string>{"memory.accounting=vllm spec", "memory.prefix_caching=false assumed",
                                           "scheduler.long_prefill_token_threshold=0 spec",
                                           "scheduler.enable_chunked_prefill=true spec",
                                           "serving.after_preemption=recompute assumed"});
  listed.clear();
  for (const DefaultUsed& used : defaults_in_effect(load_one(
           "version: 1\n" + inline_machine + "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n"))) {
    listed.push_back(used.path + "=" + used.value);
  }
  const auto has = [&](const std::string& entry) {
    return std::find(listed.begin(), listed.end(), entry) != listed.end();
  };
  CHECK(has("model.moe.shared=0"));
  CHECK(has("hardware.links=every two GPUs are joined"));
  CHECK(has("parallel.tp=2"));
  CHECK(has("precision.kv_cache=bf16"));
  CHECK(has("memory.utilization=0.92"));
  CHECK(has("memory.non_torch=700 MiB"));
  CHECK(has("memory.cuda_graphs_in_budget=true"));
  CHECK(has("scheduler.never_fits=reject"));
  CHECK(has("cost.model=roofline"));
  CHECK(has("cost.host_time=3 ms"));
  CHECK(has("workload.arrival.process=all_at_once"));
  CHECK(has("run.seed=1"));
  CHECK_FALSE(has("cost.step=0 s"));
  CHECK_FALSE(has("serving.after_preemption=recompute"));
}

TEST_CASE("a default that is stated in other words is still the same scenario") {
  const std::string text =
      "version: 1\nmodel: llama-3-70b\nhardware: {node: hgx-h100}\nworkload: {num_requests: 3, input_tokens: 4k, "
      "output_tokens: 2}\n";
  const Scenario bare = load_one(text);
  const Scenario wordy = load_one(text +
                                      "parallel: {tp: 8}\nmemory: {utilization: 92 %, cuda_graphs: 1638400 "
                                      "KiB}\nserving: {prefill: computed}\nx-note: {any: [thing]}\n",
                                  {"workload.input_tokens=4096", "cost.host_time=3000 us"});
  CHECK(scenario_text(bare) == scenario_text(wordy));
  CHECK(scenario_hash(bare) == scenario_hash(wordy));
}

TEST_CASE("the resolved text loads to the same scenario and the same hash, and states everything") {
  std::mt19937_64 random(5);
  std::set<std::string> hashes;
  for (int i = 0; i < 300; ++i) {
    const std::string text = random_scenario_text(random);
    const Scenario first = load_one(text);
    const std::string resolved = scenario_text(first);
    const Scenario second = load_one(resolved);
    CAPTURE(text);
    CAPTURE(resolved);
    REQUIRE(scenario_text(second) == resolved);
    REQUIRE(scenario_hash(second) == scenario_hash(first));
    REQUIRE(defaults_in_effect(second).empty());
    hashes.insert(scenario_hash(first));
  }
  CHECK(hashes.size() > 250);
}

TEST_CASE("random scenario files state every field of a workload at times, but for what names another file") {
  std::mt19937_64 random(5);
  std::string texts;
  for (int i = 0; i < 300; ++i) texts += random_scenario_text(random);
  const std::function<void(FieldTable)> look_for = [&](FieldTable fields) {
    for (const Field& field : fields) {
      const bool names_a_file = field.key == "trace" || field.key == "lengths" ||
                                (field.scalar() != nullptr && field.scalar()->kind == Kind::path);
      if (names_a_file) continue;
      const std::string stated = std::string(field.key) + ": ";
      CAPTURE(field.key);
      CHECK((texts.find("{" + stated) != std::string::npos || texts.find(", " + stated) != std::string::npos));
      if (field.record() != nullptr) look_for(field.record()->fields);
      if (field.list() != nullptr) look_for(field.list()->fields);
    }
  };
  look_for(workload_fields);
}

TEST_CASE("the hash names the scenario: every value counts, where a trace lies does not") {
  const std::string hash = scenario_hash(load_one(sample));
  CHECK(hash.size() == 16);
  for (const char* set : {"memory.block_size=32", "run.seed=2", "name=other", "workload.input_tokens=4097",
                          "model.layers=79", "slo.ttft_p99=2.000000001 s"}) {
    CAPTURE(set);
    CHECK(scenario_hash(load_one(sample, {set})) != hash);
  }
  const Folder one;
  const Folder other;
  for (const Folder* folder : {&one, &other}) {
    folder->write("t.csv", "arrival_s,input_tokens,output_tokens\n0,1,1\n");
    folder->write(
        "s.yaml",
        "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\nworkload: {trace: t.csv}\n");
  }
  CHECK(scenario_text(one.load("s.yaml").scenarios.at(0)) != scenario_text(other.load("s.yaml").scenarios.at(0)));
  CHECK(scenario_hash(one.load("s.yaml").scenarios.at(0)) == scenario_hash(other.load("s.yaml").scenarios.at(0)));
}

TEST_CASE("model and hardware may be left out where neither price nor pool needs them") {
  const Scenario scenario = load_one(small_scenario);
  CHECK(scenario.model.layers == 0);
  CHECK(scenario.model.max_model_len.value() == 0);
  CHECK(scenario.hardware.gpus == 1);
  CHECK(scenario.parallel.tp == 1);
  CHECK(scenario.name == "s");
  CHECK(scenario_text(scenario).find("model:\n") == std::string::npos);
  CHECK(scenario_text(scenario).find("hardware:") == std::string::npos);
}

TEST_CASE("requests of a list get their defaults and keep their order") {
  const Scenario scenario = load_one(
      "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\nworkload:\n  requests:\n"
      "    - {id: A, arrival: 2 s, input_tokens: 4k, output_tokens: 3}\n    - {input_tokens: 6, output_tokens: 5, "
      "max_tokens: 8, priority: 2}\n");
  REQUIRE(scenario.workload.requests.size() == 2);
  const Request& first = scenario.workload.requests[0];
  CHECK(first.index == 0);
  CHECK(first.id == "A");
  CHECK(first.arrival == Time(Duration(2'000'000'000)));
  CHECK(first.input_tokens == 4096);
  CHECK(first.max_tokens == 3);
  const Request& second = scenario.workload.requests[1];
  CHECK(second.index == 1);
  CHECK(second.id.empty());
  CHECK(second.arrival == Time());
  CHECK(second.max_tokens == 8);
  CHECK(second.priority == 2);
}

TEST_CASE("an inline machine may start from the catalog, and then goes by another name") {
  const Scenario scenario =
      load_one("version: 1\n" + inline_machine + "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n");
  CHECK(scenario.model.name == "tiny");
  CHECK(scenario.model.window.size.value() == 128);
  CHECK(scenario.model.moe.experts == 8);
  CHECK_FALSE(scenario.model.has_latent_cache());
  CHECK(scenario.hardware.name == "inline");
  CHECK(scenario.hardware.gpu.name == "like h100-sxm");
  CHECK(scenario.hardware.gpu.memory_sold.value() == 96e9);
  CHECK(scenario.hardware.gpu.hbm_bandwidth.value() == 3.35e12);
  REQUIRE(scenario.hardware.links.size() == 1);
  CHECK(scenario.hardware.links[0].from == "gpu");
  CHECK(scenario.hardware.links[0].to == "gpu");
}

TEST_CASE("how many sequences and tokens a step takes by default depends on the GPU, as it does in vLLM's server") {
  struct Limits {
    const char* hardware;
    std::int64_t sequences;
    std::int64_t tokens;
  };
  for (const Limits& limits : {
           Limits{"{node: hgx-h100}", 1024, 8192},
           Limits{"{node: mi300x-8}", 1024, 8192},
           Limits{"{node: dgx-a100}", 256, 2048},
           Limits{"{gpu: {like: a100-80gb, hbm_bandwidth: 3 TB/s}, gpus: 2}", 256, 2048},
           Limits{"{gpu: l40s, gpus: 2}", 256, 2048},
           Limits{"{gpu: {like: h100-sxm, memory: {reported: 70 GiB}}, gpus: 2}", 1024, 8192},
           Limits{"{gpu: {like: h100-sxm, memory: {reported: 69.99 GiB}}, gpus: 2}", 256, 2048},
       }) {
    const Scenario scenario = load_one("version: 1\nmodel: llama-3-8b\nhardware: " + std::string(limits.hardware) +
                                       "\nworkload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n");
    CAPTURE(limits.hardware);
    CHECK(scenario.scheduler.max_num_seqs == limits.sequences);
    CHECK(scenario.scheduler.max_num_batched_tokens == limits.tokens);
    const std::vector<DefaultUsed> used = defaults_in_effect(scenario);
    for (const auto& [path, value] : {std::pair{"scheduler.max_num_seqs", limits.sequences},
                                      std::pair{"scheduler.max_num_batched_tokens", limits.tokens}}) {
      CHECK(std::any_of(used.begin(), used.end(), [&, path = path, value = value](const DefaultUsed& one) {
        return one.path == path && one.value == std::to_string(value) && one.source == "spec";
      }));
    }
  }
  const Scenario stated = load_one(
      "version: 1\nmodel: llama-3-8b\nhardware: {node: dgx-a100}\nscheduler: {max_num_seqs: 7}\n"
      "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n");
  CHECK(stated.scheduler.max_num_seqs == 7);
  CHECK(stated.scheduler.max_num_batched_tokens == 2048);
  CHECK(load_one(small_scenario).scheduler.max_num_seqs == 1024);
  CHECK(load_one(small_scenario).scheduler.max_num_batched_tokens == 8192);
}

TEST_CASE("that passes are not planned ahead is an assumption, and is listed as one") {
  const std::vector<DefaultUsed> used = defaults_in_effect(load_one(small_scenario));
  CHECK(std::any_of(used.begin(), used.end(), [](const DefaultUsed& one) {
    return one.path == "scheduler.async" && one.value == "false" && one.source == "assumed";
  }));
}

TEST_CASE("that steps wait for their transfers is a default that is listed where KV can move, until it is stated") {
  const std::string swapping =
      "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\nscheduler: {engine: vllm-v0, "
      "preemption_mode: swap}\nworkload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n";
  const auto listed = [](const std::string& text) {
    std::string found;
    for (const DefaultUsed& used : defaults_in_effect(load_one(text)))
      if (used.path == "memory.host_link.overlap") found += used.value + " " + used.source;
    return found;
  };
  CHECK(listed(swapping) == "none assumed");
  CHECK(listed(swapping + "memory: {host_link: {setup: 5 us}}\n") == "none assumed");
  CHECK(listed(swapping + "memory: {host_link: {overlap: step}}\n") == "");
  CHECK(listed(swapping.substr(0, swapping.find("scheduler:")) + swapping.substr(swapping.find("workload:"))) == "");
}

}  // namespace decodesim::tests
