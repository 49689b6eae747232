#include "sim/model/explanation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/report/explanation_values.hpp"
#include "tests/model/formula.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

ModelSpec sparse_deepseek() {
  ModelSpec model = tests::deepseek_v2();
  model.sparse = {.top_k = Tokens(2048), .index_heads = 64, .index_dim = 128};
  return model;
}

Explanation explained(const Deployment& deployment, const Question& question = {}) {
  auto result = explain(deployment, question);
  REQUIRE_MESSAGE(std::holds_alternative<Explanation>(result), std::get<PlanError>(result).message);
  return std::get<Explanation>(std::move(result));
}

Question at_batch(std::int64_t batch) {
  Question question;
  question.batch = batch;
  return question;
}

std::string remark(const Explanation& explanation, std::string_view key) {
  for (const Remark& one : explanation.remarks)
    if (one.key == key) return remark_text(one);
  return "";
}

/// Prompts of one length, of a range, or listed; short answers or answers that reach beyond the model's length.
SequenceLengths lengths_for(int tp, Precision precision) {
  SequenceLengths lengths;
  lengths.longest_answer = tp == 4 ? 700 : 200'000;
  if (precision == Precision::bf16) {
    lengths.prompts = SequenceLengths::Prompts::range;
    lengths.shortest_prompt = 100;
    lengths.longest_prompt = 3001;
  } else if (precision == Precision::fp8) {
    lengths.prompts = SequenceLengths::Prompts::listed;
    lengths.requests = 7;
    lengths.prompt_tokens = 5'000;
  } else {
    lengths.longest_prompt = tp == 4 ? 150'000 : 4096;
  }
  return lengths;
}

