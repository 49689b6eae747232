#include "sim/scenario/load_checks.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

class LoadChecks {
 public:
  LoadChecks(Reading& reading, const DocumentNode& tree, const Scenario& scenario)
      : reading_(reading),
        tree_(tree),
        scenario_(scenario),
        policies_(scenario.scheduler.policies),
        engine_(*find_engine(scenario.scheduler.engine)) {}

  void all() {
    const HostCacheSpec& host = scenario_.memory.host_cache;
    if (host.on() && host.load == HostLoad::async) fits(place_of(tree_, "memory.host_cache.load"), "'load: async'");
    if (scenario_.scheduler.defer_frees) {
      keeps_blocks(place_of(tree_, "scheduler.defer_frees"),
                   "'scheduler.defer_frees' keeps blocks that nobody holds from being free");
    }
    if (scenario_.scheduler.drop_in_flight) {
      takes(place_of(tree_, "scheduler.drop_in_flight"), "'scheduler.drop_in_flight' takes tokens back", "kv_fate",
            policies_.kv_fate, {"dropped"});
    }
    const std::vector<Request>& requests = scenario_.workload.requests;
    for (std::size_t i = 0; i < requests.size() && !reading_.is_full(); ++i) {
      if (requests[i].remote_tokens > 0) remote(requests[i], i);
    }
  }

 private:
  void remote(const Request& request, std::size_t index) {
    const DocumentNode* list = tree_.find("workload")->find("requests");  // not there in an entry of a file
    const Position place =
        list == nullptr ? place_of(tree_, "workload") : place_of(list->items[index], "remote_tokens");
    const std::string path = "'workload.requests[" + std::to_string(index) + "].remote_tokens'";
    if (request.remote_tokens > request.input_tokens) {
      reading_.error(place, "out-of-range", path + " is above its input_tokens",
                     "only KV of the prompt is computed elsewhere: at most " + std::to_string(request.input_tokens));
    }
    if (request.no_prefix_read) {
      reading_.error(place, "contradiction",
                     path + " contradicts its 'no_prefix_read: true': who computes all of its prompt loads none of it",
                     "keep one of them");
    }
    if (told_) return;
    told_ = true;  // of the server, so once is enough
    if (!engine_reads(engine_.name, "remote_loads")) {
      return reading_.error(place, "unsupported",
                            "engine '" + std::string(engine_.name) + "' does not load KV from elsewhere: " + path +
                                " would have no effect",
                            "choose engine 'vllm-v1', or remove the key");
    }
    if (scenario_.serving.prefill == PrefillMode::arrives_computed) {
      reading_.error(place, "contradiction",
                     path + " has no effect where 'serving.prefill: arrives_computed' puts all KV in place",
                     "keep one of them");
    }
    if (scenario_.memory.host_cache.on()) {
      reading_.error(place, "contradiction",
                     path + " and 'memory.host_cache' exclude each other: a request loads from one place",
                     "keep one of them");
    }
    fits(place, path);
  }

  // A sequence that loads holds blocks and does not run, which only these policies reckon with.
  void fits(const Position& place, const std::string& what) {
    const std::string held = what + " lets requests hold blocks while they wait";
    takes(place, held, "queue_order", policies_.queue_order, {"fcfs", "priority"});
    keeps_blocks(place, held);
  }
  // Blocks that are neither free nor of who runs are seen by tests that look at the free ones.
  void keeps_blocks(const Position& place, const std::string& what) {
    takes(place, what, "admission", policies_.admission, {"whole-sequence", "first-chunk"});
    takes(place, what, "kv_fate", policies_.kv_fate, {"dropped"});
  }

  void takes(const Position& place, const std::string& what, std::string_view axis,
             const std::optional<std::string>& chosen, std::initializer_list<std::string_view> known) {
    const std::string_view policy = chosen ? *chosen : own_policy(engine_, axis);
    if (policy.empty() || std::find(known.begin(), known.end(), policy) != known.end()) return;
    std::string others;
    for (std::string_view name : known) others += (others.empty() ? "'" : " or '") + std::string(name) + "'";
    reading_.error(place, "unsupported",
                   what + ", which '" + std::string(axis) + ": " + std::string(policy) + "' does not reckon with",
                   "choose " + others);
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const Scenario& scenario_;
  const PolicyChoices& policies_;
  const EngineRow& engine_;
  bool told_ = false;
};

}  // namespace

void check_loads(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  if (find_engine(scenario.scheduler.engine) != nullptr) LoadChecks(reading, tree, scenario).all();
}

}  // namespace decodesim
