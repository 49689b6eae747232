// Cases of TensorRT-LLM's own tests for the parts of its schedulers: micro-batches, chunks, adapters, reusable blocks.

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/serving/reusable_memory.hpp"
#include "sim/serving/schedulers/trtllm_capacity.hpp"
#include "sim/serving/schedulers/trtllm_micro_batch.hpp"
#include "tests/engine/peer_trtllm.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

using Sizes = std::vector<std::int64_t>;
constexpr std::int64_t no_limit = 1'000'000;

ChunkPolicy policy_of(const std::string& name) {
  if (name == "EQUAL_PROGRESS") return ChunkPolicy::equal_progress;
  if (name == "FCFS") return ChunkPolicy::first_come_first_served;
  return ChunkPolicy::none;
}

BatchLimits limits_of(const json& inputs) {
  BatchLimits limits;
  limits.max_batch_size = inputs.value("max_batch", no_limit);
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    if (!inputs.contains(key) || inputs.at(key).is_null()) return std::nullopt;
    return inputs.at(key).get<std::int64_t>();
  };
  limits.max_num_tokens = number("max_num_tokens");
  limits.max_context_length = number("max_context_length");
  limits.chunk_unit = inputs.value("unit", 1);
  limits.policy = policy_of(inputs.value("policy", ""));
  return limits;
}

/// A request of a batch without a KV cache behind it: so many tokens in, so many out.
struct Job {
  std::int64_t context = 0;
  std::int64_t output = 0;
  std::int64_t generated = 0;
  std::int64_t in_flight_until = 0;  // iteration at which it may be scheduled again
  [[nodiscard]] bool done() const { return generated == output; }
};

/// What each job gets in an iteration: tokens of its context, or 1.
std::map<std::size_t, std::int64_t> advance(std::vector<Job>& jobs, const BatchLimits& limits, std::int64_t drafts = 0,
                                            std::int64_t iteration = 0) {
  std::vector<BatchCandidate> candidates;
  std::vector<std::size_t> who;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].done()) continue;
    BatchCandidate candidate{.context = std::nullopt, .draft_tokens = drafts};
    if (jobs[i].context > 0) candidate.context = ContextLeft{jobs[i].context, 0};
    candidate.in_flight = jobs[i].in_flight_until > iteration;
    candidates.push_back(candidate);
    who.push_back(i);
  }
  const MicroBatch batch = micro_batch(candidates, limits);
  std::map<std::size_t, std::int64_t> tokens;
  for (std::size_t i = 0; i < who.size(); ++i) {
    Job& job = jobs[who[i]];
    const std::int64_t some = job.context > 0 ? batch.shares[i].computed : batch.advanced[i];
    if (some == 0) continue;
    tokens[who[i]] = some;
    const bool yields = job.context == 0 || job.context == some;
    job.context -= job.context > 0 ? some : 0;
    job.generated += yields ? 1 : 0;
  }
  return tokens;
}

std::vector<Job> jobs_of(const json& requests) {
  std::vector<Job> jobs;
  for (const json& one : requests) jobs.push_back({one.at(0), one.at(1)});
  return jobs;
}

Sizes chunks_of(const json& inputs) {
  std::vector<BatchCandidate> candidates;
  for (std::size_t i = 0; i < inputs.at("remaining").size(); ++i) {
    const std::int64_t reusable = inputs.contains("reusable") ? inputs.at("reusable").at(i).get<std::int64_t>() : 0;
    candidates.push_back({.context = ContextLeft{inputs.at("remaining").at(i), reusable}});
  }
  Sizes chunks;
  for (const ChunkShare& share : micro_batch(candidates, limits_of(inputs)).shares) chunks.push_back(share.chunk);
  return chunks;
}

}  // namespace

TEST_CASE("chunks move contexts on as in TensorRT-LLM's own tests, iteration by iteration") {
  const auto cases = peer_cases("trtllm-chunking");
  if (!cases) return;
  CHECK(cases->size() == 6);
  for (const json& one : *cases) {
    for (const auto& [policy, steps] : one.at("expected").items()) {
      CAPTURE(one.at("id").get<std::string>());
      CAPTURE(policy);
      BatchLimits limits = limits_of(one.at("inputs"));
      limits.policy = policy_of(policy);
      const Sizes lengths = one.at("inputs").at("context_lengths");
      std::vector<Job> jobs;
      for (const std::int64_t length : lengths) jobs.push_back({length, no_limit});
      for (const json& expected : steps) {
        // A context that is done generates, which the cases leave out.
        std::vector<Job> contexts;
        for (const Job& job : jobs) contexts.push_back({job.context, job.context > 0 ? no_limit : 0});
        advance(contexts, limits);
        Sizes positions;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          jobs[i].context = contexts[i].context;
          positions.push_back(lengths[i] - jobs[i].context);
        }
        CHECK(positions == expected.get<Sizes>());
      }
    }
  }
}

