// Cases of the tests of vLLM and of peer simulators about its V1 scheduler, on both engines: without prefix caching or
// asynchronous scheduling. Numbers come from the file; what it says in prose is spelled out here.

#include "tests/engine/peer_vllm_v1.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/scenario/load.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/played_run.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

using Steps = std::vector<std::vector<std::int64_t>>;

}  // namespace

TEST_CASE("v1-sched-01, v1-sched-12, v1-sched-21: all start that the budget and the places allow") {
  if (const auto one = peer_case("v1-sched-01")) {  // 10 of 10 tokens
    watch_every_engine<Played>(server_of(one->at("inputs")), alike(10, 10, 4), [&](const Played& played) {
      CHECK(played.tokens[0] == std::vector<std::int64_t>(10, 10));
      CHECK(played.running[0] == one->at("expected").at("running"));
    });
  }
  if (const auto one = peer_case("v1-sched-12")) {  // 3 of 50
    watch_every_engine<Played>(server_of(one->at("inputs")), alike(3, 50, 4), [&](const Played& played) {
      CHECK(played.running[0] == one->at("expected").at("running"));
      CHECK(played.rows()[0].waiting == "c");
    });
  }
  if (const auto one = peer_case("v1-sched-21")) {  // 4 of 10
    watch_every_engine<Played>(server_of(one->at("inputs")), alike(4, 10, 4), [](const Played& played) {
      CHECK(played.tokens[0] == std::vector<std::int64_t>(4, 10));
    });
  }
}

TEST_CASE("v1-sched-02, v1-sched-19: long prompts share the budget by the threshold") {
  if (const auto one = peer_case("v1-sched-02")) {  // 3 of 800
    watch_every_engine<Played>(server_of(one->at("inputs")), alike(3, 800, 4), [&](const Played& played) {
      CHECK(Steps(played.tokens.begin(), played.tokens.begin() + 3) == one->at("expected").at("steps").get<Steps>());
    });
  }
  if (const auto one = peer_case("v1-sched-19")) {  // 2 of (200, 4)
    watch_every_engine<Played>(server_of(one->at("inputs")), alike(2, 200, 4), [&](const Played& played) {
      CHECK(played.tokens[0] == one->at("expected").at("tokens").get<std::vector<std::int64_t>>());
    });
  }
}

TEST_CASE("v1-sched-04: a decode that finds no block evicts the last admitted") {
  const auto one = peer_case("v1-sched-04");  // 2 of 80
  if (!one) return;
  watch_every_engine<Played>(server_of(one->at("inputs")), alike(2, 80, 4), [&](const Played& played) {
    CHECK(played.tokens[0] == one->at("expected").at("step1").get<std::vector<std::int64_t>>());
    CHECK(played.rows()[1].scheduled == "a1");
    CHECK(played.rows()[1].preempted == "b");
  });
}

TEST_CASE("v1-sched-06, v1-sched-07: the least urgent makes room, and resumes in one step that samples") {
  for (const char* id : {"v1-sched-06", "v1-sched-07"}) {
    const auto one = peer_case(id);
    if (!one) return;
    CAPTURE(id);
    ServerConfig config = server_of(one->at("inputs"));
    config.scheduler.policies.queue_order = "priority";
    std::vector<Request> requests;
    for (const json& entry : one->at("inputs").at("requests"))
      request(requests, entry.at("prompt"), 6, entry.at("arrival"), entry.at("prio"));
    watch_every_engine<Played>(config, requests, [&](const Played& played) {
      CHECK(played.rows()[2].preempted == "a");
      CHECK(played.rows()[2].scheduled == "b1");
      if (!one->at("expected").contains("resume_tokens")) return;
      CHECK(played.rows()[1].free_blocks == one->at("expected").at("free_after_step2"));
      const std::int64_t resumed = one->at("expected").at("resume_tokens");
      std::size_t row = 3;
      while (row < played.rows().size() && played.rows()[row].scheduled != "a" + std::to_string(resumed)) ++row;
      REQUIRE(row + 1 < played.rows().size());
      CHECK(played.rows()[row + 1].scheduled == "a1");
      CHECK(played.outputs == std::vector<std::int64_t>{6, 6});
    });
  }
}

