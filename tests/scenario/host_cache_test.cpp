// The host tier as a scenario states it.

#include <doctest/doctest.h>

#include <variant>

#include "sim/scenario/host_memory.hpp"
#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

constexpr WrongFile wrong_files[] = {
    {"a host cache without its size", H100 LOAD "memory: {§host_cache: {chunk: 256}}\n", "missing-key",
     "add 'capacity"},
    {"a chunk of half a block", H100 LOAD "memory: {host_cache: {chunks: 9, chunk: §250}}\n", "out-of-range",
     "a multiple of memory.block_size, 16"},
    {"blocks written on eviction where none is evicted",
     H100 LOAD "memory: {host_cache: {chunks: 9, chunk: 16, write: §on_evict}}\n", "contradiction",
     "write 'prefix_caching: true'"},
    {"chunks of many blocks written on eviction",
     H100 LOAD "memory: {prefix_caching: true, host_cache: {chunks: 9, write: §on_evict}}\n", "contradiction",
     "write 'chunk: 16'"},
    {"a host cache below an engine that has none",
     H100 LOAD "scheduler: {engine: orca, max_model_len: 4096}\nmemory: {§host_cache: {chunks: 9}}\n", "no-effect",
     "remove it"},
    {"a link that nothing moves over", H100 LOAD "memory: {§host_link: {setup: 1 us}}\n", "no-effect",
     "add what moves KV over it"},
    {"a link under a price that knows no transfers",
     "version: 1\ncost: {model: fixed, step: 1 s}\n" LOAD
     "memory: {num_gpu_blocks: 11, host_cache: {chunks: 9}, §host_link: {overlap: step}}\n",
     "no-effect", "choose cost model 'ideal' or 'roofline'"},
    {"a link of a scheduler that swaps under such a price",
     "version: 1\ncost: {model: fixed, step: 1 s}\n" LOAD
     "memory: {num_gpu_blocks: 11, host_swap: {blocks: 9}, §host_link: {bandwidth: 1 GB/s}}\n"
     "scheduler: {kv_fate: swapped}\n",
     "no-effect", "choose cost model 'ideal' or 'roofline'"},
    {"a prompt that is loaded and computed as a whole",
     FIXED "workload:\n  requests:\n"
           "    - {input_tokens: 9, output_tokens: 1, remote_tokens: §8, load_time: 1 s, no_prefix_read: true}\n",
     "contradiction", "keep one of them"},
};

}  // namespace

TEST_CASE("mistakes in a host cache, its link and loads are pointed out") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

TEST_CASE("a host cache of so many bytes a GPU holds the chunks that fit") {
  // Llama 3 8B on eight ranks: 2 x 32 layers x 1 head x 128 x 2 bytes = 16 KiB a token, 4 MiB a chunk of 256.
  const Scenario scenario = load_one(H100 LOAD "memory: {host_cache: {capacity: 5 GB}}\n");
  const auto host = std::get<HostMemory>(plan_host(scenario));
  CHECK(host.blocks == 0);
  CHECK(host.cache.chunks == 1192);
  CHECK(host.cache.chunk_blocks == 16);
  CHECK(host.cache.write == HostWrite::through);
  CHECK(host.transfer.bandwidth.value() > 1e9);
  CHECK(scenario_text(load_one(scenario_text(scenario))) == scenario_text(scenario));
}

}  // namespace decodesim::tests
