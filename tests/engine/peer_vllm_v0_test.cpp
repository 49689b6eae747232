// Cases of vLLM V0's own tests, by their ids: inputs and what is expected come from the file wherever it has them as numbers,
// and are spelled out beside the id where it has words.
//
// Of v0-13 the first two steps are taken, as its notes say.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/peer_cases.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

ServerConfig server(bool chunks, std::int64_t block_size, std::int64_t blocks, std::int64_t budget) {
  ServerConfig config = server_on_seconds(blocks, block_size);
  config.host_blocks = 1000;
  config.scheduler.engine = "vllm-v0";
  config.scheduler.enable_chunked_prefill = chunks;
  config.scheduler.max_num_batched_tokens = budget;
  config.scheduler.max_num_seqs = 64;
  config.scheduler.never_fits = NeverFits::hang;  // the engine has its own answer
  return config;
}

}  // namespace

TEST_CASE("v0-02: a place short of two newcomers takes the first") {
  const auto peer = peer_case("v0-02");
  if (!peer) return;
  const json& in = peer->at("inputs");
  ServerConfig config = server(false, in.at("block_size"), in.at("blocks"), 64);
  config.scheduler.max_num_seqs = in.at("max_seqs");
  const std::string expected = peer->at("expected").at("step3").at(0);
  on_every_engine(config, {request(0, "A", 4, 4), request(1, "B", 4, 4, 2), request(2, "C", 4, 4, 2)},
                  [&](const ScheduleTable& table) {
                    CHECK(table.rows()[1].scheduled == "A1");
                    CHECK(table.rows()[2].scheduled == expected + "4");
                    CHECK(table.rows()[2].waiting == "C");
                  });
}

TEST_CASE("v0-03: a prompt runs before who decodes, whose tokens the budget of prompts does not count") {
  const auto peer = peer_case("v0-03");
  if (!peer) return;
  const std::int64_t budget = peer->at("inputs").at("budget");
  ServerConfig config = server(false, 8, 50, budget);
  const std::string expected = peer->at("expected").at("step2").at(0);
  // B is as long as the budget; max_model_len stays above it, since a prompt of that length has no room for a token.
  on_every_engine(config, {request(0, "A", 1, 5), request(1, "B", budget, 2, 1)}, [&](const ScheduleTable& table) {
    CHECK(table.rows()[1].scheduled == expected + std::to_string(budget));
  });
}

TEST_CASE("v0-05 and v0-18: a prompt above max_model_len is turned away and costs nothing") {
  for (const char* id : {"v0-05", "v0-18"}) {
    const auto peer = peer_case(id);
    if (!peer) return;
    const json& in = peer->at("inputs");
    ServerConfig config = server(std::string(id) == "v0-18", 4, 100, in.value("budget", 100));
    config.max_model_len = in.at("max_model_len");
    CHECK(peer->at("expected").at("ignored") == 1);
    on_every_engine(config, {request(0, "A", in.at("prompt"), 2)}, [&](const ScheduleTable& table) {
      CHECK(table.rows().empty());
      CHECK(table.endings() == "A rejected (prompt reaches max_model_len) at 0 s\n");
    });
  }
}

TEST_CASE("v0-07: prompts are admitted up to the limit of sequences, those that run counted") {
  const auto peer = peer_case("v0-07");
  if (!peer) return;
  const std::int64_t prompt = peer->at("inputs").at("prompt");
  const std::int64_t places = peer->at("inputs").at("max_seqs");
  ServerConfig config = server(false, 8, 100, 1000);
  config.scheduler.max_num_seqs = places;
  const json& admitted = peer->at("expected").at("admitted");
  const json& tokens = peer->at("expected").at("tokens");
  const std::vector<Request> all{request(0, "A", prompt, 9), request(1, "B", prompt, 9), request(2, "C", prompt, 9)};
  class Shapes : public Observer {
   public:
    void step(const StepFacts& facts) override {
      chunks.push_back(facts.shape.chunks);
      chunk_tokens.push_back(facts.shape.chunk_tokens);
    }
    std::vector<std::int64_t> chunks;
    std::vector<std::int64_t> chunk_tokens;
  };
  watch_every_engine<Shapes>(config, all, [&](const Shapes& shapes) {
    // The first step starts from nobody, the second from two that run.
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(shapes.chunks[i] == admitted.at(i));
      CHECK(shapes.chunk_tokens[i] == tokens.at(i));
    }
  });
}

