// The explanation is about the user's own workload: its context, its answers, its concurrency.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sim/model/comparison.hpp"
#include "sim/model/explanation.hpp"
#include "sim/report/explanation_values.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

SequenceLengths constant(std::int64_t prompt, std::int64_t answer) {
  SequenceLengths lengths;
  lengths.longest_prompt = prompt;
  lengths.longest_answer = answer;
  return lengths;
}

/// The whiteboard's node under a workload of these lengths.
Deployment serving(const SequenceLengths& lengths) {
  Deployment deployment = tests::whiteboard();
  deployment.lengths = lengths;
  return deployment;
}

Explanation explained(const Deployment& deployment, const Question& question = {}) {
  auto result = explain(deployment, question);
  REQUIRE_MESSAGE(std::holds_alternative<Explanation>(result), std::get<PlanError>(result).message);
  return std::get<Explanation>(std::move(result));
}

std::string remark(const Explanation& explanation, std::string_view key) {
  for (const Remark& one : explanation.remarks)
    if (one.key == key) return remark_text(one);
  return "";
}

std::size_t place_of(const Explanation& explanation, std::string_view key) {
  const auto found = std::find_if(explanation.remarks.begin(), explanation.remarks.end(),
                                  [&](const Remark& one) { return one.key == key; });
  REQUIRE(found != explanation.remarks.end());
  return static_cast<std::size_t>(found - explanation.remarks.begin());
}

