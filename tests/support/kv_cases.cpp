#include "tests/support/kv_cases.hpp"

#include <cstdlib>
#include <utility>

#include "tests/support/csv_rows.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

Precision precision_named(const std::string& name) {
  if (name == "fp8") return Precision::fp8;
  if (name == "int8") return Precision::int8;
  if (name == "int4") return Precision::int4;
  if (name == "mxfp4" || name == "nvfp4") return Precision::fp4;
  return Precision::bf16;
}

/// What a log does not print of a model and defaults need: config.json of the models, and their parameters.
struct Widths {
  double parameters;
  int hidden;
  int intermediate;
  int vocab;
  MoeSpec moe{};
};
const std::map<std::string, Widths> widths{
    {"K02", {8.03e9, 4096, 14336, 128256}},
    {"K10", {6.738e9, 4096, 11008, 32000}},
    {"K22", {0.494e9, 896, 4864, 151936}},
    {"K24", {1.544e9, 1536, 8960, 151936}},
    {"K26", {1.544e9, 1536, 8960, 151936}},
    {"K28", {14.77e9, 5120, 13824, 152064}},
    {"K32", {235.1e9, 4096, 12288, 151936, {128, 8, 0, 1536, 0}}},
    {"K44", {14.66e9, 5120, 17920, 100352}},
    {"K46", {671.0e9, 7168, 18432, 129280, {256, 8, 1, 2048, 3}}},
    {"K48", {671.0e9, 7168, 18432, 129280, {256, 8, 1, 2048, 3}}},
    {"K54", {235.7e9, 5120, 12288, 102400, {160, 6, 2, 1536, 1}}},
    {"K56", {116.8e9, 2880, 2880, 201088, {128, 4, 0, 2880, 0}}},
    {"K58", {20.91e9, 2880, 2880, 201088, {32, 4, 0, 2880, 0}}},
    {"K74", {7.72e9, 4096, 11008, 151936}},
    {"K76", {6.05e9, 4096, 16384, 50400}},
    {"K78", {8.03e9, 4096, 14336, 128256}},
    {"K82", {6.65e9, 4096, 16384, 50432}},
};

/// What a GPU of the name reports (reference/capacity.md, finding 19); GiB, the middle of what logs say.
std::optional<double> reported_gib(const std::string& gpu) {
  if (gpu.find("H100") != std::string::npos || gpu == "A100 80GB") return 79.2;
  if (gpu.find("4090 24GB") != std::string::npos) return 23.6;
  return std::nullopt;
}

/// Steps and sequences as the version of the server chose them. vLLM V0 computed whole prompts, so a step took max_model_len
/// tokens and 2,048 at least; above 32k it computed chunks, unless the cache was of latents. vLLM 0.1 took 2,560.
ServerLimits limits_of(const KvCase& log) {
  const std::string& engine = log.text("engine");
  const auto length = static_cast<std::int64_t>(log.number("max_model_len").value_or(0));
  if (log.id() == "K56") return {1024, 1024, length};  // as its note says, on an H100
  if (engine.starts_with("SGLang")) return {8192, 2048, length == 0 ? 40960 : length};
  if (engine.starts_with("TRT-LLM")) return {8192, 256, length};
  if (engine.starts_with("vLLM 0.1.")) return {2560, 256, length};
  if (engine.starts_with("vLLM 0.2.")) return {4096, 256, length};
  const bool whole_prompts =
      engine.find("V0") != std::string::npos && (length <= 32768 || log.text("attn_note").starts_with("MLA"));
  return {whole_prompts ? std::max<std::int64_t>(2048, length) : 2048, 256, length};
}

}  // namespace

std::optional<double> KvCase::number(const std::string& column) const {
  const std::string& cell = text(column);
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return end == cell.c_str() ? std::nullopt : std::optional(value);
}

std::optional<std::vector<KvCase>> kv_cases() {
  const auto file = shared_file("data/kv_cases.csv");
  if (!file) return std::nullopt;
  std::vector<KvCase> cases;
  for (CsvRow& row : csv_rows(*file)) cases.push_back({std::move(row)});
  return cases;
}