TEST_CASE("v0-08: prompts that do not fit now wait, and those that never fit are ignored") {
  const auto peer = peer_case("v0-08");
  if (!peer) return;
  const std::int64_t prompt = peer->at("inputs").at("prompt");
  CHECK(peer->at("expected").at("LATER") == "0 admitted, 3 waiting");
  CHECK(peer->at("expected").at("NEVER") == "3 ignored, 0 waiting");
  const std::vector<Request> three{request(1, "B", prompt, 2, 1), request(2, "C", prompt, 2, 1),
                                   request(3, "D", prompt, 2, 1)};
  std::vector<Request> later{request(0, "A", prompt, 3)};
  later.insert(later.end(), three.begin(), three.end());
  // LATER: 20 blocks of 4 hold A and nobody else.
  on_every_engine(server(false, 4, 20, 1000), later, [](const ScheduleTable& table) {
    CHECK(table.rows()[1].scheduled == "A1");
    CHECK(table.rows()[1].waiting == "B C D");
  });
  on_every_engine(server(false, 4, 10, 1000), three, [](const ScheduleTable& table) {
    CHECK(table.rows().back().waiting == "");
    CHECK(table.endings() ==
          "B cancelled (never fits the KV pool) at 2 s\nC cancelled (never fits the KV pool) at 2 s\n"
          "D cancelled (never fits the KV pool) at 2 s\n");
  });
}

TEST_CASE("v0-10: who does not fit now stays on the host, and who never will is dropped") {
  const auto peer = peer_case("v0-10");
  if (!peer) return;
  CHECK(peer->at("expected").at("LATER") == "both stay swapped");
  CHECK(peer->at("expected").at("NEVER") == "both dropped as infeasible");
  class Swapped : public Observer {
   public:
    void step(const StepFacts& facts) override { swapped.push_back(facts.swapped); }
    std::vector<std::int64_t> swapped;
  };
  ServerConfig config = server(false, 4, 5, 32);
  config.scheduler.vllm_v0.preemption_mode = PreemptionMode::swap;
  const std::vector<Request> three = three_growing();
  watch_every_engine<Swapped>(config, three, [](const Swapped& facts) {
    // Two are swapped out by the fourth step, and the two free blocks of the steps after it are too few for the older.
    CHECK(std::vector<std::int64_t>(facts.swapped.begin() + 3, facts.swapped.begin() + 7) ==
          std::vector<std::int64_t>{2, 2, 2, 2});
  });
  // Each fills the pool alone, is swapped out by itself, and would need a block more than there are to come back.
  config.usable_blocks = config.num_blocks = 2;
  on_every_engine(config, {request(0, "A", 7, 9), request(1, "B", 7, 9)}, [](const ScheduleTable& table) {
    CHECK(table.endings().find("A cancelled (can never come back from the host)") != std::string::npos);
    CHECK(table.endings().find("B cancelled (can never come back from the host)") != std::string::npos);
  });
}

