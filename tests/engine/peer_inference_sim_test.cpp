// Cases of inference-sim's tests about its model of the vLLM V1 scheduler and of its block tables, on both engines. Numbers
// come from the file; what it says in prose is spelled out here.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/serving/paged_memory.hpp"
#include "tests/engine/peer_vllm_v1.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/played_run.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

}  // namespace

TEST_CASE("isim-01, isim-02, isim-04, isim-07: a table grows by what its last block lacks, or not at all") {
  const auto grown = [](PagedMemory& memory, Sequence& sequence, std::int64_t tokens) {
    return memory.grow(sequence, tokens);
  };
  if (const auto one = peer_case("isim-01")) {
    for (std::size_t i = 0; i < one->at("inputs").at("cases").size(); ++i) {
      const json& entry = one->at("inputs").at("cases").at(i);
      CAPTURE(i);
      PagedMemory memory(entry.at("blocks"), entry.at("block_size"));
      Sequence sequence;
      const std::int64_t have = entry.at("have");
      REQUIRE(grown(memory, sequence, have));
      CHECK(grown(memory, sequence, have + entry.at("add").get<std::int64_t>()) == one->at("expected").at("ok").at(i));
      CHECK(memory.total() - memory.free() == one->at("expected").at("used_after").at(i));
    }
  }
  if (const auto one = peer_case("isim-02")) {
    for (std::size_t i = 0; i < 2; ++i) {
      PagedMemory memory(one->at("inputs").at("blocks").at(i), one->at("inputs").at("block_size"));
      Sequence sequence;
      CHECK(grown(memory, sequence, one->at("inputs").at("add")) == one->at("expected").at("ok").at(i));
    }
  }
  if (peer_case("isim-04")) {  // holds 2 full blocks, the pool is full; then another is evicted
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
  if (const auto one = peer_case("isim-07")) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t free = one->at("inputs").at("free").at(i);
      PagedMemory memory(1 + free, 4);
      Sequence holder;
      REQUIRE(grown(memory, holder, 4));
      Sequence sequence;
      CHECK(grown(memory, sequence, 1) == one->at("expected").at("ok").at(i));
    }
  }
}

TEST_CASE("isim-12, isim-14, isim-16: no admission after an eviction, the budget, and no second look at a victim") {
  if (const auto one = peer_case("isim-12")) {  // two run, one of them must be evicted; a small one waits
    std::vector<Request> requests = alike(2, 16, 4);
    request(requests, 1, 1, 1);
    watch_every_engine<Played>(server_of({{"block_size", 16}, {"blocks", 2}}), requests, [&](const Played& played) {
      CHECK(played.rows()[1].preempted == "b");
      CHECK(played.rows()[1].waiting == "b c");
      CHECK(played.running[1] == 1 + one->at("expected").at("admitted").get<std::int64_t>());
    });
  }
  if (const auto one = peer_case("isim-14")) {
    watch_every_engine<Played>(
        server_of(one->at("inputs")), prompts(one->at("inputs").at("prompts"), 4), [&](const Played& played) {
          CHECK(played.tokens[0] == one->at("expected").at("chunked").get<std::vector<std::int64_t>>());
          CHECK(played.scheduled_tokens[0] == one->at("expected").at("total"));
          CHECK(played.rows()[0].waiting == "c");
        });
  }
  if (const auto one = peer_case("isim-16")) {
    const ServerConfig config = server_of(one->at("inputs"));
    watch_every_engine<Played>(config, prompts(one->at("inputs").at("prompts"), 4), [&](const Played& played) {
      CHECK(played.rows()[1].scheduled == "a1 b1");
      CHECK(played.rows()[1].preempted == "c");
      CHECK(config.usable_blocks - played.rows()[1].free_blocks == one->at("expected").at("used"));
    });
  }
}

