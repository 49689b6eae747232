// How long a run of a million requests takes, beside the least that any simulation of events does for them: it draws the
// requests, and each of them comes, gets its first token and ends.

#include "tests/benchmarks/event_floor.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/scenario/load.hpp"
#include "sim/workload/request_source.hpp"
#include "tests/benchmarks/processor_time.hpp"

namespace decodesim {

namespace {

constexpr int repetitions = 5;

// tools/instructions counts shorter runs of the same file.
const std::string scenario = DECODESIM_SOURCE_DIR "/tests/benchmarks/generated.yaml";

struct Event {
  std::int64_t time;
  std::int64_t request;
  std::int64_t tokens;  // of the answer, at its first token; 0: it arrives, -1: it ends

  friend bool operator>(const Event& a, const Event& b) { return a.time > b.time; }
};
static_assert(sizeof(Event) == 24);

/// Draws the requests of the run, with one arrival pending, and takes three events each through a binary heap.
double event_floor(const WorkloadSpec& workload) {
  // What a prompt takes and what an answer takes a token, so that about as many events are pending as in the run.
  constexpr std::int64_t to_first_token = 100'000'000;
  constexpr std::int64_t to_next_token = 30'000'000;
  const double start = processor_time();
  const auto source = make_request_source(workload, 1);
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::optional<Request> coming = source->next();
  std::int64_t ended = 0;
  const auto await = [&] {
    if (coming) events.push({coming->arrival.time_since_epoch().count(), coming->index, 0});
  };
  await();
  while (!events.empty()) {
    const Event event = events.top();
    events.pop();
    if (event.tokens == 0) {
      events.push({event.time + to_first_token, event.request, coming->output_tokens});
      coming = source->next();
      await();
    } else if (event.tokens > 0) {
      events.push({event.time + event.tokens * to_next_token, event.request, -1});
    } else {
      ++ended;
    }
  }
  if (ended != workload.num_requests) throw std::runtime_error("requests were lost");
  return processor_time() - start;
}

}  // namespace

EventFloor::EventFloor() {
  std::vector<Diagnostic> warnings;
  const WorkloadSpec workload = load_scenarios(scenario, {}, warnings).front().workload;
  add_benchmark(
      "three events a request, and its draws", repetitions, [workload] { return event_floor(workload); }, floor_);
  runs_ = {{"at nine tenths of what the node can do", {}, 2},
           {"with prefix caching and 10,000 groups",
            {"memory.prefix_caching=true", "workload.prefix_groups={groups: 10000, tokens_added: 256}"},
            4},
           {"at 1.3 times what it can do", {"workload.arrival.request_rate=18.6 req/s"}, 3}};
  for (Run& run : runs_) {
    std::vector<std::string> arguments{DECODESIM_BINARY, "run", scenario};
    for (const std::string& set : run.sets) arguments.insert(arguments.end(), {"--set", set});
    add_benchmark(
        "a million requests " + run.what, repetitions, [arguments] { return time_of_program(arguments).computed; },
        run.time);
  }
}

bool EventFloor::held() const {
  bool held = true;
  for (const Run& run : runs_) {
    const double ratio = run.time.seconds / floor_.seconds;
    std::printf("a million requests %s: %.0f ms, events alone: %.0f ms at best; %.2f times as long (limit %.0f)\n",
                run.what.c_str(), run.time.seconds * 1e3, floor_.seconds * 1e3, ratio, run.limit);
    held = held && ratio <= run.limit;
  }
  return held;
}

}  // namespace decodesim
