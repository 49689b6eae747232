// Changes to a scenario whose effect is known without knowing the result.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/serving/policy_table.hpp"
#include "sim/serving/predictor.hpp"
#include "tests/support/draw_clients.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/facts_text.hpp"
#include "tests/support/plain_scheduler.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/step_cost.hpp"

namespace decodesim::tests {

namespace {

constexpr std::uint64_t seeds = 300;
constexpr std::int64_t scale = 7;

/// The facts with every time in them divided by `scale`; a time that never came stays as it is.
class ScaledFacts : public FactsText {
 public:
  explicit ScaledFacts(std::int64_t factor) : scale_(factor) {}

  void arrived(const Request& request) override { FactsText::arrived(scaled(request)); }
  void step(const StepFacts& facts) override {
    StepFacts down = facts;
    down.start = scaled(facts.start);
    down.end = scaled(facts.end);
    down.recompute_time = facts.recompute_time / scale_;
    for (Duration& part : down.ledger.time) part /= scale_;
    for (Duration& part : down.ledger.bound) part /= scale_;
    std::vector<TokenGap> gaps(facts.gaps.begin(), facts.gaps.end());
    for (TokenGap& gap : gaps) gap.gap /= scale_;
    down.gaps = gaps;
    std::vector<WithdrawnToken> withdrawn(facts.withdrawn.begin(), facts.withdrawn.end());
    for (WithdrawnToken& one : withdrawn) {
      if (one.gap) *one.gap /= scale_;
    }
    down.withdrawn = withdrawn;
    FactsText::step(down);
  }
  void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) override {
    FactsText::idle(first, count, scaled(start), free_blocks);
  }
  void ended(const RequestFacts& facts) override {
    const Request request = scaled(*facts.request);
    RequestFacts down = facts;
    down.request = &request;
    down.scheduled = scaled(facts.scheduled);
    down.first_token = scaled(facts.first_token);
    down.ended = scaled(facts.ended);
    down.recompute_to_first_token = facts.recompute_to_first_token / scale_;
    down.loading = facts.loading / scale_;
    down.recompute_to_end = facts.recompute_to_end / scale_;
    FactsText::ended(down);
  }
  void run_ended(const RunFacts& facts) override {
    RunFacts down = facts;
    down.end = scaled(facts.end);
    FactsText::run_ended(down);
  }

 private:
  [[nodiscard]] Time scaled(Time time) const { return time < Time{} ? time : Time(time.time_since_epoch() / scale_); }
  [[nodiscard]] Request scaled(Request request) const {
    request.arrival = scaled(request.arrival);
    request.load_time /= scale_;
    return request;
  }

  std::int64_t scale_;
};

/// The same facts of one run after another, on every engine and over many seeds.
template <class Compare>
void for_every_run(Compare compare) {
  for (const Engine& engine : engines()) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= seeds && failures < 3; ++seed) {
      const RandomScenario scenario = random_scenario(seed);
      const std::string difference = compare(engine, scenario);
      if (difference.empty()) continue;
      ++failures;
      FAIL_CHECK(engine.name << ", seed " << seed << ": " << difference << "\n" << scenario.yaml());
    }
    CHECK(failures == 0);
  }
}

std::vector<std::string> facts_of(const Engine& engine, const RandomScenario& scenario) {
  FactsText facts;
  play(engine, scenario.server, scenario.requests, scenario.concurrency, {&facts}, scenario.closes);
  return facts.lines();
}

bool has_policy(const RandomScenario& scenario, std::string_view policy) {
  const auto policies = find_engine(scenario.server.scheduler.engine)->policies;
  return std::find(policies.begin(), policies.end(), policy) != policies.end();
}

}  // namespace

TEST_CASE("names of requests change nothing") {
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    std::vector<Request> renamed = scenario.requests;
    for (Request& request : renamed) request.id = "z" + std::to_string(100 - request.index);
    FactsText facts;
    play(engine, scenario.server, renamed, scenario.concurrency, {&facts}, scenario.closes);
    return first_difference(facts_of(engine, scenario), facts.lines());
  });
}

TEST_CASE("priorities change nothing where the first that came is the first served") {
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    const PolicyChoices& policies = scenario.server.scheduler.policies;
    const SglangKnobs& sglang = scenario.server.scheduler.sglang;
    if (policies.queue_order == "priority" || policies.victim == "lowest-priority") return std::string();
    if (!has_policy(scenario, "fcfs")) return std::string();
    if (sglang.enable_priority_scheduling || sglang.retraction_policy == SglangRetraction::priority)
      return std::string();
    std::vector<Request> urgent = scenario.requests;
    for (Request& request : urgent) request.priority = -request.index;
    FactsText facts;
    play(engine, scenario.server, urgent, scenario.concurrency, {&facts}, scenario.closes);
    return first_difference(facts_of(engine, scenario), facts.lines());
  });
}

TEST_CASE("a run is the same whether or not anyone looks") {
  /// Looks at the end only, and so asks for no schedule.
  class Ending : public Observer {
   public:
    void ended(const RequestFacts& facts) override { text.ended(facts); }
    void run_ended(const RunFacts& facts) override { text.run_ended(facts); }
    FactsText text;
  };
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    FactsText all;
    Ending with_schedule;
    const RunFacts watched =
        play(engine, scenario.server, scenario.requests, scenario.concurrency, {&all, &with_schedule}, scenario.closes);
    Ending without_schedule;
    play(engine, scenario.server, scenario.requests, scenario.concurrency, {&without_schedule}, scenario.closes);
    const RunFacts alone = play(engine, scenario.server, scenario.requests, scenario.concurrency, {}, scenario.closes);
    std::string difference = first_difference(with_schedule.text.lines(), without_schedule.text.lines());
    if (alone.end != watched.end || alone.watchdog != watched.watchdog) difference += "the run ends differently";
    return difference;
  });
}

