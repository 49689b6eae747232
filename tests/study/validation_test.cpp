#include "sim/study/validation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "sim/study/trust.hpp"
#include "tests/study/measured_files.hpp"
#include "tests/study/study_files.hpp"

namespace decodesim::tests {

namespace {

/// 100 clients, a token a step of 10 ms: TTFT 10 ms, TPOT 10 ms, so 100 tokens a second for each client.
const char* const clockwork =
    "version: 1\n"
    "name: clockwork\n"
    "memory: {num_gpu_blocks: 4000, block_size: 16}\n"
    "scheduler: {engine: vllm-v1, max_num_seqs: 100, max_num_batched_tokens: 100000, max_model_len: 1000}\n"
    "cost: {model: fixed, step: 10 ms}\n";

Validation validation_of(const std::string& table, const std::string& setups = "version: 1\n",
                         const std::string& base = clockwork) {
  const StudyFile file(base);
  static const std::atomic<bool> never{false};
  StudySpec study;
  study.jobs = 2;
  study.version = "test";
  const Setups own = setups_of(setups);
  return validate(points_of(table, own), own, {file.path(), {}}, study, never, {});
}

std::string text_of(const Validation& validation, void (*write)(const Validation&, std::ostream&)) {
  std::ostringstream out;
  write(validation, out);
  return out.str();
}

}  // namespace

TEST_CASE("errors are (predicted - measured) / measured, of every row that can be predicted") {
  const Validation validation = validation_of(
      "isl,osl,concurrency,num_requests,ttft_ms,tpot_ms,output_throughput\n"
      "20,50,10,100,10,8,1000\n"
      "20,50,10,100,20,,\n");
  REQUIRE(validation.rows.size() == 4);
  CHECK(validation.rows_in == 4);
  CHECK(validation.rows[0].predicted == doctest::Approx(10));
  CHECK(validation.rows[0].error() == doctest::Approx(0));
  CHECK(validation.rows[1].error() == doctest::Approx(0.25));
  CHECK(validation.rows[2].predicted == doctest::Approx(1000));
  CHECK(validation.rows[3].error() == doctest::Approx(-0.5));
  const std::vector<ErrorGroup> groups = error_groups(validation, GroupBy::deployment_and_tp);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].metric == MeasuredMetric::ttft_ms);
  CHECK(groups[0].rows == 2);
  CHECK(groups[0].median_error == doctest::Approx(0.25));  // of 0 and 0.5
  CHECK(groups[0].p90_error == doctest::Approx(0.45));
  CHECK(groups[0].median_signed_error == doctest::Approx(-0.25));
  const std::vector<const ValidatedRow*> worst = worst_rows(validation, 2);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0] == &validation.rows[3]);
  CHECK(worst[1] == &validation.rows[1]);
}

TEST_CASE("rows in are those predicted and those refused, with the reason") {
  const Validation validation = validation_of(
      "isl,osl,concurrency,num_requests,ttft_ms,tpot_ms\n"
      "20,50,10,100,10,8\n"
      "990,50,10,100,10,8\n"  // its answers would be cut
      "20,50,10,100,10,8\n"
      "20,50,all,,10,8\n");  // nobody says how many
  CHECK(validation.rows_in == 8);
  CHECK(validation.rows_predicted() + validation.rows_refused() == 8);
  REQUIRE(validation.refused.size() == 2);
  CHECK(validation.refused[0].why.find("cut at max_model_len, 1000") != std::string::npos);
  CHECK(validation.refused[1].why.find("workload.num_requests") != std::string::npos);
  const std::string text = text_of(validation, write_text);
  CHECK(text.find("8 measured rows in: 4 predicted, 4 refused") == 0);
  CHECK(text.find("max_model_len, 1000") != std::string::npos);
  CHECK(text_of(validation, write_csv).find(",refused,") != std::string::npos);
}

TEST_CASE("a row whose requests the pool cannot hold is refused, not predicted from those that it can") {
  const std::string small =
      "version: 1\nmemory: {num_gpu_blocks: 10, block_size: 16}\n"
      "scheduler: {engine: vllm-v1, max_num_seqs: 100, max_num_batched_tokens: 100000, max_model_len: 1000}\n"
      "cost: {model: fixed, step: 10 ms}\n";
  const Validation validation = validation_of(
      "isl,osl,concurrency,num_requests,ttft_ms\n200,50,10,100,10\n20,50,1,1,10\n", "version: 1\n", small);
  REQUIRE(validation.refused.size() == 1);
  CHECK(validation.refused[0].why == "100 of 100 requests were turned away");
}

TEST_CASE("a metric that a set-up does not hold is predicted and not counted, and what derives from it neither") {
  const std::string table =
      "id,isl,osl,concurrency,ttft_ms,tpot_ms\n"
      "A1,20,50,10,5,10\n"
      "B1,20,50,10,10,10\n";
  const Validation validation =
      validation_of(table,
                    "version: 1\n"
                    "setups:\n"
                    "  - {name: all, derive_throughput: true}\n"
                    "  - {when: {id: A}, not_held: [ttft_ms], because: it waits for batches}\n");
  REQUIRE(validation.rows.size() == 6);
  CHECK(validation.rows_in == 4);
  CHECK(validation.rows_predicted() == 4);
  CHECK(validation.rows_not_held() == 1);
  const ValidatedRow& derived = validation.rows[5];
  CHECK(derived.derived);
  // 10 clients with 50 tokens each in 10 + 49 x 10 ms.
  CHECK(derived.measured.value == doctest::Approx(10 * 50 * 1000.0 / (10 + 49 * 10)));
  CHECK(derived.error() == doctest::Approx(0));
  CHECK(!validation.rows[0].held());
  CHECK(!validation.rows[2].held());
  for (const ErrorGroup& group : error_groups(validation, GroupBy::deployment)) CHECK(group.median_error < 1e-6);
  CHECK(text_of(validation, write_text).find("not held: it waits for batches") != std::string::npos);
}

