#include "sim/scenario/policy_checks.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

std::string quoted(std::string_view axis, std::string_view policy) {
  return "'scheduler." + std::string(axis) + ": " + std::string(policy) + "'";
}

class PolicyChecks {
 public:
  PolicyChecks(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler, const EngineRow& engine)
      : reading_(reading), tree_(tree), engine_(engine), scheduler_(scheduler), policies_(scheduler.policies) {}

  void all() {
    taken("queue_order", policies_.queue_order);
    taken("admission", policies_.admission);
    taken("victim", policies_.victim);
    taken("destination", policies_.destination);
    taken("kv_fate", policies_.kv_fate);
    taken("after_eviction", policies_.after_eviction);
    destination_fits_queue();
  }

 private:
  void taken(std::string_view axis, const std::optional<std::string>& chosen) {
    if (!chosen) return;
    const PolicyRow* policy = find_policy(axis, *chosen);
    if (policy == nullptr || engine_takes(engine_, *policy)) return;
    std::string others;
    for (std::string_view name : policy_names(axis)) {
      if (engine_takes(engine_, *find_policy(axis, name)))
        others += (others.empty() ? "" : ", ") + ("'" + std::string(name) + "'");
    }
    error(axis, "unsupported",
          "engine '" + std::string(engine_.name) + "' cannot work with " + quoted(axis, *chosen) + ", " +
              std::string(policy->doc),
          others.empty() ? "remove the key" : "it takes " + others);
  }

  // A sorted queue has one place for everybody, and one in order of arrival has no keys.
  void destination_fits_queue() {
    if (!policies_.destination) return;
    const std::string_view order = queue_order_of(scheduler_);
    const bool by_key = *policies_.destination == "by-key";
    if (sorts_queue(order) == by_key) return;
    const std::string meets = quoted("destination", *policies_.destination) + " contradicts " +
                              quoted("queue_order", order) + (policies_.queue_order ? "" : ", the engine's own") + ": ";
    if (by_key) {
      error("destination", "contradiction", meets + "nothing sorts that queue, so a victim has no key",
            "write 'head', 'tail' or 'same-place', or choose another 'queue_order'");
    } else {
      error("destination", "contradiction", meets + "that queue is sorted, and a victim has no place but its key's",
            "write 'by-key', or remove the key");
    }
  }

  void error(std::string_view axis, std::string code, std::string message, std::string help) {
    reading_.error(place_of(tree_, "scheduler." + std::string(axis)), std::move(code), std::move(message),
                   std::move(help));
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const EngineRow& engine_;
  const SchedulerSpec& scheduler_;
  const PolicyChoices& policies_;
};

}  // namespace

void check_policies(Reading& reading, const DocumentNode& tree, const SchedulerSpec& scheduler) {
  const EngineRow* engine = find_engine(scheduler.engine);
  if (engine != nullptr) PolicyChecks(reading, tree, scheduler, *engine).all();
}

}  // namespace decodesim
