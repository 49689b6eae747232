// What SGLang's own scheduler decided in recorded cases, pass by pass, against both engines.

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

ServerConfig server_of(const json& cfg) {
  ServerConfig server;
  server.block_size = cfg.value("page", 1);
  server.num_blocks = server.usable_blocks = cfg.at("pool").get<std::int64_t>() / server.block_size;
  server.max_model_len = 100'000;
  SchedulerSpec& scheduler = server.scheduler;
  scheduler.engine = "sglang";
  scheduler.max_num_seqs = cfg.value("max_running", 1'000);
  scheduler.never_fits = NeverFits::hang;
  scheduler.async = cfg.value("overlap", false);
  SglangKnobs& knobs = scheduler.sglang;
  knobs.chunked_prefill_size = cfg.value("chunk", 0);
  knobs.disable_radix_cache = !cfg.value("radix", false);
  knobs.max_prefill_tokens = cfg.value("max_prefill", 16384);
  knobs.enable_mixed_chunk = cfg.value("mixed", false);
  knobs.schedule_conservativeness = cfg.value("conservativeness", 1.0);
  knobs.enable_priority_scheduling = cfg.value("priority", false);
  knobs.priority_scheduling_preemption_threshold = cfg.value("threshold", 10);
  if (cfg.value("retraction_policy", "") == "priority") knobs.retraction_policy = SglangRetraction::priority;
  const std::map<std::string, SglangOrder> orders{{"fcfs", SglangOrder::fcfs},
                                                  {"lpm", SglangOrder::lpm},
                                                  {"dfs-weight", SglangOrder::dfs_weight},
                                                  {"lof", SglangOrder::lof},
                                                  {"random", SglangOrder::random}};
  knobs.schedule_policy = orders.at(cfg.value("policy", "fcfs"));
  server.cost = &one_second;
  server.grid_step = std::chrono::seconds(1);
  return server;
}

/// In the order of arrival. A prompt is content, token by token; token 100000 * (i + 1) + k is the k-th output token of the
/// i-th request, so it is of that request's own run.
std::vector<Request> requests_of(const json& list) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < list.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list[a].at("arr") < list[b].at("arr"); });
  std::vector<std::int64_t> place(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);

  std::vector<Request> requests;
  for (const std::size_t at : order) {
    const json& entry = list[at];
    Request request;
    request.index = static_cast<std::int64_t>(requests.size());
    request.id = entry.at("id").get<std::string>();
    request.arrival = Time(std::chrono::seconds(entry.at("arr").get<std::int64_t>()));
    request.input_tokens = static_cast<std::int64_t>(entry.at("prompt").size());
    request.max_tokens = entry.at("M");
    request.output_tokens = entry.value("O", request.max_tokens);
    request.priority = -entry.value("priority", 0);  // there the larger is more urgent
    request.ignore_eos = entry.value("ignore_eos", false);
    for (const json& token : entry.at("prompt")) {
      const auto id = token.get<std::uint64_t>();
      if (id < 100'000) {
        request.content.push_back({id, 1});
        continue;
      }
      const std::uint64_t key = own_run_key(place.at(id / 100'000 - 1));
      if (id % 100'000 == 0) request.content.push_back({key, 0});
      REQUIRE(request.content.back() == TokenRun{key, static_cast<std::int64_t>(id % 100'000)});
      ++request.content.back().tokens;
    }
    requests.push_back(request);
  }
  return requests;
}

/// The passes of a run in the words of the recorded cases. What the recording leaves out where it is empty is left out.
class Recorder : public Observer {
 public:
  Recorder(json first, bool overlaps)
      : initial_ratio_(first.at("new_token_ratio")), figures_(std::move(first)), overlaps_(overlaps) {}
  [[nodiscard]] bool wants_schedule() const override { return true; }

  void step(const StepFacts& facts) override {
    const ScheduleFacts& schedule = *facts.schedule;
    json pass;
    pass["t"] = facts.number;
    pass["tokens"] = json::object();
    std::map<std::string, std::int64_t> found;
    for (const auto& [request, tokens] : schedule.cached_tokens) found[request->id] = tokens;
    for (const Request* victim : schedule.preempted) computed_.erase(victim->id);
    bool prefills = false;
    bool decodes = false;
    const double continued = figures_.at("chunked_request");  // after the pass before
    for (const auto& [request, tokens] : schedule.scheduled) {
      pass["tokens"][request->id] = tokens;
      const auto known = computed_.find(request->id);
      const bool admitted = known == computed_.end();
      std::int64_t& computed = computed_[request->id];
      if (admitted) computed = found.count(request->id) > 0 ? found.at(request->id) : 0;
      const bool prefilling = admitted || static_cast<double>(request->index) == continued;
      (prefilling ? prefills : decodes) = true;
      if (prefilling && computed > 0) pass["hit"][request->id] = computed;
      computed += tokens;
    }
    pass["kind"] = prefills ? (decodes ? "M" : "P") : (decodes ? "D" : "-");
    if (!schedule.waiting.empty()) pass["waiting"] = ids(schedule.waiting);
    if (!schedule.preempted.empty()) pass["retracted"] = ids(schedule.preempted);
    if (!schedule.finished.empty()) pass["finished"] = ids(schedule.finished);
    figures_ = json::object();
    for (const auto& [name, value] : schedule.planned) figures_[std::string(name)] = value;
    add_figures(pass, false);
    const double chunked = figures_.at("chunked_request");
    for (const auto& [request, tokens] : schedule.scheduled) {
      if (static_cast<double>(request->index) == chunked) pass["chunked"] = request->id;
    }
    for (const auto& [name, value] : schedule.ended) figures_[std::string(name)] = value;
    add_figures(pass, true);
    passes_.push_back(pass);
  }
  void idle(std::int64_t first, std::int64_t count, Time, std::int64_t) override {
    for (std::int64_t t = first; t < first + count; ++t) {
      // No pass is told in which nobody is there, but the first of them resets the ratio at its end; with overlap the
      // second, since the first still has results to look at.
      if (t > first + (overlaps_ ? 1 : 0)) figures_["new_token_ratio"] = initial_ratio_;
      json pass{{"t", t}, {"kind", "-"}, {"tokens", json::object()}};
      add_figures(pass, false);
      add_figures(pass, true);
      passes_.push_back(pass);
    }
  }

  [[nodiscard]] const std::vector<json>& passes() const { return passes_; }

 private:
  static json ids(const std::vector<const Request*>& requests) {
    json list = json::array();
    for (const Request* request : requests) list.push_back(request->id);
    return list;
  }
  void add_figures(json& pass, bool end) const {
    const auto tokens = [&](const char* name) { return std::llround(figures_.at(name).get<double>()); };
    pass[end ? "free_end" : "free"] = tokens("available_tokens");
    pass[end ? "evictable_end" : "evictable"] = tokens("evictable_tokens");
    if (end) return;
    pass["full"] = figures_.at("batch_is_full").get<double>() != 0;
    pass["ratio"] = std::round(figures_.at("new_token_ratio").get<double>() * 1e9) / 1e9;
  }

  double initial_ratio_;
  json figures_;
  bool overlaps_;
  std::map<std::string, std::int64_t> computed_;
  std::vector<json> passes_;
};

}  // namespace

TEST_CASE("both engines decide what SGLang's own scheduler decided") {
  const auto path = shared_file("data/engine_cases/sglang.json");
  if (!path) return;
  std::ifstream file(*path);
  const json document = json::parse(file);
  int played = 0;
  for (const json& entry : document.at("cases")) {
    const json& cfg = entry.at("cfg");
    ++played;
    const std::string name = entry.at("name");
    const ServerConfig server = server_of(cfg);
    const std::vector<Request> requests = requests_of(entry.at("reqs"));
    for (const Engine& engine : engines()) {
      CAPTURE(name);
      CAPTURE(engine.name);
      const double ratio = std::min(0.7 * cfg.value("conservativeness", 1.0), 1.0);
      Recorder recorder({{"available_tokens", server.usable_blocks * server.block_size},
                         {"evictable_tokens", 0},
                         {"batch_is_full", 0},
                         {"chunked_request", -1},
                         {"new_token_ratio", ratio}},
                        server.scheduler.async);
      InvariantChecker invariants(server);
      play(engine, server, requests, std::nullopt, {&recorder, &invariants});
      CHECK(invariants.violation() == "");
      const json& iterations = entry.at("iterations");
      for (std::size_t i = 0; i < std::min(iterations.size(), recorder.passes().size()); ++i) {
        const std::string expected = iterations[i].dump();
        const std::string told = recorder.passes()[i].dump();
        CHECK(told == expected);
        if (told != expected) break;
      }
      CHECK(recorder.passes().size() == iterations.size());
    }
  }
  CHECK(played == 28);
}

}  // namespace decodesim::tests
