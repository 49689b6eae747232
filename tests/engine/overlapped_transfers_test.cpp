// Transfers that a step waits for, and transfers that run beside it, on both engines.

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/report/victims.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

namespace {

using std::chrono::milliseconds;

/// Steps of a second, and a block that takes so long on its way to the host or back.
ServerConfig server(milliseconds a_block, bool beside_step) {
  ServerConfig config = server_on_seconds(5, 4);
  config.grid_step = {};
  config.scheduler.engine = "vllm-v0";
  config.scheduler.vllm_v0.preemption_mode = PreemptionMode::swap;
  config.scheduler.enable_chunked_prefill = false;
  config.scheduler.max_num_batched_tokens = 32;
  config.scheduler.max_num_seqs = 4;
  config.host_blocks = 100;
  config.host.block_bytes = Bytes(static_cast<double>(a_block.count()) * 1e6);
  config.host.bandwidth = BytesPerSecond(1e9);
  config.host.beside_step = beside_step;
  return config;
}

const std::vector<Request> three = three_growing();

/// The steps that moved something, and what it came to for each request.
class Moves : public Observer {
 public:
  void step(const StepFacts& facts) override {
    victims_.step(facts);
    if (facts.swaps.empty()) {
      CHECK(facts.end - facts.start == std::chrono::seconds(1));
      return;
    }
    text += std::to_string(facts.number) + ":";
    for (const SwapFacts& one : facts.swaps)
      text += " " + one.request->id + (one.out ? " out " : " in ") + std::to_string(one.blocks);
    text += ", lasts " + std::to_string((facts.end - facts.start) / milliseconds(1)) + " waits " +
            std::to_string(facts.ledger.of(TimePart::transfers) / milliseconds(1)) + " beside " +
            std::to_string(facts.ledger.hidden_transfers / milliseconds(1)) + "\n";
  }
  void ended(const RequestFacts& facts) override { accounts[facts.request->id] = victims_.ended(facts); }
  std::string text;
  std::map<std::string, EvictionAccount> accounts;

 private:
  Victims victims_;
};

}  // namespace

TEST_CASE("a step waits for what it moves to the host and back") {
  watch_every_engine<Moves>(server(milliseconds(400), false), three, [](const Moves& moves) {
    CHECK(moves.text ==
          "2: C out 1, lasts 1400 waits 400 beside 0\n"
          "4: B out 2, lasts 1800 waits 800 beside 0\n"
          "8: B in 2 C in 1, lasts 2200 waits 1200 beside 0\n"
          "10: C out 2, lasts 1800 waits 800 beside 0\n"
          "11: C in 2, lasts 1800 waits 800 beside 0\n");
    CHECK(moves.accounts.at("B").transfers == TransferTime{milliseconds(1600), milliseconds(1600)});
    CHECK(moves.accounts.at("C").transfers == TransferTime{milliseconds(2400), milliseconds(2400)});
  });
}

TEST_CASE("beside its computing, a step waits only for what transfers take longer") {
  watch_every_engine<Moves>(server(milliseconds(400), true), three, [](const Moves& moves) {
    CHECK(moves.text ==
          "2: C out 1, lasts 1000 waits 0 beside 400\n"
          "4: B out 2, lasts 1000 waits 0 beside 800\n"
          "8: B in 2 C in 1, lasts 1200 waits 200 beside 1000\n"
          "10: C out 2, lasts 1000 waits 0 beside 800\n"
          "11: C in 2, lasts 1000 waits 0 beside 800\n");
    // Of the 200 ms two thirds are B's, whose blocks are two of three, rounded to whole nanoseconds.
    const EvictionAccount& b = moves.accounts.at("B");
    CHECK(b.transfers == TransferTime{milliseconds(1600), Duration(133'333'333)});
    CHECK(b.swapped_out_blocks == 2);
    CHECK(b.swapped_in_blocks == 2);
    const EvictionAccount& c = moves.accounts.at("C");
    CHECK(c.transfers == TransferTime{milliseconds(2400), Duration(66'666'667)});
    CHECK(c.swapped_out_blocks == 3);
    CHECK(c.swapped_in_blocks == 3);
    CHECK(moves.accounts.at("A") == EvictionAccount{});
  });
}

TEST_CASE("a link that is slow beside the steps hides their computing, not the other way round") {
  watch_every_engine<Moves>(server(milliseconds(3000), true), three, [](const Moves& moves) {
    CHECK(moves.text ==
          "2: C out 1, lasts 3000 waits 2000 beside 1000\n"
          "4: B out 2, lasts 6000 waits 5000 beside 1000\n"
          "8: B in 2 C in 1, lasts 9000 waits 8000 beside 1000\n"
          "10: C out 2, lasts 6000 waits 5000 beside 1000\n"
          "11: C in 2, lasts 6000 waits 5000 beside 1000\n");
  });
}

}  // namespace decodesim::tests
