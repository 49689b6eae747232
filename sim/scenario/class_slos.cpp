#include "sim/scenario/class_slos.hpp"

#include "sim/workload/generators/request_draws.hpp"

namespace decodesim {

std::map<std::string, SloSpec> class_slos(const WorkloadSpec& workload) {
  std::map<std::string, SloSpec> slos;
  const ClientSpec common = common_client(workload);
  for (const ClientSpec& client : workload.clients) {
    if (client.slo == LatencyLimits{}) continue;
    const LatencyLimits& slo = client.slo;
    slos[completed_client(client, common).slo_class] = {slo.ttft_p99, slo.tpot_p99, slo.itl_p99, slo.e2el_p99};
  }
  return slos;
}

}  // namespace decodesim
