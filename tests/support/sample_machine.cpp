#include "tests/support/sample_machine.hpp"

namespace decodesim::tests {

namespace {

/// config.json of meta-llama/Meta-Llama-3-8B, as workloads/models/llama-3-8b.yaml has it.
ModelSpec llama_3_8b() {
  ModelSpec model;
  model.name = "llama-3-8b";
  model.parameters = 8.030e9;
  model.layers = 32;
  model.hidden_size = 4096;
  model.heads = 32;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.intermediate_size = 14336;
  model.vocab_size = 128256;
  model.max_model_len = Tokens(8192);
  return model;
}

/// As hardware/nodes/hgx-h100.yaml has it.
NodeSpec hgx_h100() {
  NodeSpec node;
  node.name = "hgx-h100";
  node.gpu.name = "h100-sxm";
  node.gpu.memory_reported = Bytes(79.18 * 1024 * 1024 * 1024);
  node.gpu.memory_sold = Bytes(80e9);
  node.gpu.hbm_bandwidth = BytesPerSecond(3.35e12);
  node.gpu.peak_bf16 = FlopsPerSecond(989.5e12);
  node.gpu.peak_fp8 = FlopsPerSecond(1979e12);
  node.gpu.peak_int8 = FlopsPerSecond(1979e12);
  node.gpu.link_bandwidth = BytesPerSecond(450e9);
  node.gpu.link_latency = Seconds(2.1e-6);
  node.gpus = 8;
  node.switches = {{"nvswitch", 4, true}};
  node.links = {{"gpu", "nvswitch", std::nullopt, std::nullopt}, {"gpu", "host", BytesPerSecond(64e9), Seconds(1e-6)}};
  return node;
}

}  // namespace

std::unique_ptr<CostModel> sample_cost(CostKind kind) {
  CostSpec cost;
  cost.model = kind;
  ParallelSpec parallel;
  parallel.tp = 8;
  return make_cost_model(cost, llama_3_8b(), hgx_h100(), parallel, PrecisionSpec{});
}

std::string sample_machine_yaml() {
  return "model: llama-3-8b\nhardware: {node: hgx-h100}\nparallel: {tp: 8}\nprecision: {weights: bf16, kv_cache: "
         "bf16}\n";
}

}  // namespace decodesim::tests