LoggedServer logged_server(const KvCase& log) {
  LoggedServer server;
  ModelSpec& model = server.model;
  const std::string id = log.id();
  model.layers = static_cast<int>(log.number("layers").value_or(0));
  model.kv_heads = static_cast<int>(log.number("kv_heads").value_or(1));
  model.heads = model.kv_heads;
  model.head_dim = static_cast<int>(log.number("head_dim").value_or(1));
  if (const auto known = widths.find(id); known != widths.end()) {
    model.parameters = known->second.parameters;
    model.hidden_size = known->second.hidden;
    model.intermediate_size = known->second.intermediate;
    model.vocab_size = known->second.vocab;
    model.moe = known->second.moe;
  }
  const std::string& note = log.text("attn_note");
  if (note.find("expanded") != std::string::npos) {
    model.heads = 128;
    model.head_dim = 128;
    model.mla = {512, 64, LatentCache::no_mla_kernel};
  } else if (note.find("MLA") != std::string::npos) {
    // Both versions of vLLM that padded print so in their rows; SGLang does not pad, and neither did vLLM 0.8 release.
    const bool padded = note.find("PADDED") != std::string::npos || id == "K48";
    model.mla = {512, 64, padded ? LatentCache::aligned_256_bytes : LatentCache::compact};
  }
  // Rows count layers that have a cache; these are not all of the model's own.
  if (id == "K08") {
    model.layers = 32;
    model.draft_layers = 1;
  } else if (id == "K18") {
    model.layers = 32;
    model.cross_attention_layers = 8;
  } else if (id == "K56") {
    model.window = {Tokens(128), 2};
    server.memory.window_layers = WindowBlocks::apart;
  } else if (id == "K58") {
    model.window = {Tokens(128), 2};
  } else if (id == "K62") {
    // Of the two models that the row names, the one whose state needs the block that the log's figures lead to: 64 layers,
    // 4 KV heads of 256; 48 heads with a state of 128 x 128 in 32 bits, and 3 x 10,240 values of a convolution in 16.
    model.layers = 64;
    model.kv_heads = model.heads = 4;
    model.head_dim = 256;
    model.linear = {4, Bytes(48.0 * 128 * 128 * 4 + 3 * 10240 * 2)};
  } else if (id == "K64" || id == "K88") {
    model.layers *= 4;
    model.linear = {4, Bytes(1)};
    server.memory.state_slots = 1;  // SGLang keeps states outside
  }
  server.parallel.tp = static_cast<int>(log.number("tp").value_or(1));
  server.parallel.pp = static_cast<int>(log.number("pp").value_or(1));
  server.precision.weights = precision_named(log.text("weight_dtype"));
  server.precision.kv_cache = precision_named(log.text("kv_dtype"));
  server.memory.block_size = static_cast<std::int64_t>(log.number("block").value_or(16));
  server.memory.cuda_graphs_in_budget = false;  // as in all versions but K68's
  if (log.text("engine").starts_with("SGLang")) server.memory.accounting = Accounting::sglang;
  if (log.text("engine").starts_with("TRT-LLM")) server.memory.accounting = Accounting::trtllm;
  server.limits = limits_of(log);
  return server;
}

LoggedServer with_logged_pool(const KvCase& log) {
  LoggedServer server = logged_server(log);
  if (const auto pool = log.number("kv_gib_gpu")) server.memory.kv_cache = Bytes(*pool * GiB);
  return server;
}

std::optional<LoggedServer> with_logged_overheads(const KvCase& log) {
  const auto memory = log.number("gpu_mem_gib");
  const auto utilization = log.number("util");
  const auto weights = log.number("weight_gib_gpu");
  const auto non_torch = log.number("nontorch_gib");
  const auto peak = log.number("act_peak_gib");
  if (!memory || !utilization || !weights || !non_torch || !peak) return std::nullopt;
  LoggedServer server = logged_server(log);
  server.gpu.memory_reported = Bytes(*memory * GiB);
  server.memory.utilization = *utilization;
  server.memory.weights = Bytes(*weights * GiB);
  server.memory.non_torch = Bytes(*non_torch * GiB);
  server.memory.activation_peak = Bytes(*peak * GiB);
  return server;
}

std::optional<LoggedServer> with_default_overheads(const KvCase& log) {
  const auto memory = log.number("gpu_mem_gib") ? log.number("gpu_mem_gib") : reported_gib(log.text("gpu"));
  const auto utilization = log.number("util");
  if (!memory || !utilization || widths.count(log.id()) == 0) return std::nullopt;
  LoggedServer server = logged_server(log);
  server.gpu.memory_reported = Bytes(*memory * GiB);
  const bool over_pcie = log.text("gpu").find("RTX") != std::string::npos;
  server.gpu.link_bandwidth = BytesPerSecond(over_pcie ? 32e9 : 450e9);
  server.memory.utilization = *utilization;
  if (const auto weights = log.number("weight_gib_gpu")) server.memory.weights = Bytes(*weights * GiB);
  return server;
}

}  // namespace decodesim::tests
