#include "sim/scenario/slo_checks.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/core/suggest.hpp"
#include "sim/scenario/spec_place.hpp"
#include "sim/workload/generators/request_draws.hpp"

namespace decodesim {

namespace {

/// The classes that its requests may be of; meaningless for a trace.
std::set<std::string> classes_of(const WorkloadSpec& workload) {
  std::set<std::string> classes;
  if (workload.kind == WorkloadKind::requests) {
    for (const Request& request : workload.requests) classes.insert(request.slo_class);
  } else if (workload.clients.empty()) {
    classes.insert(workload.slo_class);
  } else {
    const ClientSpec common = common_client(workload);
    for (const ClientSpec& client : workload.clients) classes.insert(completed_client(client, common).slo_class);
  }
  return classes;
}

class ClassSloChecks {
 public:
  ClassSloChecks(Reading& reading, const DocumentNode& tree, const Scenario& scenario)
      : reading_(reading), tree_(tree), scenario_(scenario) {}

  void all() {
    if (const DocumentNode* slo = tree_.find("slo")) stated(SpecPlace(reading_, *slo, "slo"));
    if (const DocumentNode* workload = tree_.find("workload")) by_clients(SpecPlace(reading_, *workload, "workload"));
  }

 private:
  struct Stated {
    std::string path;  // where
    LatencyLimits limits;
  };

  void stated(const SpecPlace& slo) {
    const WorkloadSpec& workload = scenario_.workload;
    const std::set<std::string> known = classes_of(workload);
    const std::vector<ClassSloSpec>& list = scenario_.slo.classes;
    for (std::size_t i = 0; i < list.size() && !reading_.is_full(); ++i) {
      const ClassSloSpec& one = list[i];
      const SpecPlace place = slo.item("classes", i);
      const LatencyLimits limits{one.ttft_p99, one.tpot_p99, one.e2el_p99};
      if (limits == LatencyLimits{}) {
        place.error("", "missing-key", "'" + place.path() + "' states no limit", "add 'ttft_p99: 500 ms', for example");
      } else if (workload.kind != WorkloadKind::trace && !known.contains(one.slo_class)) {
        std::vector<std::string_view> names(known.begin(), known.end());
        std::erase(names, "");
        place.error("slo_class", "no-effect",
                    place.quoted("slo_class") + " is '" + one.slo_class + "', and no request is of that class",
                    names.empty() ? "give requests a class: 'workload: {slo_class: " + one.slo_class + "}', or clients"
                                  : suggestion(one.slo_class, names));
      }
      meet(place, "slo_class", one.slo_class, limits);
    }
  }

  void by_clients(const SpecPlace& workload) {
    if (scenario_.workload.kind != WorkloadKind::generator) return;
    const ClientSpec common = common_client(scenario_.workload);
    const std::vector<ClientSpec>& clients = scenario_.workload.clients;
    for (std::size_t i = 0; i < clients.size() && !reading_.is_full(); ++i) {
      if (clients[i].slo == LatencyLimits{}) continue;
      meet(workload.item("clients", i), "slo", completed_client(clients[i], common).slo_class, clients[i].slo);
    }
  }

  void meet(const SpecPlace& place, const std::string& key, const std::string& slo_class, const LatencyLimits& limits) {
    const auto [known, fresh] = met_.emplace(slo_class, Stated{place.path(), limits});
    if (fresh || known->second.limits == limits) return;
    place.error(key, "contradiction",
                "the limits of '" + place.path() + "' differ from those that '" + known->second.path +
                    "' states for the same SLO class '" + slo_class + "'",
                "state the limits of a class once, or give the requests classes of their own");
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const Scenario& scenario_;
  std::map<std::string, Stated> met_;
};

}  // namespace

void check_class_slos(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  ClassSloChecks(reading, tree, scenario).all();
}

}  // namespace decodesim
