// Schedules with a host tier below the device's prefix cache, on both engines.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"

namespace decodesim::tests {

namespace {

const ShapeCost price;

/// Eight blocks of four tokens; a block takes a millisecond on its way to the host or back.
ServerConfig server(HostCacheConfig cache) {
  ServerConfig config;
  config.usable_blocks = 8;
  config.num_blocks = 9;
  config.block_size = 4;
  config.prefix_caching = true;
  config.max_model_len = 1000;
  config.scheduler.max_num_batched_tokens = 64;
  config.scheduler.max_num_seqs = 4;
  config.cost = &price;
  config.host_cache = cache;
  config.host.block_bytes = Bytes(1e6);
  config.host.bandwidth = BytesPerSecond(1e9);
  return config;
}

Request request(std::int64_t index, std::int64_t input, std::int64_t shared, std::uint64_t key,
                std::int64_t arrival_s) {
  Request made{
      index, std::string(1, static_cast<char>('A' + index)), Time(std::chrono::seconds(arrival_s)), input, 1, 1, 0};
  if (shared > 0) made.content = {{key, shared}};
  return made;
}

/// What each step moved and by how much that lengthened it.
class Moves : public Observer {
 public:
  void step(const StepFacts& facts) override {
    text += "found " + std::to_string(facts.found_tokens) + " host " + std::to_string(facts.host_found_tokens) +
            " stored " + std::to_string(static_cast<std::int64_t>(facts.stored_bytes.value() / 1e6)) + " loaded " +
            std::to_string(static_cast<std::int64_t>(facts.loaded_bytes.value() / 1e6)) + " for " +
            std::to_string(facts.transfer_time / std::chrono::milliseconds(1)) + " ms\n";
    CHECK(facts.end - facts.start == facts.ledger.duration());
  }
  std::string text;
};

// A prompt of six blocks, one that takes the whole pool and so all that is cached, and the first again.
const std::vector<Request> requests{request(0, 24, 24, 1, 0), request(1, 32, 0, 0, 1), request(2, 24, 24, 1, 2)};

}  // namespace

TEST_CASE("what the device has forgotten comes back from the host, and the step waits for it") {
  watch_every_engine<ScheduleTable, Moves>(server({.chunks = 10, .chunk_blocks = 2, .write = HostWrite::through}),
                                           requests, [](const ScheduleTable& table, const Moves& moves) {
                                             // Of C's three chunks two leave a token to compute.
                                             CHECK(table.rows()[2].scheduled == "C8");
                                             CHECK(moves.text ==
                                                   "found 0 host 0 stored 6 loaded 0 for 6 ms\n"
                                                   "found 0 host 0 stored 8 loaded 0 for 8 ms\n"
                                                   "found 16 host 16 stored 0 loaded 4 for 4 ms\n");
                                           });
}

TEST_CASE("written on eviction, blocks go to the host when somebody takes their room") {
  watch_every_engine<ScheduleTable, Moves>(server({.chunks = 20, .chunk_blocks = 1, .write = HostWrite::on_evict}),
                                           requests, [](const ScheduleTable& table, const Moves& moves) {
                                             CHECK(table.rows()[2].scheduled == "C4");
                                             CHECK(moves.text ==
                                                   "found 0 host 0 stored 0 loaded 0 for 0 ms\n"
                                                   "found 0 host 0 stored 6 loaded 0 for 6 ms\n"
                                                   "found 20 host 20 stored 6 loaded 5 for 11 ms\n");
                                           });
}

TEST_CASE("blocks that the device still has are not loaded") {
  // B takes three blocks: the pool had two to spare, and the tail of A's chain is lost.
  std::vector<Request> shorter = requests;
  shorter[1] = request(1, 12, 0, 0, 1);
  watch_every_engine<ScheduleTable, Moves>(
      server({.chunks = 10, .chunk_blocks = 1, .write = HostWrite::through}), shorter,
      [](const ScheduleTable& table, const Moves& moves) {
        CHECK(table.rows()[2].scheduled == "C4");
        CHECK(moves.text.substr(moves.text.find("found 20")) == "found 20 host 0 stored 0 loaded 0 for 0 ms\n");
      });
}

TEST_CASE(
    "who has loaded and even an idle server refuses is given up with its blocks, and who stands behind it is served") {
  for (bool async : {false, true}) {
    CAPTURE(async);
    ServerConfig config = vllm_v1_on_seconds(2, 4, 64);
    config.scheduler.never_fits = NeverFits::fail_after;
    config.scheduler.fail_after = 3;
    config.scheduler.policies.admission = "first-chunk";
    config.scheduler.async = config.scheduler.defer_frees = async;
    std::vector<Request> requests{request(0, 9, 0, 0, 0), request(1, 7, 0, 0, 1)};
    requests[0].remote_tokens = 2;  // of nine that need three blocks
    requests[0].load_time = std::chrono::seconds(2);
    on_every_engine(config, requests, [](const ScheduleTable& table) {
      CHECK(table.run().watchdog.empty());
      CHECK(table.endings().find("A cancelled") == 0);
      CHECK(table.endings().find("B completed") != std::string::npos);
    });
  }
}

}  // namespace decodesim::tests
