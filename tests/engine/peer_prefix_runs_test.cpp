// Cases of the tests of vLLM and of peer simulators that are about whole runs with a prefix cache, on both engines.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

ServerConfig server(std::int64_t usable, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = vllm_v1_on_seconds(usable, block_size, budget);
  config.prefix_caching = true;
  config.max_model_len = 100'000;
  config.scheduler.max_num_seqs = 16;
  return config;
}

Request request(std::int64_t index, std::int64_t input, std::int64_t output, std::int64_t shared,
                std::int64_t arrival_s = 0) {
  Request made{index,
               std::string(1, static_cast<char>('a' + index)),
               Time(std::chrono::seconds(arrival_s)),
               input,
               output,
               output,
               0};
  if (shared > 0) made.content = {{1, shared}};
  return made;
}

}  // namespace

TEST_CASE("peers: of equal prompts in one step the second computes what no full block holds (v1-prefix-15)") {
  const auto peer = peer_case("v1-prefix-15");
  if (!peer) return;
  const json& expected = peer->at("expected");
  const std::int64_t block_size = peer->at("inputs").at("block_size");
  on_every_engine(server(40, block_size, 8192),
                  {request(0, 100, 2, 100), request(1, 100, 2, 100), request(2, 100, 2, 100, 4)},
                  [&](const ScheduleTable& table) {
                    CHECK(table.rows()[0].scheduled ==
                          "a" + expected.at("step1").at(0).dump() + " b" + expected.at("step1").at(1).dump());
                    CHECK(table.rows()[4].scheduled == "c" + expected.at("third").dump());
                  });
}

TEST_CASE("peers: a prompt whose beginning somebody holds needs room for its rest only (il-02)") {
  const auto peer = peer_case("il-02");
  if (!peer) return;
  const json& inputs = peer->at("inputs");
  on_every_engine(server(inputs.at("blocks"), inputs.at("block_size"), 8192),
                  {request(0, 64, 9, 48), request(1, 64, 2, 48, 1)}, [&](const ScheduleTable& table) {
                    CHECK(table.rows()[1].scheduled == "a1 b" + peer->at("expected").at("b_scheduled").dump());
                    CHECK(table.rows()[1].free_blocks == peer->at("expected").at("free"));
                  });
}

TEST_CASE("peers: long prompts that share a prefix all complete, with few evictions and some hits (isim-09)") {
  const auto peer = peer_case("isim-09");
  if (!peer) return;
  const json& inputs = peer->at("inputs");
  const std::vector<Request> requests{request(0, 2048, 100, 1024), request(1, 2048, 100, 1024),
                                      request(2, 2048, 100, 1024)};
  ServerConfig config = server(inputs.at("blocks"), inputs.at("block_size"), inputs.at("chunk"));
  config.scheduler.reserve_full_isl = false;
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    std::int64_t preemptions = 0;
    std::int64_t hits = 0;
    for (const ScheduleRow& row : table.rows()) {
      preemptions += row.preempted.empty() ? 0 : 1;
      hits += row.found.empty() ? 0 : 1;
    }
    CHECK(hits > 0);
    CHECK(preemptions <= 10);
    CHECK(table.endings().find("cancelled") == std::string::npos);
    CHECK(table.run().watchdog == "");
  });
}

TEST_CASE("peers: a look that leads to no admission counts nothing (isim-11)") {
  const auto peer = peer_case("isim-11");
  if (!peer) return;
  // b hits two of a's blocks, but for its others there is no room until a is gone.
  on_every_engine(server(6, 4, 64), {request(0, 12, 9, 8), request(1, 20, 2, 8, 1)}, [&](const ScheduleTable& table) {
    std::int64_t waited = 0;
    std::string found;
    for (const ScheduleRow& row : table.rows()) {
      waited += row.waiting.empty() ? 0 : 1;
      found += row.found;
    }
    CHECK(waited > 5);
    CHECK(found == "b8");
  });
}

}  // namespace decodesim::tests
