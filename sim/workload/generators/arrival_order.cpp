#include "sim/workload/generators/arrival_order.hpp"

#include <algorithm>

#include "sim/workload/workload_fields.hpp"

namespace decodesim {

ArrivalOrder::ArrivalOrder(const WorkloadSpec& workload, std::uint64_t seed)
    : of_clients_(clients_have_arrivals(workload)), ends_(workload.duration.has_value()), duration_(workload.duration) {
  if (of_clients_) {
    for (const ClientSpec& client : workload.clients)
      flows_.push_back({Arrivals(client.arrival, seed, " of " + client.name), std::nullopt});
    const auto stops = [](const ClientSpec& client) {
      return !client.arrival.stages.empty() && !client.arrival.repeat;
    };
    ends_ = ends_ || std::all_of(workload.clients.begin(), workload.clients.end(), stops);
  } else {
    flows_.push_back({Arrivals(workload.arrival, seed, ""), std::nullopt});
    ends_ = ends_ || (!workload.arrival.stages.empty() && !workload.arrival.repeat);
  }
  for (Flow& flow : flows_) advance(flow);
}

void ArrivalOrder::advance(Flow& flow) {
  flow.next = flow.arrivals.next();
  if (flow.next && duration_ && flow.next->time_since_epoch() >= *duration_) flow.next.reset();
}

std::optional<ArrivalOrder::Arrival> ArrivalOrder::next() {
  Flow* first = nullptr;
  for (Flow& flow : flows_) {
    if (flow.next && (first == nullptr || *flow.next < *first->next)) first = &flow;
  }
  if (first == nullptr) return std::nullopt;
  Arrival arrival{*first->next, std::nullopt};
  if (of_clients_) arrival.client = static_cast<std::size_t>(first - flows_.data());
  advance(*first);
  return arrival;
}

}  // namespace decodesim
