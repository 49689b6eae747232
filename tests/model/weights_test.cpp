#include "sim/model/weights.hpp"

#include <doctest/doctest.h>

#include "tests/support/known_specs.hpp"

namespace decodesim {

TEST_CASE("weights take parameters x bytes a value, split evenly over ranks") {
  CHECK(weight_bytes(tests::llama_3_70b(), Precision::bf16).value() == 141.1e9);
  CHECK(weight_bytes(tests::llama_3_70b(), Precision::fp8).value() == 70.55e9);
  CHECK(weight_bytes(tests::llama_3_70b(), Precision::int4).value() == 35.275e9);
  CHECK(weight_shard_bytes(tests::llama_3_70b(), Precision::bf16, 8).value() == 141.1e9 / 8);
}

TEST_CASE("a step reads all parameters but the input embedding, which a tied model shares with its output layer") {
  const ModelSpec untied = tests::llama_3_70b();
  const double table = 128256.0 * 8192;
  CHECK(lm_head_parameters(untied) == table);
  CHECK(layer_parameters(untied) + lm_head_parameters(untied) == untied.parameters - table);
  const ModelSpec tied = tests::gemma_3_27b();
  CHECK(layer_parameters(tied) + lm_head_parameters(tied) == tied.parameters);
}

TEST_CASE("a token is multiplied with the active parameters alone, which include the output layer") {
  const ModelSpec experts = tests::gpt_oss_120b();
  CHECK(multiplied_parameters(experts) + lm_head_parameters(experts) == doctest::Approx(5.131e9));
  CHECK(multiplied_parameters(tests::llama_3_70b()) == layer_parameters(tests::llama_3_70b()));
}

TEST_CASE("fewer parameters than the tables have leave no layers, not a negative number") {
  ModelSpec model = tests::llama_3_8b();
  model.parameters = 1e6;
  model.active_parameters = 1e6;
  CHECK(layer_parameters(model) == 0);
  CHECK(multiplied_parameters(model) == 0);
}

}  // namespace decodesim
