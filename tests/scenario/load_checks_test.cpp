// Where KV that is loaded while others run is refused.

#include <doctest/doctest.h>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

#define REMOTE "workload: {requests: [{input_tokens: 5, output_tokens: 2, remote_tokens: §5, load_time: 1 s}]}\n"
#define POOL "version: 1\ncost: {model: fixed, step: 1 s}\n"

constexpr WrongFile wrong_files[] = {
    {"more than the prompt",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, remote_tokens: §6, load_time: 1 s}]}\n",
     "out-of-range", "at most 5"},
    {"no time", FIXED "workload: {requests: [§{input_tokens: 5, output_tokens: 2, remote_tokens: 5}]}\n", "missing-key",
     "load_time"},
    {"a time for nothing", FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, §load_time: 1 s}]}\n",
     "no-effect", "remove it"},
    {"an engine that loads nothing", FIXED REMOTE "scheduler: {engine: sarathi}\n", "unsupported",
     "choose engine 'vllm-v1'"},
    {"prompts that come with their KV", FIXED REMOTE "serving: {prefill: arrives_computed}\n", "contradiction",
     "keep one of them"},
    {"two places to load from", POOL "memory: {num_gpu_blocks: 11, host_cache: {chunks: 3, chunk: 16}}\n" REMOTE,
     "contradiction", "keep one of them"},
    {"an order that it does not know", FIXED REMOTE "scheduler: {queue_order: sjf}\n", "unsupported",
     "choose 'fcfs' or 'priority'"},
    {"a test that looks at those who run", FIXED REMOTE "scheduler: {admission: peak-estimate}\n", "unsupported",
     "choose 'whole-sequence' or 'first-chunk'"},
    {"loads from the host beside such a test",
     POOL "memory: {num_gpu_blocks: 11, host_cache: {chunks: 3, chunk: 16, load: §async}}\n" LOAD
          "scheduler: {admission: peak-estimate}\n",
     "unsupported", "choose 'whole-sequence' or 'first-chunk'"},
    {"late frees without planning ahead", FIXED LOAD "scheduler: {§defer_frees: true}\n", "no-effect", "remove it"},
    {"lost tokens without planning ahead", FIXED LOAD "scheduler: {§drop_in_flight: true}\n", "no-effect", "remove it"},
    {"late frees and a test that does not look at the free blocks",
     FIXED LOAD "scheduler: {async: true, defer_frees: §true, admission: prompt-and-max}\n", "unsupported",
     "choose 'whole-sequence' or 'first-chunk'"},
};

}  // namespace

TEST_CASE("KV that is loaded while others run is refused where a policy does not reckon with it") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

}  // namespace decodesim::tests
