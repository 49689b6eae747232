// What an explanation says of deployments whose layers or stages differ, and its map of what fits.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/model/comparison.hpp"
#include "sim/model/explanation.hpp"
#include "sim/report/explanation_values.hpp"
#include "tests/model/formula.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

Explanation explained(const Deployment& deployment, const Question& question = {}) {
  auto result = explain(deployment, question);
  REQUIRE_MESSAGE(std::holds_alternative<Explanation>(result), std::get<PlanError>(result).message);
  return std::get<Explanation>(std::move(result));
}

Question about_fits() {
  Question question;
  question.fits = true;
  return question;
}

ModelSpec changed(ModelSpec model, void (*change)(ModelSpec&)) {
  change(model);
  return model;
}

/// Deployments of every kind of layers, stages and accounting.
std::vector<Deployment> unusual_deployments() {
  std::vector<Deployment> all;
  for (const ModelSpec& model :
       {tests::llama_3_8b(), tests::gemma_3_27b(), tests::gpt_oss_120b(),
        changed(tests::gemma_3_27b(), [](ModelSpec& m) { m.window.kv_heads = 8; }),
        changed(tests::gemma_3_27b(), [](ModelSpec& m) { m.window.head_dim = 80; }),
        changed(tests::llama_3_8b(),
                [](ModelSpec& m) {
                  m.linear = {4, Bytes(3e6)};
                }),
        changed(tests::llama_3_8b(), [](ModelSpec& m) { m.cross_attention_layers = 8, m.draft_layers = 1; }),
        changed(tests::deepseek_v2(), [](ModelSpec& m) { m.mla.cached_as = LatentCache::aligned_256_bytes; }),
        changed(tests::deepseek_v2(), [](ModelSpec& m) { m.mla.cached_as = LatentCache::no_mla_kernel; })}) {
    for (Accounting accounting : {Accounting::vllm, Accounting::sglang, Accounting::trtllm}) {
      for (int pp : {1, 2}) {
        for (Precision precision : {Precision::bf16, Precision::int4}) {
          for (WindowBlocks windows : {WindowBlocks::as_full, WindowBlocks::apart}) {
            Deployment deployment = tests::whiteboard();
            deployment.model = model;
            deployment.node = tests::mi300x_8();
            deployment.max_model_len = model.max_model_len.value();
            deployment.parallel = {pp == 1 ? 8 : 4, pp};
            deployment.precision.weights = precision;
            deployment.memory.runtime_overhead.reset();
            deployment.memory.accounting = accounting;
            deployment.memory.window_layers = windows;
            if (accounting == Accounting::sglang) deployment.memory.state_slots = 10;
            deployment.lengths = SequenceLengths{};
            all.push_back(deployment);
          }
        }
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("every formula of an unusual deployment gives its value, names its inputs and stands once") {
  for (const Deployment& deployment : unusual_deployments()) {
    CAPTURE(deployment.model.name);
    const Explanation explanation = explained(deployment, about_fits());
    std::set<std::string> keys;
    for (const Term& term : explanation.terms) {
      CAPTURE(term.key);
      CAPTURE(term.formula);
      CHECK(keys.insert(term.key).second);
      CHECK(std::isfinite(term.value));
      for (const Figure& input : term.inputs) CHECK(term.formula.find(input.name) != std::string::npos);
      if (!term.formula.empty())
        CHECK(tests::evaluate(term.formula, term.inputs) == doctest::Approx(term.value).epsilon(1e-6));
    }
    for (const Remark& one : explanation.remarks) CHECK(remark_text(one).find_first_of("{}") == std::string::npos);
  }
}

TEST_CASE("a cell of the map fits exactly where its sequences are no more than the context's most") {
  for (const Deployment& deployment : unusual_deployments()) {
    const Explanation explanation = explained(deployment, about_fits());
    REQUIRE(explanation.fits.has_value());
    const FitMap& map = *explanation.fits;
    REQUIRE(map.cells.size() == map.contexts.size());
    for (std::size_t i = 0; i < map.contexts.size(); ++i) {
      if (i > 0) CHECK(map.most[i] <= map.most[i - 1]);
      REQUIRE(map.cells[i].size() == map.batches.size());
      for (std::size_t j = 0; j < map.batches.size(); ++j) {
        const FitMap::Cell& cell = map.cells[i][j];
        const bool held = map.batches[j] <= map.most[i];
        CHECK((cell.verdict == Fit::fits) == (held && map.batches[j] <= deployment.max_num_seqs));
        CHECK((cell.verdict == Fit::beyond_sequences) == (held && map.batches[j] > deployment.max_num_seqs));
        if (held) CHECK(cell.pool_use <= 1);
        const bool slots = deployment.memory.state_slots && deployment.model.has_states();
        if (!held && !slots) CHECK(cell.pool_use > 1);
      }
      if (const Term* term = explanation.find("sequences." + std::to_string(map.contexts[i])))
        CHECK(static_cast<double>(map.most[i]) == term->value);
    }
    CHECK(map.contexts.back() == deployment.max_model_len);
    if (deployment.memory.state_slots && deployment.model.has_states())
      CHECK(*std::max_element(map.most.begin(), map.most.end()) <= *deployment.memory.state_slots);
  }
}

TEST_CASE("the whiteboard's node holds 321 sequences of 4k and 10 of 128k") {
  Question question = about_fits();
  question.fit_contexts = {131072, 4096, 200'000};
  const Explanation explanation = explained(tests::whiteboard(), question);
  const FitMap& map = *explanation.fits;
  CHECK(map.contexts == std::vector<std::int64_t>{4096, 131072, 200'000});
  CHECK(map.most[0] == 321);
  CHECK(map.most[1] == 10);
  const auto verdict = [&](std::size_t context, std::int64_t batch) {
    const auto at = std::find(map.batches.begin(), map.batches.end(), batch);
    return map.cells[context][static_cast<std::size_t>(at - map.batches.begin())].verdict;
  };
  CHECK(verdict(0, 256) == Fit::fits);
  CHECK(verdict(0, 512) == Fit::waits);
  CHECK(verdict(1, 8) == Fit::fits);
  CHECK(verdict(1, 16) == Fit::waits);
  CHECK(verdict(2, 1) == Fit::beyond_length);
  CHECK_FALSE(explained(tests::whiteboard()).fits.has_value());
}

TEST_CASE("without a pool nothing fits") {
  Deployment deployment = tests::whiteboard();
  deployment.parallel.tp = 1;
  const FitMap map = *explain_shortage(deployment, about_fits()).fits;
  for (const auto& row : map.cells)
    for (const FitMap::Cell& cell : row) CHECK(cell.verdict == Fit::never);
}

TEST_CASE("with stages memory is explained and steps are not, also in a comparison") {
  Deployment deployment = tests::whiteboard();
  deployment.parallel = {4, 2};
  const Explanation explanation = explained(deployment);
  CHECK(explanation.find("step_time") == nullptr);
  CHECK(explanation.value("stage_layers") == 40);
  CHECK(explanation.value("pool_bytes") == 8 * explanation.value("pool_bytes_per_gpu"));
  const Comparison comparison = compare(explained(tests::whiteboard()), explanation);
  CHECK(comparison.causes.empty());
  CHECK_FALSE(comparison.differences.empty());
}

}  // namespace decodesim