TEST_CASE("isim-17: thirty long answers end after a bounded number of evictions") {
  const auto one = peer_case("isim-17");
  if (!one) return;
  static const GridCost step(std::chrono::milliseconds(20));
  ServerConfig config = server_of(one->at("inputs").is_object() ? one->at("inputs") : json::object());
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
  if (peer_case("isim-19")) {
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
      watch_every_engine<Played>(config, requests, [&](const Played& played) { victim = played.rows()[2].preempted; });
      return victim;
    };
    CHECK(first_victim({7, 1, 2}) == "a");
    CHECK(first_victim({5, 1, 5}) == "c");
    CHECK(first_victim({1, 3, 2}) == "b");
  }
  if (const auto one = peer_case("isim-21")) {
    // Class -3 is the least urgent there. The critical one gets half its prompt's blocks, then needs those of both others.
    ServerConfig config = server_of(one->at("inputs"));
    config.scheduler.policies.queue_order = "priority";
    config.scheduler.reserve_full_isl = false;
    config.scheduler.max_num_batched_tokens = 34;
    std::vector<Request> requests;
    request(requests, 1, 9, 0, 3);
    request(requests, 1, 9, 0, 2);
    request(requests, 64, 1, 1, 0);
    request(requests, 1, 1, 2, 1);  // waits, and is not admitted in the pass that evicts
    watch_every_engine<Played>(config, requests, [](const Played& played) {
      CHECK(played.rows()[1].scheduled == "b1 a1 c32");
      CHECK(played.rows()[2].preempted == "a b");
      CHECK(played.rows()[2].scheduled == "c32");
      CHECK(played.rows()[2].free_blocks == 0);
      CHECK(played.rows()[2].waiting == "d b a");
    });
  }
  if (const auto one = peer_case("isim-22")) {
    ServerConfig config = server_of({{"block_size", 4}, {"blocks", 3}});
    config.scheduler.policies.queue_order = "priority";
    watch_every_engine<Played>(config, alike(1, 20, 1), [&](const Played& played) {
      CHECK(config.usable_blocks - played.rows()[0].free_blocks == one->at("expected").at("used"));
      CHECK(played.run().watchdog != "");
    });
  }
}

TEST_CASE("isim-24, isim-26, isim-27: a prompt that fills the model is refused, and an answer ends at its limit") {
  if (const auto one = peer_case("isim-24")) {
    ServerConfig config = server_of(json::object());
    config.max_model_len = one->at("inputs").at("max_model_len");
    std::vector<Request> requests;
    for (const json& entry : one->at("inputs").at("requests")) request(requests, entry.at(0), entry.at(1));
    watch_every_engine<Played>(config, requests, [](const Played& played) {
      CHECK(played.endings().find("a rejected (prompt reaches max_model_len)") != std::string::npos);
      CHECK(played.endings().find("b completed") != std::string::npos);
      // That peer drops the third at once; here, as in isim-27, its answer is cut where the model ends.
      CHECK(played.outputs == std::vector<std::int64_t>{0, 212, 312});
    });
  }
  if (const auto one = peer_case("isim-26")) {
    ServerConfig config = server_of(json::object());
    config.scheduler.long_prefill_token_threshold = one->at("inputs").at("chunk");
    config.max_model_len = 512;
    std::vector<Request> requests;
    request(requests, one->at("inputs").at("prompt"), one->at("inputs").at("output"));
    watch_every_engine<Played>(
        config, requests, [&](const Played& played) { CHECK(played.outputs[0] == one->at("expected").at("outputs")); });
  }
  if (const auto one = peer_case("isim-27")) {
    for (std::size_t i = 0; i < 2; ++i) {
      const json& entry = one->at("inputs").at("cases").at(i);
      ServerConfig config = server_of(json::object());
      config.max_model_len = entry.at("max_model_len");
      std::vector<Request> requests;
      request(requests, entry.at("prompt"), entry.value("output", 5));
      watch_every_engine<Played>(config, requests, [&](const Played& played) {
        CHECK(played.outputs[0] == one->at("expected").at("outputs").at(i));
      });
    }
  }
}

}  // namespace decodesim::tests
