// Cases of TensorRT-LLM's own tests: whole schedules on both engines, and the decisions of the parts that they call.

#include "tests/engine/peer_trtllm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

/// Who was scheduled in each pass, by index, and how many blocks were found in place.
class Iterations : public Observer {
 public:
  [[nodiscard]] bool wants_schedule() const override { return true; }
  void step(const StepFacts& facts) override {
    std::set<std::int64_t> some;
    for (const auto& [request, tokens] : facts.schedule->scheduled) some.insert(request->index);
    scheduled.push_back(some);
    tokens_found += facts.found_tokens + facts.found_again_tokens;
    preempted += facts.preempted;
  }
  void ended(const RequestFacts& facts) override { completed += facts.outcome == Outcome::completed ? 1 : 0; }

  std::vector<std::set<std::int64_t>> scheduled;
  std::int64_t tokens_found = 0;
  std::int64_t preempted = 0;
  std::int64_t completed = 0;
};

ServerConfig server_of(const json& inputs, const std::string& policy) {
  ServerConfig server;
  server.usable_blocks = server.num_blocks = inputs.at("blocks");
  server.block_size = inputs.at("block_size");
  server.max_model_len = 100'000;
  SchedulerSpec& knobs = server.scheduler;
  knobs.engine = engine_of(policy);
  knobs.max_num_seqs = inputs.value("max_num_requests", 64);
  knobs.max_num_batched_tokens = 100'000;
  knobs.never_fits = NeverFits::hang;
  knobs.trtllm.enable_block_reuse = inputs.value("block_reuse", false);
  if (inputs.contains("chunk_size")) {
    knobs.trtllm.context_chunking_policy = ChunkPolicy::first_come_first_served;
    knobs.trtllm.max_context_length = inputs.at("chunk_size");
  }
  server.cost = &one_second;
  server.grid_step = std::chrono::seconds(1);
  return server;
}

/// Larger is more urgent there, smaller here.
std::int64_t urgency_of(double priority) { return 100 - std::lround(100 * priority); }

std::vector<Request> requests_of(const json& list) {
  std::vector<Request> requests;
  for (const json& one : list) {
    Request request;
    request.index = static_cast<std::int64_t>(requests.size());
    request.arrival = Time(std::chrono::seconds(one.value("arrival_iteration", 0)));
    request.input_tokens = one.at("prompt");
    request.output_tokens = request.max_tokens = one.at("max_new");
    request.priority = urgency_of(one.value("priority", 0.5));
    if (one.contains("token_ids")) request.content = content_of(one.at("token_ids").get<std::string>());
    requests.push_back(request);
  }
  return requests;
}

void check_schedule(const Iterations& seen, const json& expected, std::int64_t block_size) {
  CHECK(static_cast<std::int64_t>(seen.scheduled.size()) == expected.at("total_iterations").get<std::int64_t>());
  for (const json& part : expected.at("schedule")) {
    const auto some = part.at("scheduled").get<std::set<std::int64_t>>();
    for (std::size_t i = part.at("iterations").at(0); i < part.at("iterations").at(1).get<std::size_t>(); ++i) {
      CAPTURE(i);
      REQUIRE(i < seen.scheduled.size());
      CHECK(seen.scheduled[i] == some);
    }
  }
  if (expected.contains("reused_blocks")) {
    CHECK(seen.tokens_found / block_size == expected.at("reused_blocks").get<std::int64_t>());
  }
}

}  // namespace

TEST_CASE("capacity decides as in TensorRT-LLM's own tests, iteration by iteration") {
  const auto cases = peer_cases("trtllm-");
  if (!cases) return;
  std::set<std::string> played;
  for (const json& one : *cases) {
    const json& inputs = one.at("inputs");
    if (!one.at("expected").contains("schedule") || inputs.contains("lora_pages")) continue;
    for (const json& policy : inputs.at("policies")) {
      for (const Engine& engine : engines()) {
        const std::string id = one.at("id");
        CAPTURE(id);
        CAPTURE(policy.get<std::string>());
        CAPTURE(engine.name);
        const ServerConfig server = server_of(inputs, policy);
        Iterations seen;
        InvariantChecker invariants(server);
        play(engine, server, requests_of(inputs.at("requests")), std::nullopt, {&seen, &invariants});
        check_schedule(seen, one.at("expected"), server.block_size);
        CHECK(invariants.violation() == "");
        played.insert(id);
      }
    }
  }
  CHECK(played.size() == 16);
}

TEST_CASE("the active list is sorted by priority, and by arrival among equals (trt-cap-05)") {
  const auto one = peer_case("trt-cap-05");
  if (!one) return;
  const auto priorities = one->at("expected").at("priorities_by_id").get<std::vector<double>>();
  ServerConfig server = server_of({{"blocks", 1000}, {"block_size", 10}, {"max_num_requests", 100}}, "trtllm-max-util");
  std::vector<Request> requests;
  for (const double priority : priorities) {
    Request request;
    request.index = static_cast<std::int64_t>(requests.size());
    request.input_tokens = request.output_tokens = request.max_tokens = 1;
    request.priority = urgency_of(priority);
    requests.push_back(request);
  }
  class Order : public Observer {
   public:
    [[nodiscard]] bool wants_schedule() const override { return true; }
    void step(const StepFacts& facts) override {
      for (const auto& [request, tokens] : facts.schedule->scheduled) order.push_back(request->index);
    }
    std::vector<std::int64_t> order;
  };
  for (const Engine& engine : engines()) {
    Order seen;
    play(engine, server, requests, std::nullopt, {&seen});
    CHECK(seen.order == one->at("expected").at("order").get<std::vector<std::int64_t>>());
  }
}

TEST_CASE("a reservation for the whole life never preempts, and runs one after the other (trt-cap-33)") {
  const auto one = peer_case("trt-cap-33");
  if (!one) return;
  for (const Engine& engine : engines()) {
    Iterations seen;
    play(engine, server_of(one->at("inputs"), "trtllm-no-evict"), requests_of(one->at("inputs").at("requests")),
         std::nullopt, {&seen});
    const json& expected = one->at("expected");
    CHECK(seen.preempted == expected.at("preemptions").get<std::int64_t>());
    CHECK(seen.completed == expected.at("completed").get<std::int64_t>());
    CHECK(static_cast<std::int64_t>(seen.scheduled.size()) ==
          expected.at("iterations_if_prefill_emits_first_token").get<std::int64_t>());
    for (const std::set<std::int64_t>& some : seen.scheduled) CHECK(some.size() == 1);
  }
}

TEST_CASE("who asks for more than the pool holds is turned away, where a peer cuts it to that (trt-cap-36)") {
  const auto one = peer_case("trt-cap-36");
  if (!one) return;
  ServerConfig server = server_of(one->at("inputs"), "trtllm-no-evict");
  server.scheduler.never_fits = NeverFits::reject;
  std::vector<Request> requests = requests_of(one->at("inputs").at("requests"));
  const std::int64_t most = one->at("expected").at("effective_max_new");
  for (std::int64_t asked : {most, most + 1, requests[0].max_tokens}) {
    requests[0].output_tokens = requests[0].max_tokens = asked;
    for (const Engine& engine : engines()) {
      Iterations seen;
      play(engine, server, requests, std::nullopt, {&seen});
      CHECK(seen.completed == (asked <= most ? 1 : 0));
    }
  }
}

}  // namespace decodesim::tests