TEST_CASE("v0-12: with prefix caching the budget is charged for what is not found") {
  const auto peer = peer_case("v0-12");
  if (!peer) return;
  const json& in = peer->at("inputs");
  CHECK(in.at("requests").at("A") == "8 tokens cached already");
  CHECK(in.at("requests").at("B") == "8 tokens, 4 shared");
  CHECK(in.at("requests").at("C") == "8 tokens, 4 shared");
  CHECK(peer->at("expected").at("caching_on") == "B and C both admitted (4 new tokens each... one cached block each)");
  CHECK(peer->at("expected").at("caching_off") == "one");
  std::vector<Request> requests{request(0, "A", 8, 1), request(1, "B", 8, 2, 1), request(2, "C", 8, 2, 1)};
  requests[0].content = {{1, 8}};
  requests[1].content = requests[2].content = {{1, 4}};
  ServerConfig config = server(false, in.at("block_size"), 20, in.at("budget"));
  for (bool caching : {true, false}) {
    config.prefix_caching = caching;
    on_every_engine(config, requests, [&](const ScheduleTable& table) {
      CHECK(table.rows()[1].scheduled == (caching ? "B4 C4" : "B8"));
      CHECK(table.rows()[1].waiting == (caching ? "" : "C"));
    });
  }
}

TEST_CASE("v0-13: a prompt that is cut keeps the next one waiting") {
  const auto peer = peer_case("v0-13");
  if (!peer) return;
  const json& in = peer->at("inputs");
  const json& steps = peer->at("expected").at("steps");
  CHECK(steps.at(0) == "A 4");
  CHECK(steps.at(1) == "A 4, B waits");
  const ServerConfig config = server(true, in.at("block_size"), 40, in.at("budget"));
  on_every_engine(config, {request(0, "A", 8, 2), request(1, "B", 8, 2, 1)}, [](const ScheduleTable& table) {
    CHECK(table.rows()[0].scheduled == "A4");
    CHECK(table.rows()[1].scheduled == "A4");
    CHECK(table.rows()[1].waiting == "B");
  });
}

TEST_CASE("v0-15: a step has its decode, the chunk that runs and the one that fits beside it") {
  const auto peer = peer_case("v0-15");
  if (!peer) return;
  const json& in = peer->at("inputs");
  const json& step = peer->at("expected").at("step2");
  const ServerConfig config = server(true, in.at("block_size"), in.at("blocks"), in.at("budget"));
  const std::int64_t prompt = in.at("prompts").at(0);
  const std::vector<Request> requests{request(0, "A", prompt, 5), request(1, "B", in.at("prompts").at(1), 5),
                                      request(2, "C", in.at("later").at(0), 5, 1),
                                      request(3, "D", in.at("later").at(1), 5, 1)};
  const std::string expected = "A" + std::to_string(step.at("decode").get<int>()) + " B" +
                               std::to_string(step.at("running_chunk").get<int>()) + " C" +
                               std::to_string(step.at("new_chunk").get<int>());
  on_every_engine(config, requests, [&](const ScheduleTable& table) { CHECK(table.rows()[1].scheduled == expected); });
}

TEST_CASE("v0-17: a prompt below max_model_len is cut at the budget") {
  const auto peer = peer_case("v0-17");
  if (!peer) return;
  const json& in = peer->at("inputs");
  ServerConfig config = server(true, in.at("block_size"), in.at("blocks"), in.at("budget"));
  config.max_model_len = in.at("max_model_len");
  const std::string expected = "A" + std::to_string(peer->at("expected").at("chunk").get<int>());
  on_every_engine(config, {request(0, "A", in.at("prompt"), 2)},
                  [&](const ScheduleTable& table) { CHECK(table.rows()[0].scheduled == expected); });
}

TEST_CASE("v0-20: a chunk that finds no room once is evicted, not taken in the same step, and begins anew") {
  const auto peer = peer_case("v0-20");
  if (!peer) return;
  const json& in = peer->at("inputs");
  const std::int64_t budget = in.at("budget");
  // The test makes the check fail once. Here a sequence of one block beside the prompt's does it, and takes a token of each
  // of the steps but the last.
  const ServerConfig config = server(true, in.at("block_size"), 16, budget + 1);
  std::vector<std::int64_t> expected;
  for (const json& tokens : peer->at("expected").at("steps")) expected.push_back(tokens);
  on_every_engine(config, {request(0, "X", 1, 4), request(1, "R", in.at("prompt"), 2, 1)},
                  [&](const ScheduleTable& table) {
                    std::vector<std::int64_t> tokens;
                    for (std::size_t pass = 1; pass < 5; ++pass) {
                      const std::string& scheduled = table.rows()[pass].scheduled;
                      const std::size_t at = scheduled.find('R');
                      tokens.push_back(at == std::string::npos ? 0 : std::stoll(scheduled.substr(at + 1)));
                    }
                    CHECK(tokens == expected);
                    CHECK(table.rows()[2].preempted == "R");
                  });
}