TEST_CASE("the last chunk may exceed the unit where it fits, else it is a plain unit (trt-mb-02)") {
  const auto one = peer_case("trt-mb-02");
  if (!one) return;
  std::vector<Job> jobs = jobs_of(one->at("inputs").at("requests"));
  for (std::size_t iteration = 0; iteration < 9; ++iteration) {
    CAPTURE(iteration);
    std::map<std::size_t, std::int64_t> expected;
    for (const auto& [who, tokens] : one->at("expected").at("per_iteration").at(std::to_string(iteration)).items()) {
      expected[std::stoul(who)] = tokens;
    }
    CHECK(advance(jobs, limits_of(one->at("inputs"))) == expected);
  }
  for (const Job& job : jobs) CHECK(job.done());
}

TEST_CASE("with two micro-batches in flight the pairs take turns (trt-mb-04)") {
  const auto one = peer_case("trt-mb-04");
  if (!one) return;
  std::vector<Job> jobs = jobs_of(one->at("inputs").at("requests"));
  const std::int64_t batches = one->at("inputs").at("micro_batches_in_flight");
  std::int64_t iterations = 0;
  for (;; ++iterations) {
    const auto tokens = advance(jobs, limits_of(one->at("inputs")), 0, iterations);
    if (tokens.empty()) break;
    std::vector<std::size_t> who;
    for (const auto& [job, count] : tokens) {
      who.push_back(job);
      jobs[job].in_flight_until = iterations + batches;
    }
    const json& expected = one->at("expected").at(iterations % 2 == 0 ? "even_iterations" : "odd_iterations");
    CHECK(who == expected.get<std::vector<std::size_t>>());
  }
  CHECK(iterations == one->at("expected").at("total_iterations").get<std::int64_t>());
}

TEST_CASE("a whole context fits beside two generations, not three (trt-mb-05)") {
  const auto one = peer_case("trt-mb-05");
  if (!one) return;
  std::vector<Job> jobs = jobs_of(one->at("inputs").at("requests"));
  const json& sets = one->at("expected").at("sets");
  const json& counts = one->at("expected").at("counts");
  for (std::int64_t iteration = 0; iteration <= 20; ++iteration) {
    CAPTURE(iteration);
    std::vector<std::size_t> who;
    for (const auto& [job, tokens] : advance(jobs, limits_of(one->at("inputs")))) who.push_back(job);
    const std::string key = iteration >= 3 && iteration <= 9 ? "3..9" : std::to_string(iteration);
    if (counts.contains(key)) CHECK(who.size() == counts.at(key).get<std::size_t>());
    if (sets.contains(key)) CHECK(who == sets.at(key).get<std::vector<std::size_t>>());
  }
}

TEST_CASE("reusable tokens cost nothing: whole contexts, chunks in order, chunks in turn (trt-mb-07, -09, -10, -14)") {
  const auto whole = peer_case("trt-mb-07");
  if (!whole) return;
  for (std::size_t i = 0; i < 2; ++i) {
    const json& inputs = whole->at("inputs");
    std::vector<BatchCandidate> candidates;
    for (std::size_t r = 0; r < 2; ++r) {
      candidates.push_back(
          {.context = ContextLeft{inputs.at("requests").at(r).at(0), inputs.at("reusable").at(i).at(r)}});
    }
    std::int64_t scheduled = 0;
    for (const ChunkShare& share : micro_batch(candidates, limits_of(inputs)).shares) scheduled += share.chunk > 0;
    CHECK(scheduled == whole->at("expected").at("contexts_scheduled").at(i).get<std::int64_t>());
  }
  for (const char* id : {"trt-mb-09", "trt-mb-10", "trt-mb-14"}) {
    CAPTURE(id);
    const json one = *peer_case(id);
    CHECK(chunks_of(one.at("inputs")) == one.at("expected").at("chunks").get<Sizes>());
  }
}

