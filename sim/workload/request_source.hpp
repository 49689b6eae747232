#pragma once
// A stream of requests in the order of their arrival.

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/workload/request.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// Requests one by one. Open loop: `arrival` never decreases, and does not depend on the server. Closed loop: the
/// simulation starts `concurrency()` of them at time zero and one more whenever one ends, and sets their arrival.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// The next request, or nothing when there are no more.
  virtual std::optional<Request> next() = 0;
  /// How many there are in all.
  [[nodiscard]] virtual std::int64_t count() const = 0;
  /// Requests in flight in a closed loop; absent in an open one.
  [[nodiscard]] virtual std::optional<std::int64_t> concurrency() const { return std::nullopt; }
};

/// The source that `workload` describes; `seed` is the run's. Throws TraceError where a trace cannot be read.
std::unique_ptr<RequestSource> make_request_source(const WorkloadSpec& workload, std::uint64_t seed);

}  // namespace decodesim
