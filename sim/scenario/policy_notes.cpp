#include "sim/scenario/policy_notes.hpp"

#include "sim/core/check.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/predictor.hpp"

namespace decodesim {

std::string victim_rule(const SchedulerSpec& scheduler) {
  if (scheduler.policies.victim) return *scheduler.policies.victim;
  const EngineRow* engine = find_engine(scheduler.engine);
  check(engine != nullptr, "a loaded scenario has an engine");
  return std::string(own_policy(*engine, "victim"));
}

std::vector<std::string> oracles_of(const SchedulerSpec& scheduler) {
  std::vector<std::string> list;
  if (goes_by_length(scheduler) && is_oracle(scheduler.predictor)) {
    std::string kind = "exactly";
    if (scheduler.predictor.kind == PredictorKind::lognormal) kind = "with a lognormal error";
    if (scheduler.predictor.kind == PredictorKind::buckets) kind = "up to a power of two";
    list.push_back("how many tokens each request will generate, " + kind);
  }
  if (engine_reads(scheduler.engine, "reservation")) {
    if (scheduler.reservation == Reservation::oracle) list.emplace_back("the final length that it reserves memory for");
    if (scheduler.reservation == Reservation::power_of_two)
      list.emplace_back("the power of two above the final length, which it reserves memory for");
  }
  return list;
}

std::string oracle_warning(const std::string& oracle) {
  return "the scheduler is an oracle: it knows " + oracle + ", as no real server can";
}

}  // namespace decodesim
