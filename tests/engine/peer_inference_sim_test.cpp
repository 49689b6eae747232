// Cases of inference-sim's tests about its model of the vLLM V1 scheduler and of its block tables, on both engines. Numbers
// come from the file; what it says in prose is spelled out here.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/serving/paged_memory.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/played_run.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/step_cost.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

const GridCost one_second(std::chrono::seconds(1));

/// What a peer's test is given and what it expects; nothing where the file is not there.
struct Peer {
  json inputs;
  json expected;
};
std::optional<Peer> peer(const std::string& id) {
  const auto path = shared_file("data/engine_cases/peer_tests.json");
  if (!path) return std::nullopt;
  std::ifstream file(*path);
  const json document = json::parse(file);
  for (const json& entry : document.at("cases")) {
    if (entry.at("id") == id) return Peer{entry.at("inputs"), entry.at("expected")};
  }
  FAIL("there is no case " << id);
  return std::nullopt;
}

/// Those tests count the blocks that requests can hold.
ServerConfig server_of(const json& inputs) {
  ServerConfig config;
  config.block_size = inputs.value("block_size", 16);
  config.usable_blocks = inputs.value("blocks", 10'000);
  config.num_blocks = config.usable_blocks + 1;
  config.max_model_len = 100'000;
  config.scheduler.max_num_batched_tokens = inputs.value("budget", 8192);
  config.scheduler.max_num_seqs = inputs.value("max_seqs", 128);
  config.scheduler.long_prefill_token_threshold = inputs.value("long_prefill_token_threshold", 0);
  config.scheduler.never_fits = NeverFits::hang;
  config.cost = &one_second;
  config.grid_step = std::chrono::seconds(1);
  return config;
}

std::vector<Request> prompts(const json& lengths, std::int64_t output) {
  std::vector<Request> list;
  for (std::int64_t length : lengths) request(list, length, output);
  return list;
}

/// Plays `requests` on every engine and hands the run to `expect`; the invariants hold in any case.
template <class Expect>
void on_every_engine(const ServerConfig& config, const std::vector<Request>& requests, Expect expect) {
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Played played;
    InvariantChecker invariants(config);
    play(engine, config, requests, std::nullopt, {&played, &invariants});
    CHECK(invariants.violation() == "");
    expect(played);
  }
}

}  // namespace

TEST_CASE("isim-01, isim-02, isim-04, isim-07: a table grows by what its last block lacks, or not at all") {
  const auto grown = [](PagedMemory& memory, Sequence& sequence, std::int64_t tokens) {
    return memory.grow(sequence, tokens);
  };
  if (const auto one = peer("isim-01")) {
    for (std::size_t i = 0; i < one->inputs.at("cases").size(); ++i) {
      const json& entry = one->inputs.at("cases").at(i);
      CAPTURE(i);
      PagedMemory memory(entry.at("blocks"), entry.at("block_size"));
      Sequence sequence;
      const std::int64_t have = entry.at("have");
      REQUIRE(grown(memory, sequence, have));
      CHECK(grown(memory, sequence, have + entry.at("add").get<std::int64_t>()) == one->expected.at("ok").at(i));
      CHECK(memory.total() - memory.free() == one->expected.at("used_after").at(i));
    }
  }
  if (const auto one = peer("isim-02")) {
    for (std::size_t i = 0; i < 2; ++i) {
      PagedMemory memory(one->inputs.at("blocks").at(i), one->inputs.at("block_size"));
      Sequence sequence;
      CHECK(grown(memory, sequence, one->inputs.at("add")) == one->expected.at("ok").at(i));
    }
  }
  if (peer("isim-04")) {  // holds 2 full blocks, the pool is full; then another is evicted
    PagedMemory memory(3, 4);
    Sequence sequence;
    Sequence other;
    REQUIRE((grown(memory, sequence, 8) && grown(memory, other, 1)));
    CHECK(!grown(memory, sequence, 9));
    CHECK(sequence.blocks.size() == 2);
    memory.release(other, Released::evicted);
    CHECK(grown(memory, sequence, 9));
    CHECK(sequence.blocks.size() == 3);
  }
  if (const auto one = peer("isim-07")) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t free = one->inputs.at("free").at(i);
      PagedMemory memory(1 + free, 4);
      Sequence holder;
      REQUIRE(grown(memory, holder, 4));
      Sequence sequence;
      CHECK(grown(memory, sequence, 1) == one->expected.at("ok").at(i));
    }
  }
}

TEST_CASE("isim-12, isim-14, isim-16: no admission after an eviction, the budget, and no second look at a victim") {
  if (const auto one = peer("isim-12")) {  // two run, one of them must be evicted; a small one waits
    std::vector<Request> requests = alike(2, 16, 4);
    request(requests, 1, 1, 1);
    on_every_engine(server_of({{"block_size", 16}, {"blocks", 2}}), requests, [&](const Played& played) {
      CHECK(played.rows()[1].preempted == "b");
      CHECK(played.rows()[1].waiting == "b c");
      CHECK(played.running[1] == 1 + one->expected.at("admitted").get<std::int64_t>());
    });
  }
  if (const auto one = peer("isim-14")) {
    on_every_engine(server_of(one->inputs), prompts(one->inputs.at("prompts"), 4), [&](const Played& played) {
      CHECK(played.tokens[0] == one->expected.at("chunked").get<std::vector<std::int64_t>>());
      CHECK(played.scheduled_tokens[0] == one->expected.at("total"));
      CHECK(played.rows()[0].waiting == "c");
    });
  }
  if (const auto one = peer("isim-16")) {
    const ServerConfig config = server_of(one->inputs);
    on_every_engine(config, prompts(one->inputs.at("prompts"), 4), [&](const Played& played) {
      CHECK(played.rows()[1].scheduled == "a1 b1");
      CHECK(played.rows()[1].preempted == "c");
      CHECK(config.usable_blocks - played.rows()[1].free_blocks == one->expected.at("used"));
    });
  }
}