TEST_CASE("v0-22: with prefix caching a chunk that is cut is whole blocks") {
  const auto peer = peer_case("v0-22");
  if (!peer) return;
  const json& in = peer->at("inputs");
  const json& chunks = peer->at("expected").at("chunks");
  ServerConfig config = server(true, in.at("block_size"), 100, in.at("budget"));
  config.prefix_caching = in.at("prefix_caching");
  const std::vector<Request> requests{request(0, "A", in.at("prompts").at(0), 2),
                                      request(1, "B", in.at("prompts").at(1), 2)};
  const std::string expected =
      "A" + std::to_string(chunks.at(0).get<int>()) + " B" + std::to_string(chunks.at(1).get<int>());
  on_every_engine(config, requests, [&](const ScheduleTable& table) { CHECK(table.rows()[0].scheduled == expected); });
}

TEST_CASE("v0-23: never, later or now, by the blocks of a prompt and the watermark") {
  const auto peer = peer_case("v0-23");
  if (!peer) return;
  const json& in = peer->at("inputs");
  const std::int64_t block_size = in.at("block_size");
  for (std::int64_t blocks : in.at("blocks")) {
    for (double share : in.at("watermark")) {
      const auto watermark = static_cast<std::int64_t>(share * static_cast<double>(blocks));
      for (std::int64_t need = 1; need <= blocks + 1; ++need) {
        ServerConfig config = server(false, block_size, blocks, 100'000);
        config.max_model_len = 100'000;
        config.scheduler.watermark = share;
        const bool never = blocks - need < watermark;
        const bool later = !never && blocks - 1 - need < watermark;
        // A block is held by somebody while the prompt of `need` blocks comes.
        const std::vector<Request> requests{request(0, "A", 1, 4), request(1, "P", (need - 1) * block_size + 1, 1, 1)};
        CAPTURE(blocks);
        CAPTURE(watermark);
        CAPTURE(need);
        on_every_engine(config, requests, [&](const ScheduleTable& table) {
          const ScheduleRow& row = table.rows()[1];
          CHECK((table.endings().find("P cancelled (never fits") != std::string::npos) == never);
          CHECK((row.waiting == "P") == later);
          CHECK((row.scheduled.find('P') != std::string::npos) == (!never && !later));
        });
      }
    }
  }
}

TEST_CASE("v0-25: tokens that are appended take the blocks that they start") {
  const auto peer = peer_case("v0-25");
  if (!peer) return;
  CHECK(peer->at("expected").at("new_blocks") == "ceil((P+k+L)/B) - ceil(P/B)");
  for (std::int64_t block_size : {1, 4, 16}) {
    for (std::int64_t prompt : {1, 4, 15, 16, 17}) {
      constexpr std::int64_t appended = 20;
      const ServerConfig config = server(false, block_size, 100, 1000);
      const auto blocks_of = [&](std::int64_t tokens) { return (tokens + block_size - 1) / block_size; };
      on_every_engine(config, {request(0, "A", prompt, appended + 1)}, [&](const ScheduleTable& table) {
        const std::int64_t at_first = 100 - table.rows()[0].free_blocks;
        for (std::int64_t k = 1; k <= appended; ++k) {
          const std::int64_t now = 100 - table.rows()[static_cast<std::size_t>(k)].free_blocks;
          CHECK(now - at_first == blocks_of(prompt + k) - blocks_of(prompt));
        }
      });
    }
  }
}

}  // namespace decodesim::tests
