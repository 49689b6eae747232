// Fair shares by virtual token counters, with the admission of the artifact that came with the paper: the peak estimate,
// so that nobody is evicted. Its prompts go in passes of their own; here they share passes, as in the engines that
// followed.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/running_first.hpp"

namespace decodesim {

EngineParts make_vtc(const ServerConfig& server) {
  return make_running_first(server, {.queue_order = "fair", .admission = "peak-estimate", .victim = "last-admitted"});
}

}  // namespace decodesim