/// Deployments of every sort of model, machine, format, cost model and question.
template <class Visit>
void for_each_explanation(Visit visit) {
  for (const ModelSpec& model :
       {tests::llama_3_70b(), tests::llama_70b_mha(), tests::llama_3_8b(), tests::deepseek_v2(), sparse_deepseek(),
        tests::gemma_3_27b(), tests::gpt_oss_120b()}) {
    for (const NodeSpec& node : {tests::hgx_h100(), tests::mi300x_8()}) {
      for (CostKind kind : {CostKind::fixed, CostKind::ideal, CostKind::roofline, CostKind::calibrated}) {
        for (Precision precision : {Precision::bf16, Precision::fp8, Precision::int4}) {
          for (int tp : {4, 8}) {
            for (std::int64_t batch : {0, 7, 5000}) {
              Deployment deployment = tests::whiteboard();
              deployment.model = model;
              deployment.max_model_len = model.max_model_len.value();
              deployment.node = node;
              deployment.cost.model = kind;
              deployment.cost.step = Duration(20'000'000);
              deployment.precision = {precision, precision};
              deployment.parallel.tp = tp;
              deployment.lengths = lengths_for(tp, precision);
              if (precision != Precision::bf16) deployment.max_concurrency = 88;
              Question question;
              if (batch > 0) question.batch = batch;
              auto result = explain(deployment, question);
              if (const auto* explanation = std::get_if<Explanation>(&result)) visit(*explanation);
            }
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("every formula, worked out from its text and inputs, gives the term's value") {
  std::size_t derived = 0;
  for_each_explanation([&](const Explanation& explanation) {
    for (const Term& term : explanation.terms) {
      if (term.formula.empty()) continue;
      ++derived;
      CAPTURE(term.key);
      CAPTURE(term.formula);
      // Steps are rounded to nanoseconds, part by part.
      CHECK(tests::evaluate(term.formula, term.inputs) == doctest::Approx(term.value).epsilon(1e-6));
    }
  });
  CHECK(derived > 10'000);
}

TEST_CASE("every input is a figure that the formula names, and no key appears twice") {
  for_each_explanation([&](const Explanation& explanation) {
    std::set<std::string> keys;
    for (const Term& term : explanation.terms) {
      CHECK(keys.insert(term.key).second);
      for (const Figure& input : term.inputs) CHECK(term.formula.find(input.name) != std::string::npos);
      CHECK(std::isfinite(term.value));
    }
    for (const Remark& one : explanation.remarks) CHECK(remark_text(one).find_first_of("{}") == std::string::npos);
  });
}

TEST_CASE("an input that is a term itself has that term's value") {
  const Explanation explanation = explained(tests::whiteboard());
  for (const Term& term : explanation.terms)
    for (const Figure& input : term.inputs)
      if (const Term* source = term.context ? nullptr : explanation.find(input.name); source != nullptr)
        CHECK(source->value == input.value);
}

TEST_CASE("the shares of a step's time, by part and by what bound them, add up to one") {
  for_each_explanation([&](const Explanation& explanation) {
    if (explanation.find("step_time") == nullptr) return;
    double parts = 0;
    double bounds = 0;
    for (const Term& term : explanation.terms) {
      if (term.key.starts_with("step_time.") && term.share) parts += *term.share;
      if (term.key.starts_with("bound_by.")) bounds += term.value;
    }
    CHECK(parts == doctest::Approx(1));
    CHECK(bounds == doctest::Approx(1));
  });
}

TEST_CASE("the KV cache of the whiteboard: bytes a token, a sequence, and the crossover") {
  const Explanation explanation = explained(tests::whiteboard());
  const double token = 2.0 * 80 * 8 * 128 * 2;
  CHECK(explanation.value("kv_bytes_per_token") == token);
  CHECK(token == 327'680);
  CHECK(explanation.value("kv_bytes_per_sequence.8192") == 2.5 * 1024 * 1024 * 1024);
  CHECK(value_text(explanation.value("kv_bytes_per_sequence.8192"), Unit::binary_bytes) == "2.6844 GB (2.5 GiB)");
  CHECK(explanation.value("weights") == 70.55e9 * 2);
  CHECK(figure_text(explanation.value("weights"), Unit::bytes) == "141.1 GB");
  CHECK(std::round(explanation.value("crossover_tokens")) == std::round(70.55e9 * 2 / token));
  CHECK(figure_text(explanation.value("crossover_tokens"), Unit::tokens) == "430,603");
  CHECK(figure_text(explanation.value("crossover_context"), Unit::tokens) == "3,364");
}

TEST_CASE("the pool of the whiteboard: 431.7 GB, 82,340 blocks, 1,317,440 tokens") {
  const Explanation explanation = explained(tests::whiteboard());
  const double pool = 8 * (80e9 * 0.92 - 70.55e9 * 2 / 8 - 2e9);
  CHECK(explanation.value("pool_bytes") == doctest::Approx(pool));
  CHECK(figure_text(explanation.value("pool_bytes"), Unit::bytes) == "431.7 GB");
  CHECK(explanation.value("num_blocks") == std::floor(pool / 8 / (16 * 327'680.0 / 8)));
  CHECK(explanation.value("num_blocks") == 82'340);
  CHECK(explanation.value("num_tokens") == 1'317'440);
  CHECK(explanation.value("usable_blocks") == 82'339);
  CHECK(explanation.value("capacity_tokens") == 82'339 * 16);
}

TEST_CASE("sequences that fit: 321 at 4k, 160 at 8k, 40 at 32k, 10 at 128k") {
  const Explanation explanation = explained(tests::whiteboard());
  const std::pair<std::int64_t, double> expected[] = {{4096, 321}, {8192, 160}, {32768, 40}, {131072, 10}};
  for (const auto& [context, sequences] : expected) {
    CHECK(explanation.value("sequences." + std::to_string(context)) == sequences);
    CHECK(sequences == std::floor(82'339.0 * 16 / static_cast<double>(context)));
  }
}

TEST_CASE("a sequence holds whole blocks, the last one partly empty") {
  Deployment deployment = tests::whiteboard();
  deployment.memory.num_gpu_blocks = 101;
  Question question;
  question.contexts = {15, 16, 17, 32, 33, 1600, 1601};
  const Explanation explanation = explained(deployment, question);
  const std::pair<std::int64_t, double> expected[] = {{15, 100}, {16, 100}, {17, 50}, {32, 50},
                                                      {33, 33},  {1600, 1}, {1601, 0}};
  for (const auto& [context, sequences] : expected)
    CHECK(explanation.value("sequences." + std::to_string(context)) == sequences);
}

TEST_CASE("bytes a step: 184.05 GB at 4k x 32, of which 23 % cache; 571.9 GB at 4k x 321, three quarters cache") {
  const Explanation small = explained(tests::whiteboard(), at_batch(32));
  CHECK(small.value("step_bytes") == 141.1e9 + 32.0 * 4096 * 327'680);
  CHECK(figure_text(small.value("step_bytes"), Unit::bytes) == "184.05 GB");
  CHECK(std::round(small.value("cache_share") * 100) == 23);
  const Explanation full = explained(tests::whiteboard());
  CHECK(full.value("batch") == 321);
  CHECK(full.value("step_bytes") == 141.1e9 + 321.0 * 4096 * 327'680);
  CHECK(std::round(full.value("step_bytes") / 1e8) == 5719);
  CHECK(full.value("cache_share") == doctest::Approx(0.75).epsilon(0.01));
}

TEST_CASE("steps of the whiteboard: 21.34 ms, 15,041 tokens/s and 47 a user at 4k, 1,879 at 32k, 470 at 128k") {
  const Explanation explanation = explained(tests::whiteboard());
  const auto seconds = [](double batch, double context) { return (141.1e9 + batch * context * 327'680) / 26.8e12; };
  CHECK(explanation.value("step_time") == doctest::Approx(seconds(321, 4096)).epsilon(1e-7));
  CHECK(figure_text(explanation.value("step_time"), Unit::seconds) == "21.34 ms");
  CHECK(explanation.value("tokens_per_s") == doctest::Approx(321 / seconds(321, 4096)).epsilon(1e-7));
  CHECK(figure_text(explanation.value("tokens_per_s.4096"), Unit::tokens_per_second) == "15,041");
  CHECK(std::round(explanation.value("tokens_per_s_per_user")) == 47);
  CHECK(figure_text(explanation.value("tokens_per_s.32768"), Unit::tokens_per_second) == "1,879");
  CHECK(figure_text(explanation.value("tokens_per_s.131072"), Unit::tokens_per_second) == "470");
  CHECK(explanation.value("tokens_per_s.131072") == doctest::Approx(10 / seconds(10, 131072)).epsilon(1e-7));
}

TEST_CASE("operations a byte end at 60.6 at 8,192 and 11.3 at 131,072, against a ridge of 295") {
  const Explanation explanation = explained(tests::whiteboard());
  const auto ceiling = [](double context) {
    return (2 * 70.55e9 + 4.0 * 80 * 64 * 128 * context) / (327'680 * context);
  };
  CHECK(explanation.value("intensity_ceiling.8192") == doctest::Approx(ceiling(8192)));
  CHECK(figure_text(ceiling(8192), Unit::flops_per_byte) == "60.6 FLOP/B");
  CHECK(figure_text(explanation.value("intensity_ceiling.131072"), Unit::flops_per_byte) == "11.3 FLOP/B");
  CHECK(explanation.value("ridge") == doctest::Approx(989.5 / 3.35));
  CHECK(std::round(explanation.value("ridge")) == 295);
  CHECK(explanation.value("intensity") ==
        doctest::Approx(321 * (2 * 70.55e9 + 4.0 * 80 * 64 * 128 * 4096) / explanation.value("step_bytes")));
  CHECK(explanation.value("intensity") < explanation.value("intensity_ceiling"));
}

TEST_CASE("the gap is 32x, in those words, with the note on tuned stacks") {
  const Explanation explanation = explained(tests::whiteboard());
  CHECK(explanation.value("throughput_gap") == doctest::Approx(32).epsilon(0.002));
  CHECK(
      remark(explanation, "gap").starts_with("The gap is 32x: 15,041 tokens/s at a context of 4,096, 470 at 131,072."));
  CHECK(remark(explanation, "gap").ends_with("A tuned stack reaches about half of them."));
  Deployment roofline = tests::whiteboard();
  roofline.cost.model = CostKind::roofline;
  CHECK(remark(explained(roofline), "gap").find("tuned stack") == std::string::npos);
}

TEST_CASE("other models: bytes a token a layer, 1 GiB for 8,192 tokens of an 8B, 344 GB for 128k of 64 KV heads") {
  Deployment small = tests::whiteboard();
  small.model = tests::llama_3_8b();
  small.max_model_len = 8192;
  const Explanation eight = explained(small);
  CHECK(eight.value("kv_bytes_per_token_per_layer") == 4'096);
  CHECK(eight.value("kv_bytes_per_token") == 128 * 1024);
  CHECK(figure_text(eight.value("kv_bytes_per_token"), Unit::bytes) == "131,072 B");
  CHECK(eight.value("kv_bytes_per_sequence.8192") == 1024.0 * 1024 * 1024);
  Deployment heads = tests::whiteboard();
  heads.model = tests::llama_70b_mha();
  heads.precision.kv_cache = Precision::fp16;
  const Explanation mha = explained(heads);
  CHECK(mha.value("kv_bytes_per_token") == 2'621'440);
  CHECK(std::round(mha.value("kv_bytes_per_sequence.131072") / 1e9) == 344);
}

TEST_CASE("an fp8 cache holds twice the tokens, an int4 cache four times, of the same pool") {
  Deployment deployment = tests::whiteboard();
  const double bf16 = explained(deployment).value("num_blocks");
  deployment.precision.kv_cache = Precision::fp8;
  CHECK(std::fabs(explained(deployment).value("num_blocks") - 2 * bf16) <= 1);
  deployment.precision.kv_cache = Precision::int4;
  CHECK(std::fabs(explained(deployment).value("num_blocks") - 4 * bf16) <= 3);
  CHECK(explained(deployment).value("kv_bytes_per_token") == 327'680 / 4);
}

TEST_CASE("a latent cache in 6 bits is 93.3 % smaller than DeepSeek 67B's in 16") {
  Deployment latent = tests::whiteboard();
  latent.model = tests::deepseek_v2();
  latent.precision = {Precision::fp8, Precision::fp6};
  Deployment plain = tests::whiteboard();
  plain.model = tests::deepseek_67b();
  const double smaller =
      1 - explained(latent).value("kv_bytes_per_token") / explained(plain).value("kv_bytes_per_token");
  CHECK(std::round(smaller * 1000) == 933);
  CHECK(explained(latent).value("kv_copies") == 8);
  CHECK(remark(explained(latent), "copies").find("8x copies") == std::string::npos);
  CHECK(remark(explained(latent), "copies").find("8 copies") != std::string::npos);
}

TEST_CASE("contexts beyond max_model_len are left out and said to be; the step itself must lie within") {
  Deployment deployment = tests::whiteboard();
  deployment.max_model_len = 8192;
  const Explanation explanation = explained(deployment);
  CHECK(explanation.find("sequences.8192") != nullptr);
  CHECK(explanation.find("sequences.32768") == nullptr);
  CHECK(remark(explanation, "contexts_left_out") ==
        "2 of the contexts are beyond max_model_len, 8,192, and are left out.");
  deployment.max_model_len = 32768;
  CHECK(remark(explained(deployment), "contexts_left_out") ==
        "One of the contexts is beyond max_model_len, 32,768, and is left out.");
  deployment.max_model_len = 8192;
  Question beyond;
  beyond.context = 8193;
  CHECK(std::get<PlanError>(explain(deployment, beyond)).key == "context");
}

TEST_CASE("what bounds the batch is named: the pool, max_num_seqs, the token budget or the question") {
  Deployment deployment = tests::whiteboard();
  CHECK(remark(explained(deployment), "batch_bound")
            .starts_with("KV capacity bounds the batch: the pool holds 321 sequences"));
  deployment.max_num_seqs = 64;
  CHECK(explained(deployment).value("batch") == 64);
  CHECK(remark(explained(deployment), "batch_bound").starts_with("max_num_seqs bounds the batch: it allows 64"));
  deployment.max_num_seqs = 1024;
  deployment.max_num_batched_tokens = 100;
  CHECK(explained(deployment).value("batch") == 100);
  CHECK(remark(explained(deployment), "batch_bound").starts_with("max_num_batched_tokens bounds the batch"));
  CHECK(remark(explained(tests::whiteboard(), at_batch(32)), "batch_bound")
            .starts_with("The batch is the one asked for"));
  CHECK(remark(explained(tests::whiteboard(), at_batch(322)), "batch_bound").starts_with("The batch does not fit"));
}

TEST_CASE("what bounds the step is named, and what to check first follows from it") {
  Deployment deployment = tests::whiteboard();
  CHECK(remark(explained(deployment), "step_bound").starts_with("Memory bandwidth bounds the step: 100 % of its time"));
  CHECK(remark(explained(deployment), "check_first").find("the pool is full at 321 sequences") != std::string::npos);
  CHECK(remark(explained(deployment), "check_first").find("tokens/s level off below 19,968") != std::string::npos);
  CHECK(remark(explained(deployment, at_batch(8)), "check_first").find("more sequences are almost free") !=
        std::string::npos);
  deployment.cost.model = CostKind::roofline;
  deployment.cost.host_time = Duration(500'000'000);
  CHECK(remark(explained(deployment), "step_bound").starts_with("The host bounds the step"));
  deployment.cost.host_time = Duration(0);
  deployment.node = tests::pcie_4090();
  deployment.precision = {Precision::int4, Precision::fp8};
  CHECK(remark(explained(deployment), "step_bound").starts_with("All-reduces bound the step"));
  Question short_contexts;
  short_contexts.context = 16;
  short_contexts.batch = 8000;
  deployment = tests::whiteboard();
  deployment.cost.model = CostKind::roofline;
  deployment.cost.host_time = Duration(0);
  CHECK(remark(explained(deployment, short_contexts), "step_bound").starts_with("Arithmetic bounds the step"));
  deployment.cost.model = CostKind::fixed;
  deployment.cost.step = Duration(1'000'000'000);
  CHECK(remark(explained(deployment), "step_bound") == "The step's length is given, whatever it computes.");
}

TEST_CASE("a pool that holds no sequence leaves no step to explain, and says so") {
  Deployment deployment = tests::whiteboard();
  deployment.memory.num_gpu_blocks = 100;
  const Explanation explanation = explained(deployment);
  CHECK(explanation.value("sequences") == 0);
  CHECK(explanation.find("step_time") == nullptr);
  CHECK(remark(explanation, "batch_bound") == "Not one sequence of 4,096 fits the pool.");
}

TEST_CASE("what the arithmetic cannot explain is an error that names its key") {
  const auto key = [](const Deployment& deployment) { return std::get<PlanError>(explain(deployment, {})).key; };
  Deployment deployment = tests::whiteboard();
  deployment.parallel.tp = 1;
  CHECK(key(deployment) == "parallel.tp");
  deployment = tests::whiteboard();
  deployment.model = ModelSpec{};
  CHECK(key(deployment) == "model");
  deployment = tests::whiteboard();
  deployment.node.gpu = GpuSpec{};
  CHECK(key(deployment) == "hardware");
}

TEST_CASE("with drafts every formula still gives its term's value, and the gain is tokens over time") {
  for (const DraftKind draft : {DraftKind::ngram, DraftKind::head, DraftKind::model}) {
    for (const CostKind kind : {CostKind::ideal, CostKind::roofline}) {
      for (const bool by_position : {false, true}) {
        Deployment deployment = tests::whiteboard();
        deployment.cost.model = kind;
        deployment.speculative.draft_tokens = 3;
        deployment.speculative.draft = draft;
        deployment.speculative.model = tests::llama_3_8b();
        if (by_position) {
          deployment.speculative.acceptance_by_position = {0.8, 0.6, 0.4};
        } else {
          deployment.speculative.acceptance = 0.7;
        }
        const Explanation explanation = explained(deployment, at_batch(8));
        for (const Term& term : explanation.terms) {
          if (term.formula.empty()) continue;
          CAPTURE(term.key);
          CAPTURE(term.formula);
          CHECK(tests::evaluate(term.formula, term.inputs) == doctest::Approx(term.value).epsilon(1e-6));
        }
        deployment.speculative = {};
        const Explanation without = explained(deployment, at_batch(8));
        CHECK(explanation.value("speculation_gain") ==
              doctest::Approx(explanation.value("tokens_per_s") / without.value("tokens_per_s")).epsilon(1e-6));
        CHECK(without.find("speculation_gain") == nullptr);
        CHECK(remark(explanation, "speculation").find("tokens a step and sequence") != std::string::npos);
      }
    }
  }
}

}  // namespace decodesim