TEST_CASE("generations of another beam width than the first are skipped (trt-mb-12)") {
  const auto one = peer_case("trt-mb-12");
  if (!one) return;
  std::vector<BatchCandidate> candidates;
  for (const std::int64_t width : one->at("inputs").at("generations_beam").get<Sizes>()) {
    candidates.push_back({.context = std::nullopt, .beam_width = width});
  }
  const MicroBatch batch = micro_batch(candidates, limits_of(one->at("inputs")));
  Sizes scheduled;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (batch.advanced[i] > 0) scheduled.push_back(static_cast<std::int64_t>(i));
  }
  CHECK(scheduled == one->at("expected").at("scheduled").get<Sizes>());
}

TEST_CASE("draft tokens count with their context (trt-mb-17)") {
  const auto one = peer_case("trt-mb-17");
  if (!one) return;
  std::vector<Job> jobs = jobs_of(one->at("inputs").at("requests"));
  const json& counts = one->at("expected").at("counts");
  for (std::int64_t iteration = 0; iteration <= 11; ++iteration) {
    CAPTURE(iteration);
    const std::size_t scheduled = advance(jobs, limits_of(one->at("inputs")), one->at("inputs").at("draft")).size();
    const std::string key = iteration >= 1 && iteration <= 9 ? "1..9" : std::to_string(iteration);
    CHECK(scheduled == counts.at(key).get<std::size_t>());
  }
}

TEST_CASE("an adapter without room stops MAX_UTILIZATION and is skipped by the others (trt-cap-30, trt-cap-31)") {
  for (const char* id : {"trt-cap-30", "trt-cap-31"}) {
    CAPTURE(id);
    const auto one = peer_case(id);
    if (!one) return;
    const json& inputs = one->at("inputs");
    const std::int64_t block_size = inputs.at("block_size");
    const AdapterPages device(inputs.at("lora_device_pages").get<std::int64_t>());
    Sizes left;  // output tokens that each still wants
    for (const json& request : inputs.at("requests")) left.push_back(request.at("max_new"));
    for (std::int64_t iteration = 0; iteration < one->at("expected").at("total_iterations"); ++iteration) {
      CAPTURE(iteration);
      ReservingCapacity reserving(inputs.at("blocks"), inputs.at("max_num_requests"), device);
      NextStepCapacity next_step(device);
      Sizes taken;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] == 0) continue;
        const json& request = inputs.at("requests").at(i);
        const Adapter adapter{inputs.at("lora_tasks").at(i), inputs.at("lora_pages").at(i)};
        const std::int64_t prompt = request.at("prompt");
        const std::int64_t whole = prompt + request.at("max_new").get<std::int64_t>();
        // All are alike, and blocks are not short: what counts is who has its adapter.
        const auto verdict = id == std::string("trt-cap-30")
                                 ? next_step.ask(1, inputs.at("blocks"), 3, adapter)
                                 : reserving.ask((whole + block_size - 1) / block_size, adapter);
        if (verdict == CapacityVerdict::no_blocks) break;
        if (verdict == CapacityVerdict::taken) taken.push_back(static_cast<std::int64_t>(i));
      }
      Sizes expected;
      for (const json& part : one->at("expected").at("schedule")) {
        const bool inside =
            iteration >= part.at("iterations").at(0) && iteration < part.at("iterations").at(1).get<std::int64_t>();
        if (inside) expected = part.at("scheduled").get<Sizes>();
      }
      REQUIRE(taken == expected);
      for (const std::int64_t i : taken) --left[static_cast<std::size_t>(i)];
    }
    for (const std::int64_t rest : left) CHECK(rest == 0);
  }
}

namespace {

/// Requests on a memory of 8 blocks of 4 tokens, whose block numbers count from 1 where the cases count from 0.
class Reuse {
 public:
  struct Started {
    std::int64_t reused = 0;
    Sizes blocks;
  };
  Started start(const std::string& token_ids) {
    Sequence& sequence = sequences_.emplace_back();
    sequence.request.content = content_of(token_ids);
    sequence.request.index = static_cast<std::int64_t>(sequences_.size());
    sequence.request.input_tokens = static_cast<std::int64_t>(sequence.request.content.size());
    Started started;
    started.reused = memory.start(sequence);
    for (const BlockId block : sequence.blocks) started.blocks.push_back(static_cast<std::int64_t>(block) - 1);
    return started;
  }
  /// The last one started gives its blocks back. Its tokens by then were these; the last has no KV.
  void release(const std::string& token_ids) { release(sequences_.size() - 1, token_ids); }
  void release(std::size_t which, const std::string& token_ids) {
    Sequence& sequence = sequences_[which];
    sequence.request.content = content_of(token_ids);
    sequence.cached = static_cast<std::int64_t>(sequence.request.content.size()) - 1;
    memory.release(sequence, Released::finished);
  }

