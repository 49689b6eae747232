// vLLM V1: running sequences first, and who runs least urgently is evicted.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/running_first.hpp"

namespace decodesim {

EngineParts make_vllm_v1(const ServerConfig& server) {
  const SchedulerSpec& knobs = server.scheduler;
  // Under priorities the queue and the victims change together, as the engine's own option does it.
  const bool urgent_first = knobs.policies.queue_order == "priority";
  return make_running_first(server, {.queue_order = "fcfs",
                                     .admission = knobs.reserve_full_isl ? "whole-sequence" : "first-chunk",
                                     .victim = urgent_first ? "lowest-priority" : "last-admitted"});
}

}  // namespace decodesim