TEST_CASE(
    "groups are by what rows ran on, those of one deployment from few GPUs to many; weak evidence is not trusted") {
  const Validation validation = validation_of(
      "id,model,gpu,tp,isl,osl,concurrency,tpot_ms\n"
      "a,llama-3-8b,h100-sxm,4,20,50,10,8\n"
      "b,llama-3-8b,h200-sxm,1,20,50,10,8\n"
      "c,llama-3-8b,h100-sxm,2,20,50,10,8\n",
      "version: 1\nsetups: [{when: {id: b}, weak_evidence: true}]\n", "version: 1\ncost: {model: ideal}\n");
  std::string order;
  for (const ErrorGroup& group : error_groups(validation, GroupBy::deployment_and_tp))
    order += group.of.gpu + " " + std::to_string(group.of.tp) + ", ";
  CHECK(order == "h100-sxm 2, h100-sxm 4, h200-sxm 1, ");
  CHECK(error_groups(validation, GroupBy::deployment).size() == 2);
  REQUIRE(error_groups(validation, GroupBy::gpu_and_engine).size() == 1);
  CHECK(error_groups(validation, GroupBy::gpu_and_engine)[0].rows == 2);
}

TEST_CASE("lengths are drawn from the share of a set-up up to the row's length") {
  const Validation validation = validation_of("isl,osl,concurrency,num_requests,output_throughput\n20,50,1,2000,100\n",
                                              "version: 1\nsetups: [{name: a, shortest: 0.8}]\n");
  // Alone, a request of n tokens takes n steps, so lengths do not show in the throughput; only whole requests count.
  CHECK(validation.rows.at(0).predicted == doctest::Approx(100));
}

TEST_CASE("a validation says the same on one thread and on many") {
  const std::string table =
      "isl,osl,concurrency,num_requests,ttft_ms,tpot_ms\n20,50,10,100,10,8\n30,60,20,200,9,8\n2000,5,1,1,1,1\n";
  const StudyFile file(clockwork);
  static const std::atomic<bool> never{false};
  std::string texts[2];
  for (std::int64_t jobs : {1, 4}) {
    StudySpec study;
    study.jobs = jobs;
    texts[jobs == 1 ? 0 : 1] = text_of(validate(points_of(table), {}, {file.path(), {}}, study, never, {}), write_json);
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("what validations trust is written as YAML and read again, by GPU, engine and cost model") {
  const Validation validation = validation_of(
      "model,gpu,tp,isl,osl,concurrency,ttft_ms,tpot_ms\n"
      "llama-3-8b,h100-sxm,1,20,50,10,9,8\n"
      "llama-3-8b,h100-sxm,1,20,50,20,8,11\n"
      "llama-3-8b,a100-80gb,1,20,50,20,8,11\n",
      "version: 1\n", "version: 1\nbase: []\ncost: {model: ideal}\n");
  const StudyFile file(text_of(validation, write_trust));
  const TrustTable table = load_trust(file.path());
  REQUIRE(table.validated.size() == 4);
  const std::vector<TrustEntry> entries = table.of("h100-sxm", "vllm-v1", "ideal", "");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].metric == "ttft_ms");
  CHECK(entries[0].rows == 2);
  const std::vector<ErrorGroup> groups = error_groups(validation, GroupBy::gpu_and_engine);
  CHECK(entries[0].median_error == doctest::Approx(groups[0].median_error).epsilon(1e-3));
  CHECK(trust_text(entries).find("over 2 rows") != std::string::npos);
  CHECK(table.of("h100-sxm", "sglang", "ideal", "").empty());
  CHECK(trust_text({}) == "not validated");
  CHECK(!load_default_trust().validated.empty());
}

TEST_CASE("a run tells what the rows behind its errors ran, and whether it runs something else") {
  const Validation validation = validation_of(
      "model,gpu,tp,isl,osl,concurrency,ttft_ms\nllama-3-8b,h100-sxm,1,20,50,10,9\nmistral-7b,h100-sxm,1,20,50,10,9\n",
      "version: 1\n", "version: 1\nbase: []\ncost: {model: ideal}\n");
  const StudyFile file(text_of(validation, write_trust));
  const TrustTable table = load_trust(file.path());
  REQUIRE(table.validated.size() == 1);
  CHECK(table.validated[0].served == "llama-3-8b in 16 bits, mistral-7b in 16 bits");
  Scenario scenario;
  scenario.cost.model = CostKind::ideal;
  scenario.hardware.gpu.name = "h100-sxm";
  scenario.model.name = "llama-3-8b";
  const std::string told = trust_in(scenario, table);
  CHECK(told.find("h100-sxm and vllm-v1, held against llama-3-8b in 16 bits, mistral-7b in 16 bits; ttft_ms median") ==
        0);
  CHECK(told.find("not known") == std::string::npos);
  scenario.precision.weights = Precision::fp8;
  CHECK(trust_in(scenario, table).find("; none of it is llama-3-8b in fp8, whose errors are not known") !=
        std::string::npos);
  scenario.hardware.gpu.name = "l4";
  CHECK(trust_in(scenario, table) == "not validated for l4 and vllm-v1");
  scenario.cost.model = CostKind::fixed;
  CHECK(trust_in(scenario, table).empty());
}

}  // namespace decodesim::tests
