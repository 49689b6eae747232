#pragma once
// A workload as a scenario writes it: a list, a trace or a generator.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/workload/request.hpp"
#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

enum class ArrivalProcess { all_at_once, constant, poisson };
enum class LengthDistribution { constant, uniform, lognormal };

/// Tokens of a prompt or an answer. `constant` has min = max. `lognormal` has a mean and a coefficient of variation, the
/// standard deviation over the mean; draws beyond min and max are cut to them, which moves both a little.
struct LengthSpec {
  LengthDistribution distribution = LengthDistribution::constant;
  std::int64_t min = 0;
  std::int64_t max = 0;
  double mean = 0;
  double cv = 0;
};

struct ArrivalSpec {
  ArrivalProcess process = ArrivalProcess::all_at_once;
  double request_rate = 0;  // requests a second
};

/// What some of the generated prompts begin with: each of these draws one of `groups` shared prefixes.
struct PrefixGroupsSpec {
  std::int64_t groups = 0;  // 0: no prompt shares anything
  std::int64_t tokens = 0;  // of a prefix; part of the prompt's length
  double share = 1;         // of the requests
};

/// A kind of generated requests.
struct ClassSpec {
  std::string name;
  double share = 1;  // of the requests, in proportion to the other classes
  std::int64_t priority = 0;
  std::string tenant;
  std::optional<Duration> deadline;
};

enum class WorkloadKind { requests, trace, generator };

struct WorkloadSpec {
  WorkloadKind kind = WorkloadKind::generator;
  std::vector<Request> requests;  // `requests`, in the order listed
  TraceSpec trace;                // `trace`
  // `generator`
  std::int64_t num_requests = 0;
  ArrivalSpec arrival;                          // open loop
  std::optional<std::int64_t> max_concurrency;  // closed loop: so many requests in flight, no arrival process
  LengthSpec input_tokens;
  LengthSpec output_tokens;
  PrefixGroupsSpec prefix_groups;
  std::vector<ClassSpec> classes;  // dealt to the requests at random; empty: all are alike
};

}  // namespace decodesim