/// Sequences that the whiteboard's 82,339 blocks of 16 hold.
double fit(double tokens) { return std::floor(82'339 / std::ceil(tokens / 16)); }

}  // namespace

TEST_CASE("the step and a row of the table are about the workload's own context, which is derived") {
  for (std::int64_t prompt : {100, 2500, 4096, 20'000}) {
    const Explanation explanation = explained(serving(constant(prompt, 16)));
    const auto tokens = static_cast<double>(prompt);
    CHECK(explanation.value("own_context") == tokens);
    CHECK(explanation.value("context") == tokens);
    CHECK(explanation.find("context")->source == Source::derived);
    CHECK(explanation.value("sequences") == fit(tokens));
    CHECK(explanation.value("sequences." + std::to_string(prompt)) == fit(tokens));
    CHECK(explanation.find("sequences.131072") != nullptr);
  }
}

TEST_CASE("the own context is the middle of a range, the mean of a list, and at most max_model_len") {
  SequenceLengths range = constant(3001, 16);
  range.prompts = SequenceLengths::Prompts::range;
  range.shortest_prompt = 100;
  CHECK(explained(serving(range)).value("context") == 1550);
  CHECK(explained(serving(range)).find("own_context")->label.find("middle") != std::string::npos);
  SequenceLengths list;
  list.prompts = SequenceLengths::Prompts::listed;
  list.requests = 3;
  list.prompt_tokens = 1000;
  CHECK(explained(serving(list)).value("context") == 333);
  CHECK(explained(serving(list)).find("own_context")->label.find("mean") != std::string::npos);
  CHECK(explained(serving(constant(200'000, 16))).value("context") == 131'072);
}

TEST_CASE("a context that is asked for takes the step, and the own one keeps its row") {
  Question question;
  question.contexts = {8192};
  question.context = 8192;
  const Explanation explanation = explained(serving(constant(2500, 16)), question);
  CHECK(explanation.value("context") == 8192);
  CHECK(explanation.find("context")->source == Source::assumed);
  CHECK(explanation.find("sequences.2500") != nullptr);
  CHECK(explanation.find("sequences.8192") != nullptr);
  CHECK(explanation.find("sequences.4096") == nullptr);
}

TEST_CASE("sequences are counted at the end of their answers too, whose last token is never cached") {
  for (std::int64_t answer : {1, 16, 17, 512, 4096, 100'000, 200'000}) {
    const Explanation explanation = explained(serving(constant(4096, answer)));
    const double last = std::min(4096.0 + static_cast<double>(answer), 131'072.0) - 1;
    CHECK(explanation.value("sequences_at_end") == fit(last));
    CHECK(explanation.value("sequences_at_end") <= explanation.value("sequences"));
    CHECK(remark(explanation, "growth").empty() == (fit(last) == fit(4096)));
  }
}

TEST_CASE("a remark says what growth does: preempt, or nothing where the batch fits to the end") {
  Deployment deployment = serving(constant(4096, 4096));
  CHECK(remark(explained(deployment), "growth") ==
        "The pool holds 321 sequences of 4,096, but only 160 at the end of answers of 4,096: if they end together, "
        "growth preempts some of the 321 before.");
  deployment.max_num_seqs = 160;
  CHECK(remark(explained(deployment), "growth").ends_with("; the batch of 160 fits to the end."));
  deployment.max_num_seqs = 161;
  CHECK(remark(explained(deployment), "growth").ends_with("growth preempts some of the 161 before."));
}

TEST_CASE("under calibrated a remark has the bytes that a step touches, and windows are read no further than they go") {
  Deployment deployment = serving(constant(4096, 16));
  deployment.cost.model = CostKind::calibrated;
  Question question;
  question.batch = 1;
  CHECK(remark(explained(deployment, question), "touched").empty());
  deployment.model.window = WindowSpec{.size = Tokens(1024), .global_every = 8};
  const auto touched = [&](std::int64_t context) {
    question.context = context;
    const Explanation explanation = explained(deployment, question);
    return explanation.remarks[place_of(explanation, "touched")].inputs.front().value;
  };
  // 10 of 80 layers see everything, with 4,096 bytes a token.
  CHECK(touched(8192) - touched(4096) == doctest::Approx(10.0 * 4096 * 4096));
  CHECK(remark(explained(deployment, question), "windows").starts_with("The pool counts every layer"));
  deployment.cost.model = CostKind::roofline;
  CHECK(remark(explained(deployment, question), "touched").empty());
  CHECK(remark(explained(deployment, question), "windows").starts_with("The pool and the steps count every layer"));
}

TEST_CASE("the crossover is told at a batch of 128, and at the batch of the step") {
  const Explanation explanation = explained(serving(constant(4096, 16)));
  CHECK(figure_text(explanation.value("crossover_context"), Unit::tokens) == "3,364");
  CHECK(explanation.find("crossover_context")->label.find("at a batch of 128") != std::string::npos);
  CHECK(explanation.value("crossover_context_of_step") == doctest::Approx(141.1e9 / 327'680 / 321));
  Question question;
  question.batch = 128;
  const Explanation same = explained(serving(constant(4096, 16)), question);
  CHECK(same.find("crossover_context_of_step") == nullptr);
  CHECK(same.value("crossover_context") == explanation.value("crossover_context"));
  question.batch = 7;
  CHECK(explained(serving(constant(4096, 16)), question).value("crossover_context_of_step") ==
        doctest::Approx(141.1e9 / 327'680 / 7));
}

TEST_CASE("a closed loop bounds the batch of the step, and not what the table says that fits") {
  Deployment deployment = serving(constant(4096, 16));
  for (std::int64_t concurrency : {1, 88, 320, 321, 400, 5000}) {
    deployment.max_concurrency = concurrency;
    const Explanation explanation = explained(deployment);
    CHECK(explanation.value("batch") == std::min<double>(321, static_cast<double>(concurrency)));
    CHECK(explanation.value("batch.4096") == 321);
    CHECK(explanation.value("throughput_gap") == doctest::Approx(32).epsilon(0.002));
  }
  deployment.max_concurrency = 88;
  CHECK(remark(explained(deployment), "batch_bound") ==
        "The workload bounds the batch: workload.max_concurrency keeps 88 in flight, and the pool holds 321 sequences "
        "of 4,096.");
  deployment.max_concurrency = 400;
  CHECK(remark(explained(deployment), "batch_bound").ends_with("and the workload keeps 400 in flight."));
  Question question;
  question.batch = 100;
  deployment.max_concurrency = 88;
  CHECK(explained(deployment, question).value("batch") == 100);
}

TEST_CASE("the gap is told after what concerns the own context, and only where contexts were compared") {
  const Explanation explanation = explained(serving(constant(2500, 16)));
  CHECK(
      remark(explanation, "gap").starts_with("The gap is 32x: 15,041 tokens/s at a context of 4,096, 470 at 131,072"));
  CHECK(place_of(explanation, "gap") == explanation.remarks.size() - 1);
  CHECK(place_of(explanation, "batch_bound") == 0);
  Question one;
  one.contexts = {8192};
  one.context = 8192;
  CHECK(explained(serving(constant(2500, 16)), one).find("throughput_gap") == nullptr);
  CHECK(remark(explained(serving(constant(2500, 16)), one), "gap").empty());
  Question two = one;
  two.contexts = {8192, 32768};
  CHECK(explained(serving(constant(2500, 16)), two).value("throughput_gap") == doctest::Approx(4).epsilon(0.01));
}

TEST_CASE("a comparison says which steps it compares") {
  const auto scope = [](const Deployment& a, const Deployment& b, const Question& question = {}) {
    return remark_text(compare(explained(a, question), explained(b, question)).scope);
  };
  Deployment a = serving(constant(4096, 16));
  Deployment b = a;
  CHECK(scope(a, b) ==
        "pure decode with the pool as full as max_num_seqs allows (321 and 321 sequences of 4,096), not the workload");
  a.max_concurrency = 88;
  b.max_concurrency = 177;
  CHECK(scope(a, b) ==
        "pure decode with the pool as full as max_concurrency and max_num_seqs allow (88 and 177 sequences of 4,096), "
        "not the workload");
  b.lengths = constant(8192, 16);
  b.max_num_batched_tokens = 50;
  CHECK(scope(a, b) ==
        "pure decode with the pool as full as max_concurrency, max_num_seqs and max_num_batched_tokens allow (88 "
        "sequences of 4,096 and 50 of 8,192), not the workload");
  Question question;
  question.batch = 12;
  CHECK(scope(a, a, question) == "pure decode at the batch asked for (12 and 12 sequences of 4,096), not the workload");
}

TEST_CASE("a shortage is explained down to the pool that is missing, and what would help") {
  Deployment deployment = serving(constant(4096, 16));
  deployment.parallel.tp = 1;
  const Explanation explanation = explain_shortage(deployment, {});
  CHECK(explanation.value("pool_bytes_per_gpu") == doctest::Approx(80e9 * 0.92 - 141.1e9 - 2e9));
  CHECK(explanation.terms.back().section == "memory");
  CHECK(explanation.find("num_blocks") == nullptr);
  CHECK(explanation.find("batch") == nullptr);
  CHECK(remark(explanation, "does_not_fit").starts_with("No memory is left for the KV cache: of 73.60 GB usable"));
  deployment.parallel.tp = 8;
  deployment.memory.block_size = 2'000'000;
  const Explanation small = explain_shortage(deployment, {});
  CHECK(small.value("pool_bytes_per_gpu") < small.value("block_bytes"));
  CHECK(remark(small, "does_not_fit").find("do not hold one block") != std::string::npos);
}

}  // namespace decodesim
