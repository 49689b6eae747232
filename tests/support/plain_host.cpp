#include "tests/support/plain_host.hpp"

namespace decodesim::tests {

bool PlainHost::takes(const PlainSequence& victim, const PlainSequence* requester, const std::string& own) const {
  const SchedulerSpec& knobs = server_.scheduler;
  const std::string fate = knobs.policies.kv_fate.value_or(own);
  const auto blocks = static_cast<std::int64_t>(victim.blocks.size());
  if (fate == "dropped" || victim.cached == 0 || blocks > free_) return false;
  // Who evicts itself for the last time leaves.
  if (knobs.never_fits == NeverFits::fail_after && &victim == requester &&
      victim.self_preemptions + 1 == knobs.fail_after) {
    return false;
  }
  if (fate == "swapped") return true;

  StepShape decode;
  decode.add(victim.cached, 1, server_.attention_clip);
  StepShape decode_and_again = decode;
  decode_and_again.add(0, victim.cached, server_.attention_clip);
  const Duration recompute = server_.cost->price(decode_and_again).duration() - server_.cost->price(decode).duration();
  return server_.host.time(blocks) + server_.host.time(blocks) < recompute;
}

}  // namespace decodesim::tests