TEST_CASE("the same scenario gives the same facts again") {
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    return first_difference(facts_of(engine, scenario), facts_of(engine, random_scenario(scenario.seed)));
  });
}

TEST_CASE("what a client asks for beyond its output changes nothing, unless it is reserved") {
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    for (std::string_view policy : {"declared-maximum", "closed-batch", "new-token-ratio"}) {
      if (has_policy(scenario, policy)) return std::string();
    }
    if (scenario.server.scheduler.async) return std::string();  // it tells who stops early from who was allowed no more
    const SchedulerSpec& knobs = scenario.server.scheduler;
    const std::string_view admission = admission_of(knobs);
    if (admission == "prompt-and-max" || admission == "ratio-weighted" || admission == "peak-estimate" ||
        (goes_by_length(knobs) && !is_oracle(knobs.predictor)))
      return std::string();
    // max_tokens is in the facts of arrivals, so both sides get the same there: its smallest and its largest.
    class WithoutArrivals : public FactsText {
      void arrived(const Request&) override {}
    };
    const auto play_with = [&](std::int64_t more) {
      std::vector<Request> requests = scenario.requests;
      for (Request& request : requests) request.max_tokens = request.output_tokens + more;
      WithoutArrivals facts;
      play(engine, scenario.server, requests, scenario.concurrency, {&facts}, scenario.closes);
      return facts.lines();
    };
    // Who plans ahead serves a sequence that stops by itself once more, but not one that is known to be at its end.
    return first_difference(play_with(scenario.server.scheduler.async ? 1 : 0), play_with(1000));
  });
}

TEST_CASE("slower steps and later arrivals by the same factor make everything later by that factor") {
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    ServerConfig slow = scenario.server;
    std::vector<Request> late = scenario.requests;
    for (Request& request : late) request.arrival = Time(request.arrival.time_since_epoch() * scale);
    for (Request& request : late) {
      request.load_time *= scale;
      if (request.deadline) *request.deadline *= scale;
      if (request.timeout) *request.timeout *= scale;
      if (request.cancel_after) *request.cancel_after *= scale;
      request.think_time *= scale;
    }
    std::optional<Time> closes = scenario.closes;
    if (closes) closes = Time(closes->time_since_epoch() * scale);
    slow.scheduler.ageing *= scale;
    slow.scheduler.mlfq.quantum *= scale;
    slow.scheduler.mlfq.starvation_limit *= scale;
    slow.host = {};
    const bool grid = slow.grid_step > Duration(0);
    slow.grid_step *= scale;
    // The prices of a machine do not scale by a factor, so the made-up ones stand for them.
    const GridCost one_step(scenario.server.grid_step);
    const GridCost slow_step(slow.grid_step);
    const ShapeCost one_shape;
    const ShapeCost slow_shape(scale);
    ServerConfig server = scenario.server;
    server.host = {};
    server.cost = grid ? static_cast<const CostModel*>(&one_step) : &one_shape;
    slow.cost = grid ? static_cast<const CostModel*>(&slow_step) : &slow_shape;

    // Nor do those of a link.
    server.host.bandwidth = slow.host.bandwidth = BytesPerSecond(0);

    FactsText facts;
    play(engine, server, scenario.requests, scenario.concurrency, {&facts}, scenario.closes);
    ScaledFacts slow_facts(scale);
    play(engine, slow, late, scenario.concurrency, {&slow_facts}, closes);
    return first_difference(facts.lines(), slow_facts.lines());
  });
}

TEST_CASE("a larger pool never lowers what completes") {
  for_every_run([](const Engine& engine, const RandomScenario& scenario) {
    class Completed : public Observer {
     public:
      void ended(const RequestFacts& facts) override { count += facts.outcome == Outcome::completed ? 1 : 0; }
      std::int64_t count = 0;
    };
    // Who waits for an answer gets one.
    const std::vector<Request> requests = asked_once(scenario.requests);
    Completed few;
    play(engine, scenario.server, requests, scenario.concurrency, {&few});
    ServerConfig roomy = scenario.server;
    roomy.usable_blocks = 2000;
    roomy.num_blocks = 2001;
    Completed most;
    play(engine, roomy, requests, scenario.concurrency, {&most});
    // Some engines ignore prompts for more than their blocks.
    const auto rules = make_plain_scheduler(roomy);
    std::int64_t servable = 0;
    for (const Request& request : scenario.requests) {
      PlainSequence sequence;
      sequence.request = &request;
      sequence.input = request.input_tokens;
      sequence.output = output_tokens_of(request, roomy.max_model_len);
      servable += request.input_tokens < roomy.max_model_len && rules->fits_alone(sequence) ? 1 : 0;
    }
    if (most.count == servable && few.count <= most.count) return std::string();
    return std::to_string(few.count) + " completed in the small pool and " + std::to_string(most.count) + " of " +
           std::to_string(servable) + " in the large one";
  });
}

}  // namespace decodesim::tests
