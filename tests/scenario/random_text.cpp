#include "tests/scenario/random_text.hpp"

#include <vector>

#include "tests/scenario/random_workload.hpp"

namespace decodesim::tests {

const std::string inline_machine =
    "model: {name: tiny, parameters: 1e6, layers: 2, hidden_size: 64, heads: 4, kv_heads: 2, head_dim: 16, "
    "intermediate_size: 128, vocab_size: 100, "
    "max_model_len: 4k, window: {size: 128, global_every: 2}, moe: {experts: 8, active: 2, intermediate_size: 32}}\n"
    "hardware:\n"
    "  gpu: {like: h100-sxm, memory: {sold: 96 GB}}\n"
    "  gpus: 2\n";

std::string random_scenario_text(std::mt19937_64& random) {
  const auto pick = [&](std::vector<std::string> choices) { return choices[random() % choices.size()]; };
  std::string text = "version: 1\nname: " + pick({"a", "\"null\"", "\"quo\\\"te: \\x07 #\"", "'12'", "über"}) + "\n";
  const bool fixed = random() % 2 == 0;
  if (fixed) {
    text += "cost: {model: fixed, step: " + pick({"1 s", "21.5 ms", "123456789 ns"}) +
            "}\nmemory: {num_gpu_blocks: " + std::to_string(2 + random() % 98) +
            ", block_size: " + pick({"1", "16", "32"}) + "}\n";
    if (random() % 2 == 0) text += inline_machine;
  } else {
    text += random() % 2 == 0 ? inline_machine
                              : "model: " + pick({"llama-3-8b\nhardware: {node: pcie-l40s, gpus: 4}\n",
                                                  "deepseek-v3\nhardware: {node: hgx-h200}\n",
                                                  "{like: gemma-3-27b, layers: 12}\nhardware: {node: hgx-h100}\n"});
    text += "cost: {model: " + pick({"ideal", "roofline", "roofline, host_time: 1.25 ms, all_reduce: ring"}) + "}\n";
    text += "memory: {capacity: " + pick({"as_sold", "as_reported"}) + ", utilization: " + pick({"0.9", "87.5 %"}) +
            ", runtime_overhead: " + pick({"1 GiB", "1.234567 GB", "17 B"}) + "}\n";
    text += "precision: {weights: " + pick({"fp8", "int4"}) + ", kv_cache: " + pick({"fp6", "fp16"}) + "}\n";
  }
  text += "scheduler: {never_fits: " + pick({"reject", "hang", "{fail_after: 3}"}) +
          ", watermark: " + pick({"0", "1 %", "0.333"}) + ", long_prefill_token_threshold: " + pick({"0", "1k"}) +
          ", reserve_full_isl: " + pick({"true", "false"}) + "}\n";
  const bool arrives_computed = random() % 3 == 0;
  text += arrives_computed ? "serving: {prefill: arrives_computed, after_preemption: refetch}\n"
                           : pick({"serving: {prefill: computed}\n", ""});
  text += "workload: " + random_workload_text(random, !arrives_computed) + "\n";
  text += pick({"run: {seed: 12345678901234567, window: {skip_first: 10 %}}\n", ""}) +
          pick({"slo: {ttft_p99: 2 s, tpot_p99: 30 ms}\n", ""});
  return text;
}

}  // namespace decodesim::tests