TEST_CASE(
    "v1-sched-09, v1-sched-11: KV from elsewhere takes its blocks as it is loaded, and leaves room for the rest") {
  if (const auto one = peer_case("v1-sched-09")) {  // 2 of 24, of which 8 are elsewhere
    std::vector<Request> requests = alike(2, 24, 4);
    for (Request& request : requests) {
      request.remote_tokens = one->at("inputs").at("remote_match");
      request.load_time = std::chrono::seconds(1);
    }
    watch_every_engine<Played>(server_of(one->at("inputs")), requests, [&](const Played& played) {
      CHECK(played.rows()[0].loads == "a b");  // which there are in place at once
      CHECK(played.tokens[1] == one->at("expected").at("step1").get<std::vector<std::int64_t>>());
      CHECK(played.rows()[1].waiting == "b");
      const std::int64_t at_end = one->at("expected").at("free_at_end");
      CHECK(std::count(played.rows().back().free_queue.begin(), played.rows().back().free_queue.end(), ',') + 1 ==
            at_end);
      CHECK(played.outcomes == std::vector<Outcome>(2, Outcome::completed));
    });
  }
  if (const auto one = peer_case("v1-sched-11")) {
    std::vector<Request> requests = prompts(one->at("inputs").at("requests"), 4);
    for (Request& request : requests) {
      request.remote_tokens = one->at("inputs").at("remote_match");
      request.load_time = std::chrono::seconds(3);
    }
    watch_every_engine<Played>(server_of(one->at("inputs")), requests, [&](const Played& played) {
      CHECK(played.rows()[0].loads == "a");
      CHECK(played.rows()[0].held == "a[1,2,3,4]");
      CHECK(played.rows()[2].waiting == "a b");
      CHECK(played.preemptions == std::vector<std::int64_t>(2, one->at("expected").at("preemptions")));
    });
  }
}

TEST_CASE("v1-sched-14: all blocks are free at the end") {
  const auto one = peer_case("v1-sched-14");  // 5 of (10, max 10)
  if (!one) return;
  const ServerConfig config = server_of(one->at("inputs"));
  std::vector<Request> requests = alike(5, 10, 10);
  request(requests, 1, 1, 60);  // its first pass finds what the others left
  watch_every_engine<Played>(config, requests, [&](const Played& played) {
    CHECK(played.rows().back().free_blocks == config.usable_blocks - 1);
  });
}

TEST_CASE(
    "v1-sched-22, v1-sched-24, v1-sched-26: the null block and a state group leave less than the start-up check asks") {
  // The state group's 5 blocks are taken off the pool of the one sequence that runs.
  const std::int64_t state_blocks = 5;
  const auto config_of = [&](const json& inputs, std::int64_t num_gpu_blocks) {
    ServerConfig config = server_of(inputs);
    config.num_blocks = num_gpu_blocks - state_blocks;
    config.usable_blocks = config.num_blocks - 1;
    config.max_model_len = inputs.at("max_model_len");
    config.scheduler.never_fits = NeverFits::reject;
    return config;
  };
  if (const auto one = peer_case("v1-sched-22")) {
    const std::vector<std::int64_t> servable{1008, 1023};  // the last token of 1024 needs no KV
    for (std::size_t i = 0; i < servable.size(); ++i) {
      const std::int64_t blocks = one->at("inputs").at("num_gpu_blocks").at(i);
      CAPTURE(blocks);
      std::vector<Diagnostic> warnings;
      load_scenarios_text("version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: " +
                              std::to_string(blocks - state_blocks) +
                              "}\nscheduler: {max_model_len: 1024, startup_check: strict}\n"
                              "workload: {num_requests: 1, input_tokens: 5, output_tokens: 2}\n",
                          "peer.yaml", ".", {}, warnings);  // throws where the server would refuse to start
      for (std::int64_t prompt : {servable[i], servable[i] + 1}) {
        std::vector<Request> requests;
        request(requests, prompt, 1);
        watch_every_engine<Played>(config_of(one->at("inputs"), blocks), requests, [&](const Played& played) {
          CHECK(played.outcomes[0] == (prompt == servable[i] ? Outcome::completed : Outcome::rejected));
        });
      }
    }
  }
  if (const auto one = peer_case("v1-sched-24")) {
    // A server that lowers max_model_len to what it can serve refuses the prompt without room for an output.
    ServerConfig config = config_of(one->at("inputs"), one->at("inputs").at("num_gpu_blocks"));
    config.max_model_len = config.usable_blocks * config.block_size;
    watch_every_engine<Played>(config, prompts(one->at("inputs").at("prompts"), 1), [](const Played& played) {
      CHECK(played.outcomes == std::vector<Outcome>{Outcome::rejected, Outcome::completed});
      CHECK(played.outputs == std::vector<std::int64_t>{0, 1});
      CHECK(played.most_cached == 1007);
      CHECK(played.preemptions == std::vector<std::int64_t>{0, 0});
    });
  }
  if (const auto one = peer_case("v1-sched-26")) {
    std::vector<Request> requests;
    request(requests, one->at("inputs").at("request").at("prompt"), one->at("inputs").at("request").at("max_new"));
    watch_every_engine<Played>(
        config_of(one->at("inputs"), one->at("inputs").at("num_gpu_blocks")), requests, [&](const Played& played) {
          CHECK(played.outputs[0] == one->at("expected").at("outputs"));
          CHECK(played.most_cached == one->at("expected").at("total_tokens").get<std::int64_t>() - 1);
          CHECK(played.preemptions[0] == one->at("expected").at("preemptions"));
        });
  }
}

