// What people know from vLLM, its benchmark client or a datasheet is answered with its name here.

#include "sim/scenario/vllm_names.hpp"

#include <doctest/doctest.h>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

constexpr WrongFile vllm_files[] = {
    {"vLLM's share of memory", H100 LOAD "memory: {§gpu_memory_utilization: 0.9}\n", "unknown-key",
     "here it is called 'memory.utilization'"},
    {"vLLM's ranks", H100 LOAD "§tensor_parallel_size: 8\n", "unknown-key", "here it is called 'parallel.tp'"},
    {"vLLM's ranks as a flag", H100 LOAD "§--tensor-parallel-size: 8\n", "unknown-key",
     "here it is called 'parallel.tp'"},
    {"vLLM's format of the cache", H100 LOAD "§kv_cache_dtype: fp8\n", "unknown-key",
     "here it is called 'precision.kv_cache'"},
    {"vLLM's format of the weights", H100 LOAD "§dtype: bfloat16\n", "unknown-key",
     "here it is called 'precision.weights'"},
    {"a block size beside the memory", H100 LOAD "§block_size: 16\n", "unknown-key",
     "it belongs at 'memory.block_size'"},
    {"vLLM's given blocks", H100 LOAD "memory: {§num_gpu_blocks_override: 9}\n", "unknown-key",
     "here it is called 'memory.num_gpu_blocks'"},
    {"a length limit at the top", H100 LOAD "§max_model_len: 4k\n", "unknown-key",
     "it belongs at 'scheduler.max_model_len'"},
    {"chunked prefill at the top", H100 LOAD "§enable_chunked_prefill: true\n", "unknown-key",
     "it belongs at 'scheduler.enable_chunked_prefill'"},
    {"prefix caching", H100 LOAD "scheduler: {§enable_prefix_caching: false}\n", "unknown-key",
     "here it is called 'memory.prefix_caching'"},
    {"the client's number of requests", FIXED "workload: {§num_prompts: 3, input_tokens: 5, output_tokens: 2}\n",
     "unknown-key", "here it is called 'workload.num_requests'"},
    {"torch's name of a format", H100 LOAD "precision: {weights: §bfloat16}\n", "unknown-value",
     "did you mean 'bf16'?"},
    {"vLLM's name of a format", H100 LOAD "precision: {kv_cache: §fp8_e4m3}\n", "unknown-value", "did you mean 'fp8'?"},
    {"the model's own format", H100 LOAD "precision: {kv_cache: §auto}\n", "unknown-value", "'bf16' for most"},
    {"an engine without its version", FIXED LOAD "scheduler: {engine: §vllm}\n", "unknown-name",
     "did you mean 'vllm-v1'?"},
    {"a GPU without its form", "version: 1\nmodel: llama-3-8b\nhardware: {gpu: §H100, gpus: 2}\n" LOAD, "unknown-name",
     "did you mean 'h100-sxm'?"},
    {"a GPU that is a letter from another", "version: 1\nmodel: llama-3-8b\nhardware: {gpu: §h200, gpus: 2}\n" LOAD,
     "unknown-name", "did you mean 'h200-sxm'?"},
    {"a GPU for a node", "version: 1\nmodel: llama-3-8b\nhardware: {node: §h100}\n" LOAD, "unknown-name",
     "did you mean 'hgx-h100'?"},
    {"a model by its repository",
     "version: 1\nmodel: §meta-llama/Llama-3.1-70B-Instruct\nhardware: {node: hgx-h100}\n" LOAD, "unknown-name",
     "did you mean 'llama-3.1-70b'?"},
    {"requests a second in one word",
     FIXED "workload: {num_requests: 3, arrival: {process: constant, request_rate: §5 rps}, input_tokens: 5, "
           "output_tokens: 2}\n",
     "wrong-unit", "write '5 req/s'"},
    {"requests a second in full",
     FIXED "workload: {num_requests: 3, arrival: {process: constant, request_rate: §0.5 requests/s}, input_tokens: 5, "
           "output_tokens: 2}\n",
     "wrong-unit", "write '0.5 req/s'"},
    {"a rate of nothing",
     FIXED "workload: {num_requests: 3, arrival: {process: constant, request_rate: §5/s}, input_tokens: 5, "
           "output_tokens: 2}\n",
     "wrong-unit", "write '5 req/s'"},
};

}  // namespace

TEST_CASE("a name of vLLM's is answered with the one that a scenario takes") {
  for (const WrongFile& wrong : vllm_files) check_mistake(wrong);
}

TEST_CASE("a model's repository leads to its bare name") {
  CHECK(bare_model_name("meta-llama/Meta-Llama-3-70B-Instruct") == "llama-3-70b");
  CHECK(bare_model_name("Qwen/Qwen2.5-72B") == "qwen2.5-72b");
  CHECK(bare_model_name("google/gemma-3-27b-it") == "gemma-3-27b");
  CHECK(bare_model_name("mixtral-8x7b") == "mixtral-8x7b");
}

}  // namespace decodesim::tests
