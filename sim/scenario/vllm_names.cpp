#include "sim/scenario/vllm_names.hpp"

#include <algorithm>

#include "sim/core/letters.hpp"

namespace decodesim {

namespace {

struct VllmKey {
  std::string_view theirs;
  std::string_view ours;  // its path; empty: it is not simulated
  std::string_view help;  // where the path does not say it
};

constexpr VllmKey keys[] = {
    {"gpu_memory_utilization", "memory.utilization", ""},
    {"tensor_parallel_size", "parallel.tp", ""},
    {"tensor_parallel", "parallel.tp", ""},
    {"tp_size", "parallel.tp", ""},
    {"dtype", "precision.weights", ""},
    {"quantization", "precision.weights", ""},
    {"kv_cache_dtype", "precision.kv_cache", ""},
    {"block_size", "memory.block_size", ""},
    {"num_gpu_blocks_override", "memory.num_gpu_blocks", ""},
    {"max_model_len", "scheduler.max_model_len", ""},
    {"max_num_seqs", "scheduler.max_num_seqs", ""},
    {"max_num_batched_tokens", "scheduler.max_num_batched_tokens", ""},
    {"enable_chunked_prefill", "scheduler.enable_chunked_prefill", ""},
    {"scheduler_reserve_full_isl", "scheduler.reserve_full_isl", ""},
    {"policy", "scheduler.queue_order", ""},
    {"scheduling_policy", "scheduler.queue_order", ""},
    {"async_scheduling", "scheduler.async", ""},
    {"num_prompts", "workload.num_requests", ""},
    {"random_input_len", "workload.input_tokens", ""},
    {"random_output_len", "workload.output_tokens", ""},
    {"request_rate", "workload.arrival.request_rate", ""},
    {"rps", "workload.arrival.request_rate", ""},
    {"qps", "workload.arrival.request_rate", ""},
    {"node", "hardware.node", ""},
    {"num_gpus", "hardware.gpus", ""},
    {"enable_prefix_caching", "memory.prefix_caching", ""},
    {"pipeline_parallel_size", "", "only tensor parallelism is simulated yet: remove the key, and see 'parallel.tp'"},
    {"data_parallel_size", "", "only tensor parallelism is simulated yet: remove the key, and see 'parallel.tp'"},
    {"speculative_config", "", "speculative decoding is not simulated yet: remove the key"},
    {"swap_space", "", "vLLM V1 does not swap, and neither does its engine here: remove the key"},
};

struct VllmValue {
  std::string_view list;
  std::string_view theirs;
  std::string_view ours;
};

constexpr VllmValue values[] = {
    {"formats", "bfloat16", "bf16"},   {"formats", "float16", "fp16"},     {"formats", "half", "fp16"},
    {"formats", "float32", "fp32"},    {"formats", "float", "fp32"},       {"formats", "float8", "fp8"},
    {"formats", "fp8_e4m3", "fp8"},    {"formats", "fp8_e5m2", "fp8"},     {"formats", "fp8_inc", "fp8"},
    {"formats", "mxfp4", "fp4"},       {"formats", "nvfp4", "fp4"},        {"engines", "vllm", "vllm-v1"},
    {"engines", "vllm_v1", "vllm-v1"}, {"engines", "v1", "vllm-v1"},       {"gpus", "a100", "a100-80gb"},
    {"gpus", "a100-sxm", "a100-80gb"}, {"gpus", "h100", "h100-sxm"},       {"gpus", "h100-80gb", "h100-sxm"},
    {"gpus", "h200", "h200-sxm"},      {"gpus", "4090", "rtx-4090"},       {"gpus", "rtx4090", "rtx-4090"},
    {"nodes", "a100", "dgx-a100"},     {"nodes", "h100", "hgx-h100"},      {"nodes", "dgx-h100", "hgx-h100"},
    {"nodes", "h100-sxm", "hgx-h100"}, {"nodes", "h200", "hgx-h200"},      {"nodes", "dgx-h200", "hgx-h200"},
    {"nodes", "b200", "hgx-b200"},     {"nodes", "dgx-b200", "hgx-b200"},  {"nodes", "gb200", "gb200-nvl72"},
    {"nodes", "mi300x", "mi300x-8"},   {"nodes", "mi325x", "mi325x-8"},    {"nodes", "mi355x", "mi355x-8"},
    {"nodes", "l40s", "pcie-l40s"},    {"nodes", "rtx-4090", "pcie-4090"},
};

const VllmKey* find_key(std::string_view key) {
  std::string plain = lower(key.substr(std::min(key.find_first_not_of('-'), key.size())));
  for (char& c : plain) {
    if (c == '-') c = '_';
  }
  for (const VllmKey& known : keys) {
    if (known.theirs == plain) return &known;
  }
  return nullptr;
}

}  // namespace

std::string_view path_of_vllm_key(std::string_view key) {
  const VllmKey* known = find_key(key);
  return known == nullptr ? std::string_view() : known->ours;
}

std::string vllm_key_help(std::string_view key) {
  const VllmKey* known = find_key(key);
  if (known == nullptr) return "";
  if (known->ours.empty()) return std::string(known->help);
  const std::string path(known->ours);
  const bool misplaced = known->ours.ends_with("." + std::string(key));
  return misplaced ? "it belongs at '" + path + "'" : "here it is called '" + path + "'";
}

std::string_view name_of_vllm_value(std::string_view list, std::string_view value) {
  const std::string plain = lower(value);
  for (const VllmValue& known : values) {
    if (known.list == list && known.theirs == plain) return known.ours;
  }
  return {};
}

std::string vllm_value_help(std::string_view list, std::string_view value) {
  if (list == "formats" && value == "auto")
    return "vLLM's 'auto' takes the format of the model's files: write that one, 'bf16' for most";
  // Numbers that stand for another process.
  const std::string plain = lower(value);
  if (list == "numbers" && (plain == "inf" || plain == ".inf" || plain == "infinity"))
    return "no number here is infinite: an infinite request_rate is 'process: all_at_once', and an infinite burstiness "
           "'process: constant'";
  const std::string_view ours = name_of_vllm_value(list, value);
  return ours.empty() ? "" : "did you mean '" + std::string(ours) + "'?";
}

std::string bare_model_name(std::string_view name) {
  std::string bare = lower(name.substr(name.rfind('/') + 1));
  if (bare.starts_with("meta-")) bare.erase(0, 5);
  for (std::string_view tuning : {"-hf", "-it", "-instruct", "-chat", "-base"}) {
    if (bare.ends_with(tuning)) bare.erase(bare.size() - tuning.size());
  }
  return bare;
}

}  // namespace decodesim