TEST_CASE("dyn-v1-01, dyn-v1-03: a chunk takes its blocks alone, and a victim heads the queue") {
  if (const auto one = peer_case("dyn-v1-01")) {  // 2 of (8, 2)
    const ServerConfig config = server_of(one->at("inputs"));
    watch_every_engine<Played>(config, alike(2, 8, 2), [&](const Played& played) {
      CHECK(played.tokens[0] == one->at("expected").at("step1").get<std::vector<std::int64_t>>());
      CHECK(config.usable_blocks - played.rows()[0].free_blocks == one->at("expected").at("blocks_used"));
    });
  }
  if (const auto one = peer_case("dyn-v1-03")) {  // 2 of (8, 8), and one that waits
    std::vector<Request> requests = alike(2, 8, 8);
    request(requests, 9, 1, 2);
    watch_every_engine<Played>(server_of(one->at("inputs")), requests, [&](const Played& played) {
      const auto pass = one->at("expected").at("step_of_preemption").get<std::size_t>();
      CHECK(played.rows()[pass - 1].preempted == "b");
      CHECK(played.rows()[pass - 1].waiting == "b c");
      for (const ScheduleRow& row : played.rows())
        CHECK((row.pass == played.rows()[pass - 1].pass || row.preempted == ""));
    });
  }
}

TEST_CASE("il-04, il-07, il-12: eviction order, admission by the peak, a chunk that yields nothing") {
  if (const auto one = peer_case("il-04")) {  // a 32, b 32, late 16
    watch_every_engine<Played>(server_of(one->at("inputs")), prompts({32, 32, 16}, 4), [](const Played& played) {
      CHECK(played.rows()[0].scheduled == "a32 b32 c16");
      CHECK(played.rows()[1].scheduled == "a1");
      CHECK(played.rows()[1].preempted == "c b");
      CHECK(played.rows()[1].waiting == "b c");
    });
  }
  if (const auto one =
          peer_case("il-07")) {  // a pool of 100, two that need 60 each: an engine that reserves a whole life
    ServerConfig config = server_of({{"block_size", 1}, {"blocks", one->at("inputs").at("pool")}});
    config.num_blocks = config.usable_blocks;
    config.max_model_len = 60;
    config.scheduler.engine = "orca";
    watch_every_engine<Played>(config, alike(2, 40, 20), [&](const Played& played) {
      CHECK(played.running[0] == one->at("expected").at("admitted"));
      CHECK(played.rows()[0].waiting == "b");
      CHECK(played.preemptions == std::vector<std::int64_t>{0, 0});
    });
  }
  if (const auto one = peer_case("il-12")) {
    const std::int64_t prompt = one->at("inputs").at("prompt");
    watch_every_engine<Played>(server_of(one->at("inputs")), alike(1, prompt, 1), [&](const Played& played) {
      CHECK(played.tokens[0][0] == one->at("expected").at("step1"));
      CHECK(played.rows()[0].finished == "");  // its only token comes with the second chunk
      CHECK(played.rows()[1].finished == "a");
    });
  }
}

}  // namespace decodesim::tests
