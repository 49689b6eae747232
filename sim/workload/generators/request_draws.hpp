#pragma once
// What the requests of one client are drawn from.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/workload/generators/lengths.hpp"
#include "sim/workload/generators/prefixes.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// The streams of one client, or those of the workload that all share. What was not stated is absent, and takes no draws.
struct RequestDraws {
  /// `of` ends the names of the streams: nothing, or " of NAME". Throws TraceError.
  RequestDraws(const ClientSpec& client, std::uint64_t seed, const std::string& of);

  std::optional<Lengths> inputs;
  std::optional<Lengths> outputs;
  std::optional<Prefixes> prefixes;
  std::optional<Lengths> turns;
  std::optional<Lengths> first_inputs;
  std::optional<Durations> think_times;  // between turns
  std::optional<Durations> cancels;
  Stream cancelled;  // who of them
};

/// The workload's own values as those of a client.
ClientSpec common_client(const WorkloadSpec& workload);

/// `client` with what it leaves out filled in from `common`.
ClientSpec completed_client(const ClientSpec& client, const ClientSpec& common);

/// A value of a client's stream where it has one, else of the shared one; both are drawn, so that what one client has of its
/// own moves nothing of the others.
template <class Draws>
auto next_of(std::optional<Draws>& own, std::optional<Draws>& shared) -> std::optional<decltype(own->next())> {
  std::optional<decltype(own->next())> value;
  if (shared) value = shared->next();
  if (own) value = own->next();
  return value;
}

}  // namespace decodesim
