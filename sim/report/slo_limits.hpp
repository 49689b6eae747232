#pragma once
// Whether one request keeps the limits of an SLO.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/report/report_spec.hpp"
#include "sim/report/service_groups.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// Has it a limit that one request can miss or keep?
inline bool limits_requests(const SloSpec& slo) { return slo.ttft_p99 || slo.tpot_p99 || slo.e2el_p99; }

/// The limits of a class: its own where it has some, by name, or those of all.
inline const SloSpec& limits_of(const std::string& slo_class, const std::map<std::string, SloSpec>& own,
                                const SloSpec& all) {
  const auto found = own.find(slo_class);
  return found == own.end() ? all : found->second;
}

inline bool keeps(const SloSpec& slo, const CompletedRequest& request) {
  const auto within = [](const std::optional<Duration>& limit, Duration measured) {
    return !limit || measured <= *limit;
  };
  // TPOT against its limit without a division: as many gaps of the limit's length would take at least as long.
  const std::int64_t gaps = request.output_tokens - 1;
  return within(slo.ttft_p99, request.ttft) && within(slo.e2el_p99, request.e2el) &&
         (!slo.tpot_p99 || request.e2el - request.ttft <= *slo.tpot_p99 * gaps);
}

inline CompletedRequest completed_request(const RequestFacts& facts) {
  const Time arrival = facts.request->arrival;
  return {facts.first_token - arrival, facts.ended - arrival, facts.output_tokens};
}

/// The same on a clock that stops while steps recompute.
inline CompletedRequest without_recompute(const RequestFacts& facts) {
  const CompletedRequest request = completed_request(facts);
  return {request.ttft - facts.recompute_to_first_token, request.e2el - facts.recompute_to_end, request.output_tokens};
}

}  // namespace decodesim
