#pragma once
// A workload as a scenario writes it: a list, a trace or a generator.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/workload/arrival_spec.hpp"
#include "sim/workload/client_spec.hpp"
#include "sim/workload/length_spec.hpp"
#include "sim/workload/request.hpp"
#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

enum class WorkloadKind { requests, trace, generator };

/// Prompts and answers as they stand together in the rows of a trace, each row equally likely.
struct JointLengthsSpec {
  std::string from;  // a trace; empty: lengths are drawn one by one
};

struct WorkloadSpec {
  WorkloadKind kind = WorkloadKind::generator;
  std::vector<Request> requests;  // `requests`, in the order listed
  TraceSpec trace;                // `trace`
  // `generator`
  std::int64_t num_requests = 0;     // 0: as many as `duration` has
  std::optional<Duration> duration;  // nobody asks from then on; whichever of the two is reached first counts
  ArrivalSpec arrival;               // open loop: of requests, or of sessions
  std::optional<std::int64_t> max_concurrency;  // closed loop: so many requests or sessions in flight, no arrivals
  DurationSpec think_time;                      // closed loop without sessions: before a place is taken again
  JointLengthsSpec lengths;
  LengthSpec input_tokens;  // of a prompt; under sessions what a turn adds to it
  LengthSpec output_tokens;
  PrefixGroupsSpec prefix_groups;
  SessionsSpec sessions;
  std::string slo_class;
  std::string tenant;
  std::optional<std::int64_t> priority;
  std::optional<Duration> deadline;
  std::optional<Duration> timeout;
  CancelSpec cancel;
  std::vector<ClientSpec> clients;  // dealt to requests or sessions at random; empty: all are alike
};

}  // namespace decodesim
