#pragma once
// Arrivals of several clients as one stream.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/workload/generators/arrivals.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// When requests or sessions begin in an open loop, up to the workload's duration, and whose they are where clients have
/// arrivals of their own. Of equal arrivals that of the client listed first comes first.
class ArrivalOrder {
 public:
  ArrivalOrder(const WorkloadSpec& workload, std::uint64_t seed);

  struct Arrival {
    Time at;
    std::optional<std::size_t> client;  // absent: it is dealt
  };
  std::optional<Arrival> next();
  /// Do they come to an end by themselves?
  [[nodiscard]] bool ends() const { return ends_; }

 private:
  struct Flow {
    Arrivals arrivals;
    std::optional<Time> next;
  };
  void advance(Flow& flow);

  bool of_clients_;
  bool ends_;
  std::optional<Duration> duration_;
  std::vector<Flow> flows_;
};

}  // namespace decodesim
