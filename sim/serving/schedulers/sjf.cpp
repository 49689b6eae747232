// Shortest job first without preemption: who is predicted to generate the fewest tokens is next, and nobody loses its
// place, since prompt and declared maximum are set aside at admission.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/running_first.hpp"

namespace decodesim {

EngineParts make_sjf(const ServerConfig& server) {
  return make_running_first(server, {.queue_order = "sjf", .admission = "prompt-and-max", .victim = "last-admitted"});
}

}  // namespace decodesim
