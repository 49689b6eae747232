#pragma once
// A stream of requests in the order of their arrival.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/workload/request.hpp"
#include "sim/workload/traces/account.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// Requests one by one. Open loop: `arrival` never decreases, and does not depend on the server. Closed loop: the
/// simulation starts `concurrency()` of them at time zero and, whenever a place becomes free, one more its think time later;
/// it sets their arrival. Turns of a session but the first come by next_turn() alone, in either loop; a session keeps its
/// place in a closed loop from its first turn to its last.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// The next request that no other sets off, or nothing when there are no more.
  virtual std::optional<Request> next() = 0;
  /// The turn that follows `ended` in its session, or nothing where it was the last; asked once for every request that
  /// ends, however it ended. The simulation sets its arrival: the end plus its think time, or its own arrival if that is
  /// later.
  virtual std::optional<Request> next_turn(const Request& ended) {
    (void)ended;
    return std::nullopt;
  }
  /// How many there are in all, turns included; where `closes()` is given, at most.
  [[nodiscard]] virtual std::int64_t count() const = 0;
  /// Requests, or sessions, in flight in a closed loop; absent in an open one.
  [[nodiscard]] virtual std::optional<std::int64_t> concurrency() const { return std::nullopt; }
  /// From then on nobody asks any more: no place of a closed loop is taken again and no session goes on. Absent: never.
  [[nodiscard]] virtual std::optional<Time> closes() const { return std::nullopt; }
  /// What became of the rows of a trace; null where there is none.
  [[nodiscard]] virtual const TraceAccount* trace_account() const { return nullptr; }
};

/// The source that `workload` describes; `seed` is the run's, `longest` the most tokens of prompt and answer that the server
/// takes (none: no limit). Throws TraceError where a trace cannot be read.
std::unique_ptr<RequestSource> make_request_source(const WorkloadSpec& workload, std::uint64_t seed,
                                                   std::optional<std::int64_t> longest = std::nullopt);

/// Do its requests end of themselves? A closed loop with a duration alone asks as often as the server answers until then.
bool ends_by_itself(const WorkloadSpec& workload);

/// The files that it is read from: a trace's, and those that lengths are drawn from.
std::vector<std::string> workload_files(const WorkloadSpec& workload);

}  // namespace decodesim