  ReusableMemory memory{8, 4, TrtllmKnobs{}};

 private:
  std::deque<Sequence> sequences_;
};

}  // namespace

TEST_CASE("blocks are found again by token, and what differs is computed anew (trt-kv-01, -02, -04, -06, -07)") {
  if (!peer_case("trt-kv-01")) return;
  const auto expected = [](const char* id) { return peer_case(id)->at("expected"); };
  Reuse reuse;

  const Reuse::Started first = reuse.start("0..8");
  CHECK(first.blocks == expected("trt-kv-01").at("blocks").get<Sizes>());
  CHECK(first.reused == expected("trt-kv-01").at("prepopulated").get<std::int64_t>());
  reuse.release("0..10");
  CHECK(reuse.memory.free() == expected("trt-kv-01").at("free_after_release").get<std::int64_t>());

  const Reuse::Started again = reuse.start("0..8");
  CHECK(again.reused == expected("trt-kv-02").at("reused_tokens").get<std::int64_t>());
  CHECK(again.blocks == Sizes{0, 1, expected("trt-kv-02").at("new_block").get<std::int64_t>()});
  reuse.release("0..10");

  // In between the original test adds both again, each a token longer: the first continues block 2 where it is, so the
  // second needs a fresh one.
  CHECK(reuse.start("0..9").blocks == Sizes{0, 1, 2});
  CHECK(reuse.start("0..10").blocks == Sizes{0, 1, 4});
  reuse.release(2, "0..9");
  reuse.release(3, "0..10");

  const Reuse::Started shorter = reuse.start("0..4");
  CHECK(shorter.reused == expected("trt-kv-04").at("reused_tokens").get<std::int64_t>());
  CHECK(shorter.blocks == expected("trt-kv-04").at("blocks").get<Sizes>());

  // A longer one beside it, and one that is released with fewer tokens than it had, so that what was cut off is not found.
  CHECK(reuse.start("0..9,11").reused == 10);
  reuse.release(4, "0..4");
  reuse.release(5, "0..9,11");
  CHECK(reuse.start("0..9,12").reused == 10);
  reuse.release("0..8");
  CHECK(reuse.start("0..9,12").reused == expected("trt-kv-06").at("reused_tokens").get<std::int64_t>());
  reuse.release("0..9,12");

  std::string zeros = "0";
  for (int i = 1; i < 31; ++i) zeros += ",0";
  const Reuse::Started same = reuse.start(zeros);
  CHECK(same.reused == expected("trt-kv-07").at("reused_tokens").get<std::int64_t>());
  CHECK(static_cast<std::int64_t>(same.blocks.size()) ==
        expected("trt-kv-07").at("allocated_blocks").get<std::int64_t>());
}

TEST_CASE("what capacity finds reusable makes a context fit the micro-batch (trt-mb-15)") {
  const auto one = peer_case("trt-mb-15");
  if (!one) return;
  const json& inputs = one->at("inputs");
  ReusableMemory memory(inputs.at("blocks"), inputs.at("block_size"), TrtllmKnobs{});
  Sequence first;
  Sequence second;
  for (Sequence* sequence : {&first, &second}) {
    sequence->request.content = content_of(inputs.at("requests").at(0).at("prompt"));
    sequence->request.input_tokens = static_cast<std::int64_t>(sequence->request.content.size());
  }
  CHECK(memory.start(first) == 0);
  first.cached = first.request.input_tokens;
  memory.store_context(first);
  const std::int64_t reusable = memory.look_up(second).full * memory.block_size();
  CHECK(reusable == one->at("expected").at("iteration1").at("reusable_of_1").get<std::int64_t>());

  const auto contexts_of = [&](std::int64_t reused) {
    const BatchCandidate generation{.context = std::nullopt};
    const BatchCandidate context{.context = ContextLeft{second.request.input_tokens, reused}};
    const MicroBatch batch = micro_batch({generation, context}, limits_of(inputs));
    CHECK(batch.advanced[0] == 1);
    return batch.shares[1].computed > 0 ? Sizes{1} : Sizes{};
  };
  CHECK(contexts_of(reusable) == one->at("expected").at("iteration1").at("contexts").get<Sizes>());
  CHECK(contexts_of(0) == one->at("expected").at("without_reuse").at("contexts").get<Sizes>());
}

}  // namespace decodesim::tests
