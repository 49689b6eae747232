#include "sim/model/memory_plan.hpp"

#include <doctest/doctest.h>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

MemorySpec whiteboard() {
  MemorySpec memory;
  memory.capacity = MemoryCapacity::as_sold;
  memory.runtime_overhead = Bytes(2e9);
  return memory;
}

std::variant<MemoryPlan, PlanError> plan(const ModelSpec& model, int tp, const MemorySpec& memory,
                                         PrecisionSpec precision = {}) {
  return plan_memory(model, tests::h100_sxm(), ParallelSpec{tp}, precision, memory);
}

}  // namespace

TEST_CASE("the pool is what utilization leaves after the weight shard and the runtime") {
  const auto result = plan(tests::llama_3_70b(), 8, whiteboard());
  const MemoryPlan& memory = std::get<MemoryPlan>(result);
  const double pool = 80e9 * 0.92 - 70.55e9 * 2 / 8 - 2e9;
  CHECK(memory.capacity.value() == 80e9);
  CHECK(memory.usable.value() == doctest::Approx(73.6e9));
  CHECK(memory.weight_shard.value() == doctest::Approx(17.6375e9));
  CHECK(memory.pool.value() == doctest::Approx(pool));
  CHECK(memory.block_bytes.value() == 16 * 327'680 / 8);
  CHECK(memory.num_blocks == Blocks(82'340));
  CHECK(memory.tokens == Tokens(1'317'440));
  CHECK_FALSE(memory.blocks_given);
}

TEST_CASE("terms always add up, and one block more would not fit") {
  for (const ModelSpec& model :
       {tests::llama_3_70b(), tests::llama_3_8b(), tests::gemma_3_27b(), tests::deepseek_67b()}) {
    for (int tp : {4, 8}) {
      for (Precision cache : {Precision::bf16, Precision::fp8, Precision::fp6, Precision::int4}) {
        MemorySpec spec = whiteboard();
        spec.block_size = 1 + tp * 7;
        const auto result = plan(model, tp, spec, {Precision::bf16, cache});
        const MemoryPlan& memory = std::get<MemoryPlan>(result);
        const double blocks = static_cast<double>(memory.num_blocks.value());
        CHECK((memory.usable - memory.weight_shard - memory.runtime_overhead).value() == memory.pool.value());
        CHECK(blocks * memory.block_bytes.value() <= memory.pool.value());
        CHECK((blocks + 1) * memory.block_bytes.value() > memory.pool.value());
        CHECK(memory.tokens.value() == memory.num_blocks.value() * spec.block_size);
      }
    }
  }
}

TEST_CASE("the driver's figure is used unless the scenario asks for the datasheet's") {
  MemorySpec spec = whiteboard();
  spec.capacity = MemoryCapacity::as_reported;
  const auto result = plan(tests::llama_3_70b(), 8, spec);
  CHECK(std::get<MemoryPlan>(result).capacity == tests::h100_sxm().memory_reported);
}

TEST_CASE("a latent cache is not divided by ranks") {
  const auto one = plan_memory(tests::deepseek_v2(), tests::mi300x(), ParallelSpec{8}, {}, whiteboard());
  CHECK(std::get<MemoryPlan>(one).block_bytes.value() == 16 * 60 * 576 * 2);
}

TEST_CASE("num_gpu_blocks overrides the budget, even one that is negative") {
  MemorySpec spec = whiteboard();
  spec.num_gpu_blocks = 41;
  for (int tp : {1, 8}) {
    const auto result = plan(tests::llama_3_70b(), tp, spec);
    const MemoryPlan& memory = std::get<MemoryPlan>(result);
    CHECK(memory.blocks_given);
    CHECK(memory.num_blocks == Blocks(41));
    CHECK(memory.tokens == Tokens(656));
    CHECK((memory.pool.value() < 0) == (tp == 1));
  }
}

TEST_CASE("weights that do not fit are an error that names what to change") {
  const auto result = plan(tests::llama_3_70b(), 1, whiteboard());
  const PlanError& error = std::get<PlanError>(result);
  CHECK(error.key == "parallel.tp");
  CHECK(error.message ==
        "no memory is left for the KV cache: of 73.60 GB usable a GPU the weights take 141.10 GB and the runtime 2.00 "
        "GB, "
        "69.50 GB too much; take more GPUs (parallel.tp is now 1), or store the weights in a smaller format "
        "(precision.weights: fp8, int8, fp6, int4, fp4)");
}

TEST_CASE("a smaller format is named only where there is one") {
  const auto message = [](Precision weights) {
    PrecisionSpec precision;
    precision.weights = weights;
    MemorySpec memory = whiteboard();
    memory.utilization = 0.1;
    return std::get<PlanError>(plan(tests::llama_3_70b(), 1, memory, precision)).message;
  };
  CHECK(message(Precision::fp6).ends_with("smaller format (precision.weights: int4, fp4)"));
  CHECK(message(Precision::int4).ends_with("take more GPUs (parallel.tp is now 1)"));
}

TEST_CASE("an overhead that leaves nothing is an error that names what to change") {
  MemorySpec spec = whiteboard();
  spec.utilization = 0.25;
  spec.runtime_overhead = Bytes(3e9);
  const auto result = plan(tests::llama_3_70b(), 8, spec);
  const PlanError& error = std::get<PlanError>(result);
  CHECK(error.key == "memory.utilization");
  CHECK(error.message.find(
            "raise memory.utilization, lower memory.runtime_overhead, or take more GPUs (parallel.tp is now 8)") !=
        std::string::npos);
}

TEST_CASE("a pool smaller than one block is an error") {
  MemorySpec spec = whiteboard();
  spec.block_size = 2'000'000;
  const auto result = plan(tests::llama_3_70b(), 8, spec);
  const PlanError& error = std::get<PlanError>(result);
  CHECK(error.message ==
        "the 53.96 GB left for the KV cache do not hold one block of 2000000 tokens (81.92 GB); raise "
        "memory.utilization, lower memory.runtime_overhead, or take more GPUs (parallel.tp is now 8), or store the KV "
        "cache in a smaller format (precision.kv_cache: fp8, int8, fp6, int4, fp4)");
}

}  // namespace decodesim