TEST_CASE("isim-17: thirty long answers end after a bounded number of evictions") {
  const auto one = peer("isim-17");
  if (!one) return;
  static const GridCost step(std::chrono::milliseconds(20));
  ServerConfig config = server_of(one->inputs.is_object() ? one->inputs : json::object());
  config.cost = &step;
  config.grid_step = std::chrono::milliseconds(20);
  Stream lengths(1, "lengths");
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 30; ++i) {
    request(requests, lengths.integer(200, 400), lengths.integer(3200, 3596));
    requests.back().arrival = Time(std::chrono::milliseconds(100 * i));
  }
  for (const Engine& engine : engines()) {
    CAPTURE(engine.name);
    Played played;
    play(engine, config, requests, std::nullopt, {&played});
    CHECK(played.outcomes == std::vector<Outcome>(30, Outcome::completed));
    std::int64_t evictions = 0;
    for (std::int64_t count : played.preemptions) evictions += count;
    CHECK(evictions < 1000);
  }
}

TEST_CASE("isim-19, isim-21, isim-22: the least urgent is evicted wherever it stands, one after the other, or nobody") {
  if (peer("isim-19")) {
    // b's second block: the victim is the least urgent, in the middle; then among equals the latest; then the requester.
    const auto first_victim = [](const std::vector<std::int64_t>& priorities) {
      ServerConfig config = server_of({{"block_size", 4}, {"blocks", 3}});
      config.scheduler.policies.queue_order = "priority";
      std::vector<Request> requests;
      const std::vector<std::int64_t> lengths{2, 4, 1};  // b alone needs a block in pass 2
      for (std::size_t i = 0; i < 3; ++i) {
        request(requests, lengths[i], 9, 1, priorities[i]);
        requests.back().arrival -= std::chrono::milliseconds(3 - i);
      }
      std::string victim;
      on_every_engine(config, requests, [&](const Played& played) { victim = played.rows()[2].preempted; });
      return victim;
    };
    CHECK(first_victim({7, 1, 2}) == "a");
    CHECK(first_victim({5, 1, 5}) == "c");
    CHECK(first_victim({1, 3, 2}) == "b");
  }
  if (const auto one = peer("isim-21")) {
    // Class -3 is the least urgent there. The critical one gets half its prompt's blocks, then needs those of both others.
    ServerConfig config = server_of(one->inputs);
    config.scheduler.policies.queue_order = "priority";
    config.scheduler.reserve_full_isl = false;
    config.scheduler.max_num_batched_tokens = 34;
    std::vector<Request> requests;
    request(requests, 1, 9, 0, 3);
    request(requests, 1, 9, 0, 2);
    request(requests, 64, 1, 1, 0);
    request(requests, 1, 1, 2, 1);  // waits, and is not admitted in the pass that evicts
    on_every_engine(config, requests, [](const Played& played) {
      CHECK(played.rows()[1].scheduled == "b1 a1 c32");
      CHECK(played.rows()[2].preempted == "a b");
      CHECK(played.rows()[2].scheduled == "c32");
      CHECK(played.rows()[2].free_blocks == 0);
      CHECK(played.rows()[2].waiting == "d b a");
    });
  }
  if (const auto one = peer("isim-22")) {
    ServerConfig config = server_of({{"block_size", 4}, {"blocks", 3}});
    config.scheduler.policies.queue_order = "priority";
    on_every_engine(config, alike(1, 20, 1), [&](const Played& played) {
      CHECK(config.usable_blocks - played.rows()[0].free_blocks == one->expected.at("used"));
      CHECK(played.run().watchdog != "");
    });
  }
}

TEST_CASE("isim-24, isim-26, isim-27: a prompt that fills the model is refused, and an answer ends at its limit") {
  if (const auto one = peer("isim-24")) {
    ServerConfig config = server_of(json::object());
    config.max_model_len = one->inputs.at("max_model_len");
    std::vector<Request> requests;
    for (const json& entry : one->inputs.at("requests")) request(requests, entry.at(0), entry.at(1));
    on_every_engine(config, requests, [](const Played& played) {
      CHECK(played.endings().find("a rejected (prompt reaches max_model_len)") != std::string::npos);
      CHECK(played.endings().find("b completed") != std::string::npos);
      // That peer drops the third at once; here, as in isim-27, its answer is cut where the model ends.
      CHECK(played.outputs == std::vector<std::int64_t>{0, 212, 312});
    });
  }
  if (const auto one = peer("isim-26")) {
    ServerConfig config = server_of(json::object());
    config.scheduler.long_prefill_token_threshold = one->inputs.at("chunk");
    config.max_model_len = 512;
    std::vector<Request> requests;
    request(requests, one->inputs.at("prompt"), one->inputs.at("output"));
    on_every_engine(config, requests,
                    [&](const Played& played) { CHECK(played.outputs[0] == one->expected.at("outputs")); });
  }
  if (const auto one = peer("isim-27")) {
    for (std::size_t i = 0; i < 2; ++i) {
      const json& entry = one->inputs.at("cases").at(i);
      ServerConfig config = server_of(json::object());
      config.max_model_len = entry.at("max_model_len");
      std::vector<Request> requests;
      request(requests, entry.at("prompt"), entry.value("output", 5));
      on_every_engine(config, requests,
                      [&](const Played& played) { CHECK(played.outputs[0] == one->expected.at("outputs").at(i)); });
    }
  }
}

}  // namespace decodesim::tests
