// The parts of a budget, whose arithmetic it is, pipeline stages and groups of layers.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sim/model/kv_cache.hpp"
#include "sim/model/memory_plan.hpp"
#include "sim/model/weights.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

MemoryPlan planned(const ModelSpec& model, ParallelSpec parallel, const MemorySpec& memory,
                   PrecisionSpec precision = {}, ServerLimits limits = {}) {
  const auto plan = plan_memory(model, tests::h100_sxm(), parallel, precision, memory, limits);
  REQUIRE(std::holds_alternative<MemoryPlan>(plan));
  return std::get<MemoryPlan>(plan);
}

ModelSpec hybrid() {
  ModelSpec model = tests::llama_3_8b();
  model.linear = {4, Bytes(3'000'000)};
  return model;
}

}  // namespace

TEST_CASE("the overhead is the sum of its parts, each stated or by default, or one stated figure") {
  MemorySpec memory;
  const MemoryPlan assumed = planned(tests::llama_3_8b(), {1}, memory);
  REQUIRE(assumed.parts.has_value());
  CHECK(assumed.parts->activation_peak == default_activation_peak(tests::llama_3_8b(), 1, {}));
  CHECK(assumed.parts->non_torch == default_non_torch(tests::h100_sxm(), 1));
  CHECK(assumed.parts->cuda_graphs == default_cuda_graphs(32));
  const Overhead& parts = *assumed.parts;
  CHECK(assumed.runtime_overhead == parts.activation_peak + parts.non_torch + parts.cuda_graphs);
  memory.activation_peak = Bytes(5e9);
  memory.non_torch = Bytes(1e9);
  CHECK(planned(tests::llama_3_8b(), {1}, memory).runtime_overhead == Bytes(6e9) + parts.cuda_graphs);
  memory.runtime_overhead = Bytes(2e9);
  CHECK(planned(tests::llama_3_8b(), {1}, memory).runtime_overhead == Bytes(2e9));
  CHECK_FALSE(planned(tests::llama_3_8b(), {1}, memory).parts.has_value());
}

TEST_CASE("activations grow with the tokens of a step or with the sequences that are sampled") {
  const ModelSpec model = tests::llama_3_8b();
  // 512 tokens are less than the logits of 256 sequences; 20,000 are more (log K02: 2.07 GiB).
  CHECK(default_activation_peak(model, 1, {512, 256, 0}).value() == 256.0 * 128256 * 40);
  CHECK(default_activation_peak(model, 1, {20000, 256, 0}).value() == 20000.0 * 2 * (3 * 4096 + 3 * 14336));
  CHECK(default_activation_peak(model, 1, {20000, 256, 0}).value() / 1073741824 == doctest::Approx(2.07).epsilon(0.01));
  // A sequence takes at least a token of the step.
  CHECK(default_activation_peak(model, 1, {16, 256, 0}).value() == 16.0 * 128256 * 40);
}

TEST_CASE("memory outside the framework grows with the ranks, more over links of the GPUs' own") {
  CHECK(default_non_torch(tests::h100_sxm(), 1) == default_non_torch(tests::rtx_4090(), 1));
  CHECK(default_non_torch(tests::h100_sxm(), 8) > default_non_torch(tests::h100_sxm(), 2));
  CHECK(default_non_torch(tests::h100_sxm(), 2) > default_non_torch(tests::rtx_4090(), 2));
}

TEST_CASE("CUDA graphs outside the budget enlarge the pool, and may overflow what it leaves") {
  MemorySpec memory;
  const MemoryPlan inside = planned(tests::llama_3_8b(), {1}, memory);
  memory.cuda_graphs_in_budget = false;
  const MemoryPlan outside = planned(tests::llama_3_8b(), {1}, memory);
  CHECK((outside.pool - inside.pool).value() == doctest::Approx(default_cuda_graphs(32).value()));
  CHECK_FALSE(outside.graphs_overflow);
  memory.utilization = 0.995;
  CHECK(planned(tests::llama_3_8b(), {1}, memory).graphs_overflow);
}

TEST_CASE("sglang leaves activations to the rest of the memory, and pays for a table of its requests") {
  MemorySpec memory;
  memory.accounting = Accounting::sglang;
  const ServerLimits limits{8192, 2048, 163840};
  const MemoryPlan plan = planned(tests::llama_3_8b(), {1}, memory, {}, limits);
  CHECK(plan.request_table.value() == 2049.0 * 163844 * 4);
  CHECK(plan.pool == plan.usable - plan.weight_shard - default_non_torch(tests::h100_sxm(), 1) - plan.request_table);
}

