// Where prefix caching is refused, and what is refused without it.

#include <doctest/doctest.h>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

#define CACHED "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11, prefix_caching: true}\n" LOAD
#define NOT_CACHED "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n" LOAD

constexpr WrongFile wrong_files[] = {
    {"a cache under an engine that has none",
     "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11, prefix_caching: §true}\n" LOAD
     "scheduler: {engine: sarathi}\n",
     "unsupported", "write 'prefix_caching: false'"},
    {"an order by what nobody can find", NOT_CACHED "scheduler: {queue_order: §longest-prefix}\n", "contradiction",
     "write 'memory: {prefix_caching: true}', or choose another 'queue_order'"},
    {"a budget below a block",
     CACHED
     "scheduler: {engine: vllm-v0, max_num_seqs: 8, enable_chunked_prefill: true, max_num_batched_tokens: §15}\n",
     "contradiction", "raise max_num_batched_tokens, or set memory.prefix_caching: false"},
};

}  // namespace

TEST_CASE("prefix caching that an engine cannot keep, and what needs it, are refused with the reason") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

TEST_CASE("a cache and swapping contradict each other, however swapping is chosen") {
  for (const char* scheduler : {"kv_fate: swapped", "engine: vllm-v0, preemption_mode: swap", "kv_fate: cheaper"}) {
    const std::string text =
        "version: 1\ncost: {model: fixed, step: 1 s}\n"
        "memory: {num_gpu_blocks: 11, prefix_caching: true, host_swap: {blocks: 9}}\n" LOAD "scheduler: {" +
        std::string(scheduler) + "}\n";
    const std::string told = diagnostics_text(load_text(text).diagnostics);
    CAPTURE(scheduler);
    CHECK(told.find("contradicts 'memory.prefix_caching: true'") != std::string::npos);
    CHECK(told.find("remove one of the two") != std::string::npos);
  }
}

TEST_CASE("vLLM V0 takes prefix caching, with whole prompts and with chunks") {
  CHECK(diagnostics_text(load_text(CACHED "scheduler: {engine: vllm-v0}\n").diagnostics) == "");
  CHECK(diagnostics_text(
            load_text(CACHED "scheduler: {engine: vllm-v0, enable_chunked_prefill: true}\n").diagnostics) == "");
}

}  // namespace decodesim::tests
