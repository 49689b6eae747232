#include "sim/model/comparison.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

Explanation at_context(const Deployment& deployment, std::int64_t context) {
  Question question;
  question.context = context;
  auto result = explain(deployment, question);
  REQUIRE(std::holds_alternative<Explanation>(result));
  return std::get<Explanation>(std::move(result));
}

double factor(const Comparison& comparison, std::string_view key) {
  const auto found = std::find_if(comparison.causes.begin(), comparison.causes.end(),
                                  [&](const Cause& one) { return one.key == key; });
  REQUIRE(found != comparison.causes.end());
  return found->factor;
}

bool differs(const Comparison& comparison, std::string_view key) {
  return std::any_of(comparison.differences.begin(), comparison.differences.end(),
                     [&](const Difference& one) { return one.key == key; });
}

/// Deployments that differ in one thing or several.
std::vector<Explanation> variants() {
  std::vector<Explanation> all{at_context(tests::whiteboard(), 4096), at_context(tests::whiteboard(), 131072)};
  Deployment cache = tests::whiteboard();
  cache.precision.kv_cache = Precision::fp8;
  all.push_back(at_context(cache, 4096));
  Deployment machine = tests::whiteboard();
  machine.node = tests::mi300x_8();
  all.push_back(at_context(machine, 8192));
  Deployment roofline = tests::whiteboard();
  roofline.cost.model = CostKind::roofline;
  all.push_back(at_context(roofline, 4096));
  Deployment limited = tests::whiteboard();
  limited.max_num_seqs = 32;
  all.push_back(at_context(limited, 4096));
  Deployment given = tests::whiteboard();
  given.memory.num_gpu_blocks = 5000;
  all.push_back(at_context(given, 4096));
  Deployment latent = tests::whiteboard();
  latent.model = tests::deepseek_v2();
  latent.precision.weights = Precision::fp8;
  all.push_back(at_context(latent, 32768));
  return all;
}

}  // namespace

TEST_CASE("the factors below a cause multiply to it, for every pair of deployments") {
  const std::vector<Explanation> all = variants();
  for (const Explanation& a : all) {
    for (const Explanation& b : all) {
      const Comparison comparison = compare(a, b);
      REQUIRE_FALSE(comparison.causes.empty());
      CHECK(comparison.causes.front().factor == doctest::Approx(b.value("tokens_per_s") / a.value("tokens_per_s")));
      for (std::size_t i = 0; i < comparison.causes.size(); ++i) {
        double product = 1;
        bool has_any = false;
        for (std::size_t j = i + 1;
             j < comparison.causes.size() && comparison.causes[j].depth > comparison.causes[i].depth; ++j) {
          if (comparison.causes[j].depth != comparison.causes[i].depth + 1) continue;
          product *= comparison.causes[j].factor;
          has_any = true;
        }
        if (has_any) CHECK(product == doctest::Approx(comparison.causes[i].factor));
      }
    }
  }
}

TEST_CASE("a deployment compared with itself differs in nothing") {
  for (const Explanation& one : variants()) {
    const Comparison comparison = compare(one, one);
    CHECK(comparison.differences.empty());
    for (const Cause& cause : comparison.causes) CHECK(cause.factor == 1);
  }
}

TEST_CASE("swapping the two inverts every factor of a term") {
  const std::vector<Explanation> all = variants();
  const Comparison there = compare(all[0], all[3]);
  const Comparison back = compare(all[3], all[0]);
  for (const char* key :
       {"tokens_per_s", "batch", "step_time", "step_bytes", "bandwidth", "context", "pool_bytes_per_gpu"})
    CHECK(factor(there, key) * factor(back, key) == doctest::Approx(1));
}

TEST_CASE("a context 32 times as long lowers throughput through the batch alone") {
  const Comparison comparison = compare(at_context(tests::whiteboard(), 4096), at_context(tests::whiteboard(), 131072));
  CHECK(comparison.causes.front().factor == doctest::Approx(1.0 / 32).epsilon(0.001));
  CHECK(factor(comparison, "context") == 1.0 / 32);
  CHECK(factor(comparison, "capacity_tokens") == 1);
  CHECK(factor(comparison, "step_time") == doctest::Approx(1).epsilon(0.003));
  CHECK(differs(comparison, "context"));
  CHECK_FALSE(differs(comparison, "pool_bytes"));
}

TEST_CASE("a cache in fp8 doubles the tokens in the pool, and the batch with them") {
  Deployment cache = tests::whiteboard();
  cache.precision.kv_cache = Precision::fp8;
  const Comparison comparison = compare(at_context(tests::whiteboard(), 4096), at_context(cache, 4096));
  CHECK(factor(comparison, "kv_bytes_per_token_per_rank") == 2);
  CHECK(factor(comparison, "pool_bytes_per_gpu") == 1);
  CHECK(factor(comparison, "batch") == doctest::Approx(2).epsilon(0.005));
}

TEST_CASE("time beyond bytes over bandwidth is a factor of its own") {
  Deployment roofline = tests::whiteboard();
  roofline.cost.model = CostKind::roofline;
  const Comparison comparison = compare(at_context(tests::whiteboard(), 4096), at_context(roofline, 4096));
  CHECK(factor(comparison, "beyond_bytes") == doctest::Approx(factor(comparison, "step_time")));
  CHECK(factor(comparison, "beyond_bytes") < 1);
}

TEST_CASE("a deployment that runs nothing has no ratio, but its terms differ") {
  Deployment tiny = tests::whiteboard();
  tiny.memory.num_gpu_blocks = 10;
  const Comparison comparison = compare(at_context(tests::whiteboard(), 4096), at_context(tiny, 4096));
  CHECK(comparison.causes.empty());
  CHECK(differs(comparison, "num_blocks"));
}

}  // namespace decodesim
