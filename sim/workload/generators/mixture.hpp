#pragma once
// Requests of several clients, drawn whole.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/workload/generators/request_draws.hpp"
#include "sim/workload/request.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// Draws requests, and sessions turn by turn to their end, but for their arrivals.
class Mixture {
 public:
  /// Throws TraceError.
  Mixture(const WorkloadSpec& workload, std::uint64_t seed);

  /// A request that stands alone, or the turns of a session: of `client`, or of one that is dealt by the shares. Indexes
  /// begin at `index`; at most `most` of them.
  std::vector<Request> next(std::optional<std::size_t> client, std::int64_t index, std::int64_t most);

 private:
  std::size_t deal();
  Request request_of(std::size_t client, std::int64_t index, bool first);
  void cancel(std::size_t client, Request& request);

  std::vector<ClientSpec> clients_;  // complete; one without a name where the workload has none
  std::vector<RequestDraws> own_;    // of each client; empty where the workload has none
  RequestDraws shared_;
  std::optional<JointLengths> joint_;
  std::optional<Durations> think_times_;  // closed loop without sessions
  std::vector<double> upper_;             // sum of the shares up to this client
  Stream dealing_;
  RequestDraws none_;
  std::int64_t sessions_ = 0;
};

}  // namespace decodesim
