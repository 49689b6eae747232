#include "sim/scenario/class_slos.hpp"

#include "sim/workload/generators/request_draws.hpp"

namespace decodesim {

std::map<std::string, SloSpec> class_slos(const SloSpec& slo, const WorkloadSpec& workload) {
  std::map<std::string, SloSpec> slos;
  const auto state = [&](const std::string& slo_class, const auto& limits) {
    slos[slo_class] = {.ttft_p99 = limits.ttft_p99, .tpot_p99 = limits.tpot_p99, .e2el_p99 = limits.e2el_p99};
  };
  for (const ClassSloSpec& one : slo.classes) state(one.slo_class, one);
  const ClientSpec common = common_client(workload);
  for (const ClientSpec& client : workload.clients) {
    if (client.slo != LatencyLimits{}) state(completed_client(client, common).slo_class, client.slo);
  }
  return slos;
}

}  // namespace decodesim