TEST_CASE("trtllm takes a share of what is free, in blocks rounded up") {
  MemorySpec memory;
  memory.accounting = Accounting::trtllm;
  memory.utilization = 0.9;
  memory.weights = Bytes(40e9);
  memory.runtime_overhead = Bytes(0);
  memory.capacity = MemoryCapacity::as_sold;
  const MemoryPlan plan = planned(tests::llama_3_8b(), {1}, memory);
  CHECK(plan.pool.value() == doctest::Approx(36e9));
  CHECK(plan.num_blocks.value() == std::ceil(plan.pool / plan.block_bytes));
  memory.accounting = Accounting::vllm;
  CHECK(planned(tests::llama_3_8b(), {1}, memory).pool.value() == doctest::Approx(32e9));
  memory.accounting = Accounting::trtllm;
  memory.weights = Bytes(81e9);
  CHECK(std::holds_alternative<PlanError>(plan_memory(tests::llama_3_8b(), tests::h100_sxm(), {1}, {}, memory)));
}

TEST_CASE("quantized weights keep embeddings and output layer in 16 bits, unless told otherwise") {
  const ModelSpec model = tests::llama_3_8b();
  const double tables = 2.0 * model.vocab_size * model.hidden_size;
  CHECK(weight_bytes(model, PrecisionSpec{Precision::fp8, Precision::bf16}).value() ==
        doctest::Approx(model.parameters + tables));
  PrecisionSpec all{Precision::fp8, Precision::bf16};
  all.embeddings = Precision::fp8;
  CHECK(weight_bytes(model, all) == weight_bytes(model, Precision::fp8));
  CHECK(weight_bytes(model, PrecisionSpec{}) == weight_bytes(model, Precision::bf16));
}

TEST_CASE("each stage has its layers, and the one with the fewest blocks bounds the pool") {
  const auto layers = [](int pp) {
    std::vector<int> each;
    for (const PipelineStage& stage : pipeline_stages(tests::deepseek_67b(), pp)) each.push_back(stage.layers);
    return each;
  };
  CHECK(layers(1) == std::vector<int>{95});
  CHECK(layers(2) == std::vector<int>{48, 47});
  CHECK(layers(4) == std::vector<int>{24, 24, 24, 23});
  const MemoryPlan plan = planned(tests::deepseek_67b(), {2, 4}, {});
  REQUIRE(plan.stages.size() == 4);
  double weights = 0;
  for (const StagePlan& stage : plan.stages) {
    CHECK(plan.num_blocks <= stage.num_blocks);
    CHECK(stage.block_bytes.value() ==
          16 * stage.layers * 2.0 * 4 * 128 * 2);  // tokens, layers, keys and values, heads of a rank, values, bytes
    weights += stage.weights.value() * 2;
  }
  CHECK(weights == doctest::Approx(weight_bytes(tests::deepseek_67b(), Precision::bf16).value()));
  // The first also has the embedding, and as many layers as the next two.
  CHECK(plan.stage == 0);
  CHECK(plan.pool == plan.stages[0].pool);
  const auto error = plan_memory(tests::deepseek_67b(), tests::h100_sxm(), {1, 96}, {}, {});
  CHECK(std::get<PlanError>(error).key == "parallel.pp");
}

TEST_CASE("windows of their own hold more long sequences than windows as full layers, never fewer") {
  for (const ModelSpec& model : {tests::gemma_3_27b(), tests::gpt_oss_120b()}) {
    MemorySpec memory;
    const MemoryPlan full = planned(model, {8}, memory);
    memory.window_layers = WindowBlocks::apart;
    const MemoryPlan apart = planned(model, {8}, memory);
    CHECK(apart.groups.window > 0);
    for (std::int64_t context : {4096, 32768, 131072}) {
      const double of_full = full.concurrency(context, 1);
      const double of_apart = apart.concurrency(context, 1);
      CHECK(of_apart > of_full);
      // No more than bytes allow, were there no blocks to fill.
      const double bytes = kv_bytes_per_sequence(model, Precision::bf16, Tokens(context)).value() / 8;
      CHECK(of_apart <= apart.pool.value() / bytes * 1.001);
    }
  }
}

TEST_CASE("heads of windowed layers that take half as much hold twice the tokens a block") {
  ModelSpec model = tests::gemma_3_27b();
  model.window.kv_heads = 8;
  MemorySpec memory;
  memory.window_layers = WindowBlocks::apart;
  const MemoryPlan plan = planned(model, {8}, memory);
  CHECK(plan.block_size == 16);
  CHECK(plan.window_block_size == 32);
}

