#include "tests/support/known_specs.hpp"

namespace decodesim::tests {

namespace {
constexpr double gib = 1024.0 * 1024 * 1024;
}

GpuSpec h100_sxm() {
  GpuSpec gpu;
  gpu.name = "h100-sxm";
  gpu.memory_reported = Bytes(79.18 * gib);
  gpu.memory_sold = Bytes(80e9);
  gpu.hbm_bandwidth = BytesPerSecond(3.35e12);
  gpu.peak_bf16 = FlopsPerSecond(989.5e12);
  gpu.peak_fp8 = FlopsPerSecond(1979e12);
  gpu.peak_int8 = FlopsPerSecond(1979e12);
  gpu.link_bandwidth = BytesPerSecond(450e9);
  gpu.link_latency = Seconds(2.1e-6);
  gpu.multiprocessors = 132;
  gpu.sustained.hbm = 0.949;
  gpu.sustained.bf16 = 0.77;
  gpu.sustained.fp8 = 0.64;
  gpu.sustained.attention = 0.70;
  gpu.sustained.link = 0.61;
  gpu.sustained.library_all_reduce = Seconds(26.8e-6);
  gpu.sustained.library_link = 0.67;
  gpu.sustained.library_reduction = 0.62;
  return gpu;
}

GpuSpec mi300x() {
  GpuSpec gpu;
  gpu.name = "mi300x";
  gpu.memory_reported = Bytes(191.45 * gib);
  gpu.memory_sold = Bytes(192e9);
  gpu.hbm_bandwidth = BytesPerSecond(5.3e12);
  gpu.peak_bf16 = FlopsPerSecond(1307.4e12);
  gpu.peak_fp8 = FlopsPerSecond(2614.9e12);
  gpu.peak_int8 = FlopsPerSecond(2614.9e12);
  gpu.link_bandwidth = BytesPerSecond(448e9);
  gpu.link_latency = Seconds(5e-6);
  return gpu;
}

GpuSpec rtx_4090() {
  GpuSpec gpu;
  gpu.name = "rtx-4090";
  gpu.memory_reported = Bytes(23.6 * gib);
  gpu.memory_sold = Bytes(24e9);
  gpu.hbm_bandwidth = BytesPerSecond(1.008e12);
  gpu.peak_bf16 = FlopsPerSecond(165.2e12);
  gpu.peak_fp8 = FlopsPerSecond(330.3e12);
  gpu.peak_int8 = FlopsPerSecond(660.6e12);
  gpu.link_bandwidth = BytesPerSecond(32e9);
  gpu.link_latency = Seconds(5e-6);
  return gpu;
}

NodeSpec hgx_h100() {
  NodeSpec node;
  node.name = "hgx-h100";
  node.gpu = h100_sxm();
  node.gpus = 8;
  node.switches = {{"nvswitch", 4, true}};
  node.links = {{"gpu", "nvswitch", std::nullopt, std::nullopt}, {"gpu", "host", BytesPerSecond(64e9), Seconds(1e-6)}};
  return node;
}

NodeSpec mi300x_8() {
  NodeSpec node;
  node.name = "mi300x-8";
  node.gpu = mi300x();
  node.gpus = 8;
  node.links = {{"gpu", "gpu", std::nullopt, std::nullopt}, {"gpu", "host", BytesPerSecond(64e9), Seconds(1e-6)}};
  return node;
}

NodeSpec pcie_4090() {
  NodeSpec node;
  node.name = "pcie-4090";
  node.gpu = rtx_4090();
  node.gpus = 8;
  node.links = {{"gpu", "host", BytesPerSecond(32e9), Seconds(5e-6)}};
  return node;
}

NodeSpec pcie_l40s() {
  NodeSpec node;
  node.name = "pcie-l40s";
  node.gpu = rtx_4090();
  node.gpu.name = "l40s";
  node.gpus = 8;
  node.switches = {{"pcie-switch", 2, false}};
  node.links = {{"gpu0-3", "pcie-switch0", std::nullopt, std::nullopt},
                {"gpu4-7", "pcie-switch1", std::nullopt, std::nullopt},
                {"pcie-switch", "host", BytesPerSecond(64e9), Seconds(1e-6)}};
  return node;
}

ModelSpec llama_3_70b() {
  ModelSpec model;
  model.name = "llama-3-70b";
  model.parameters = 70.55e9;
  model.layers = 80;
  model.hidden_size = 8192;
  model.heads = 64;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.intermediate_size = 28672;
  model.vocab_size = 128256;
  model.max_model_len = Tokens(131072);
  return model;
}

ModelSpec llama_70b_mha() {
  ModelSpec model = llama_3_70b();
  model.name = "llama-70b-mha";
  model.parameters = 79.95e9;
  model.kv_heads = 64;
  return model;
}

ModelSpec llama_3_8b() {
  ModelSpec model;
  model.name = "llama-3-8b";
  model.parameters = 8.03e9;
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

ModelSpec deepseek_67b() {
  ModelSpec model;
  model.name = "deepseek-67b";
  model.parameters = 67.43e9;
  model.layers = 95;
  model.hidden_size = 8192;
  model.heads = 64;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.intermediate_size = 22016;
  model.vocab_size = 102400;
  model.max_model_len = Tokens(4096);
  return model;
}

ModelSpec deepseek_v2() {
  ModelSpec model;
  model.name = "deepseek-v2";
  model.parameters = 235.7e9;
  model.active_parameters = 20.85e9;
  model.layers = 60;
  model.hidden_size = 5120;
  model.heads = 128;
  model.kv_heads = 128;
  model.head_dim = 128;
  model.intermediate_size = 12288;
  model.vocab_size = 102400;
  model.max_model_len = Tokens(163840);
  model.mla = {512, 64};
  model.moe = {160, 6, 2, 1536, 1};
  return model;
}

ModelSpec gemma_3_27b() {
  ModelSpec model;
  model.name = "gemma-3-27b";
  model.parameters = 27.43e9;
  model.layers = 62;
  model.hidden_size = 5376;
  model.heads = 32;
  model.kv_heads = 16;
  model.head_dim = 128;
  model.intermediate_size = 21504;
  model.vocab_size = 262208;
  model.tied_embeddings = true;
  model.max_model_len = Tokens(131072);
  model.window = {Tokens(1024), 6};
  return model;
}

ModelSpec gpt_oss_120b() {
  ModelSpec model;
  model.name = "gpt-oss-120b";
  model.parameters = 116.8e9;
  model.active_parameters = 5.131e9;
  model.layers = 36;
  model.hidden_size = 2880;
  model.heads = 64;
  model.kv_heads = 8;
  model.head_dim = 64;
  model.intermediate_size = 2880;
  model.vocab_size = 201088;
  model.max_model_len = Tokens(131072);
  model.window = {Tokens(128), 2};
  model.moe = {128, 4, 0, 2880, 0};
  return model;
}

Deployment whiteboard() {
  Deployment deployment;
  deployment.model = llama_3_70b();
  deployment.node = hgx_h100();
  deployment.parallel.tp = 8;
  deployment.memory.capacity = MemoryCapacity::as_sold;
  deployment.memory.runtime_overhead = Bytes(2e9);
  deployment.cost.model = CostKind::ideal;
  deployment.reserved_blocks = 1;
  deployment.max_model_len = 131072;
  return deployment;
}

}  // namespace decodesim::tests
