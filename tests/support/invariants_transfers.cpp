// What must hold of KV that moves to the host and back.

#include <algorithm>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

/// Who is on the host once those are told who were given up there, whose room others may have taken in the same pass.
void InvariantChecker::check_host_room() {
  std::int64_t on_host = 0;
  std::int64_t swapped = 0;
  for (const auto& [index, life] : lives_) {
    if (life.state != State::swapped) continue;
    ++swapped;
    on_host += life.host_blocks;
  }
  require(swapped <= swapped_told_, "who is not told to be on the host is not there");
  require(on_host <= server_.host_blocks, "the host holds no more than it has room for");
}

void InvariantChecker::replay_transfers(const StepFacts& facts) {
  std::int64_t out_tokens = 0;
  std::int64_t out = 0;
  for (const EvictionFacts& told : facts.evictions) {
    if (told.fate != KvFate::swapped) continue;
    out_tokens += told.tokens;
    out += told.blocks;
  }
  std::int64_t in_tokens = 0;
  std::int64_t in = 0;
  for (const Request* request : facts.schedule->swapped_in) {
    Life& life = life_of(request);
    require(life.state == State::swapped, "only who is on the host comes back from it");
    enter_running(life);
    in_tokens += life.cached;
    in += life.host_blocks;
    life.untold_blocks = life.host_blocks;
    life.host_blocks = 0;
  }
  const auto swapped =
      std::count_if(lives_.begin(), lives_.end(), [](const auto& one) { return one.second.state == State::swapped; });
  require(facts.swapped <= swapped, "who is told to be on the host went there");
  swapped_told_ = facts.swapped;
  require(facts.swapped_out_tokens == out_tokens && facts.swapped_in_tokens == in_tokens,
          "tokens moved are those of who was swapped");
  require(facts.swapped_out_bytes == server_.host.bytes(out) && facts.swapped_in_bytes == server_.host.bytes(in),
          "bytes moved are those of the blocks");
  const bool tier = server_.host_cache.chunks > 0;
  const Duration swaps = server_.host.time(out) + server_.host.time(in);
  require(tier ? facts.transfer_time >= swaps : facts.transfer_time == swaps, "transfers take their price");
  const Bytes tier_bytes = facts.stored_bytes + facts.loaded_bytes;
  require(tier || tier_bytes == Bytes{}, "without a host tier nothing goes there");
  std::int64_t told_out = 0;
  std::int64_t told_in = 0;
  for (const SwapFacts& one : facts.swaps) (one.out ? told_out : told_in) += one.blocks;
  require(told_out == out && told_in == in, "the blocks swapped are somebody's");
  require(server_.host.bytes(facts.host_tier_blocks) == tier_bytes, "the other blocks are the host tier's");
  const Duration waited = facts.ledger.of(TimePart::transfers);
  require(facts.transfer_time == waited + facts.ledger.hidden_transfers, "transfers are waited for or overlap");
  const Duration alone = facts.end - facts.start - waited;
  const Duration longer = std::max(Duration{}, facts.transfer_time - alone);
  require(waited == (server_.host.beside_step ? longer : facts.transfer_time),
          "a step waits for its transfers, or for what they take longer than the rest of it");
  require(facts.ledger.of(ByteKind::host_transfer) ==
              facts.swapped_out_bytes + facts.swapped_in_bytes + facts.stored_bytes + facts.loaded_bytes,
          "the ledger has the transfers");
  require(facts.host_found_tokens <= facts.found_tokens + facts.found_again_tokens,
          "what the host had is among what was found");
}

}  // namespace decodesim::tests