TEST_CASE("states share the pool's blocks, or lie outside it in slots") {
  MemorySpec memory;
  const MemoryPlan shared = planned(hybrid(), {1}, memory);
  // 3,000,000 bytes are 732.4 tokens of 4,096 bytes, so a block has 46 times 16.
  CHECK(shared.block_size == 736);
  CHECK(shared.groups == LayerGroups{1, 0, 3, 8});
  CHECK(shared.block_bytes.value() == 8.0 * 736 * 4096);
  CHECK(shared.blocks_of(737, 1) == 2 + 3);
  CHECK(shared.tokens.value() == shared.num_blocks.value() / 4 * 736);
  memory.state_slots = 100;
  const MemoryPlan slots = planned(hybrid(), {1}, memory);
  CHECK(slots.states.value() == 100 * 24 * 3e6);
  CHECK(slots.block_size == 16);
  CHECK((shared.pool - slots.pool).value() == doctest::Approx(slots.states.value()));
}

TEST_CASE("tokens or bytes as a log prints them take the budget's place") {
  MemorySpec memory;
  memory.kv_cache = Bytes(1e9);
  CHECK(planned(tests::llama_3_70b(), {1}, memory).num_blocks == Blocks(190));  // the weights alone would not fit
  memory.num_gpu_tokens = 1000;
  CHECK(planned(tests::llama_3_70b(), {1}, memory).num_blocks == Blocks(62));
  memory.num_gpu_blocks = 7;
  CHECK(planned(tests::llama_3_70b(), {1}, memory).tokens == Tokens(112));
  memory.num_gpu_blocks.reset();
  memory.num_gpu_tokens = 15;
  const auto error = plan_memory(tests::llama_3_70b(), tests::h100_sxm(), {1}, {}, memory);
  CHECK(std::get<PlanError>(error).message == "15 tokens do not fill one block of 16");
}

TEST_CASE("the longest sequence is the last that the pool holds") {
  for (WindowBlocks blocks : {WindowBlocks::as_full, WindowBlocks::apart}) {
    MemorySpec memory;
    memory.window_layers = blocks;
    memory.kv_cache = Bytes(3e9);
    const MemoryPlan plan = planned(tests::gemma_3_27b(), {4}, memory);
    const std::int64_t longest = longest_sequence(plan, 10'000'000, 2048);
    CHECK(plan.blocks_of(longest, 2048) <= plan.num_blocks.value());
    CHECK(plan.blocks_of(longest + 1, 2048) > plan.num_blocks.value());
    CHECK_FALSE(start_objection(plan, longest, 2048).has_value());
    CHECK(start_objection(plan, longest + 1, 2048).has_value());
  }
}

TEST_CASE("a stage whose layers keep states alone must have room for them, though it holds any number of blocks") {
  ModelSpec model = tests::deepseek_67b();
  model.linear = {model.layers, Bytes(1e6)};  // one layer of full attention, in the last stage
  MemorySpec memory;
  memory.state_slots = 100;
  const auto plan = [&] { return plan_memory(model, tests::h100_sxm(), {8, 2}, {}, memory); };
  const MemoryPlan fits = std::get<MemoryPlan>(plan());
  CHECK(fits.stage == 1);
  CHECK(fits.num_blocks < fits.stages[0].num_blocks);
  memory.state_slots = 20'000;  // 48 layers of the first stage, 125 kB a rank: 120 GB
  const PlanError error = std::get<PlanError>(plan());
  CHECK(error.message.find("lower memory.runtime_overhead or memory.state_slots") != std::string::npos);
}

TEST_CASE("what is stated in place of the budget is what an error tells to change") {
  MemorySpec memory;
  memory.kv_cache = Bytes(1e6);
  const auto error = [&] {
    return std::get<PlanError>(plan_memory(tests::llama_3_8b(), tests::h100_sxm(), {1}, {}, memory));
  };
  CHECK(error().key == "memory.kv_cache");
  CHECK(error().message.find("raise memory.kv_cache") != std::string::npos);
  CHECK(error().message.find("memory.utilization") == std::string::npos);
  memory.kv_cache.reset();
  memory.weights = Bytes(1e12);
  CHECK(error().key == "memory.weights");
  CHECK(error().message.find("smaller format") == std::string::npos);
}

TEST_CASE("blocks that would be longer than any context are refused, whatever their number") {
  ModelSpec model = tests::llama_3_8b();
  MemorySpec memory;
  memory.num_gpu_blocks = 4'294'967'294;
  const auto key = [&] {
    const auto plan = plan_memory(model, tests::h100_sxm(), {1}, {}, memory);
    const auto* error = std::get_if<PlanError>(&plan);
    return error == nullptr ? "" : error->key;
  };
  model.linear = {4, Bytes(1e6)};
  CHECK(key().empty());
  model.linear.state = Bytes(1e12);
  model.kv_heads = model.head_dim = 1;
  CHECK(key() == "memory.state_slots");
  memory.state_slots = 1;
  CHECK(key().empty());
  model.linear = {};
  model.window = {Tokens(128), 2, 100'000, 100'000};
  CHECK(key().empty());
  memory.window_layers = WindowBlocks::apart;
  CHECK(key() == "memory.window_layers");
}

}  // namespace decodesim
