#pragma once
// What generated requests are like: shared prefixes, sessions, and the clients that a mixture is made of.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/time.hpp"
#include "sim/workload/arrival_spec.hpp"
#include "sim/workload/length_spec.hpp"

namespace decodesim {

/// Is a prefix part of the prompt's drawn length, or does it come on top?
enum class PrefixPlace { included, added };

/// What some of the generated prompts begin with: each of these draws one of `groups` shared prefixes.
struct PrefixGroupsSpec {
  std::int64_t groups = 0;  // 0: no prompt shares anything
  PrefixPlace place = PrefixPlace::included;
  std::optional<std::int64_t> tokens_included;  // of a prefix; one of these two
  std::optional<std::int64_t> tokens_added;
  double share = 1;  // of the requests
  double zipf = 0;   // group k is drawn in proportion to 1 / k^zipf

  [[nodiscard]] std::int64_t tokens() const {
    return (place == PrefixPlace::included ? tokens_included : tokens_added).value_or(0);
  }

  friend bool operator==(const PrefixGroupsSpec&, const PrefixGroupsSpec&) = default;
};

/// Talks of several requests. A turn's prompt is all that was said before and new input besides.
struct SessionsSpec {
  LengthSpec turns;                         // of a session; not stated: requests stand alone
  DurationSpec think_time;                  // between an answer and the next turn
  LengthSpec first_input;                   // of the first prompt; not stated: as input_tokens
  std::optional<std::int64_t> max_context;  // a session ends before a turn whose prompt and answer would pass it

  [[nodiscard]] bool on() const { return turns.stated(); }

  friend bool operator==(const SessionsSpec&, const SessionsSpec&) = default;
};

/// Users who do not want an answer any more.
struct CancelSpec {
  double share = 0;  // of the requests
  DurationSpec after;

  friend bool operator==(const CancelSpec&, const CancelSpec&) = default;
};

/// Limits on the latencies of a client's requests, as `slo.classes` has them for their class.
struct LatencyLimits {
  std::optional<Duration> ttft_p99;
  std::optional<Duration> tpot_p99;
  std::optional<Duration> e2el_p99;

  friend bool operator==(const LatencyLimits&, const LatencyLimits&) = default;
};

/// A kind of generated requests. What it leaves out is as the workload has it.
struct ClientSpec {
  std::string name;
  std::optional<double> share;  // of the rate, in proportion to the other clients; absent: 1
  bool has_arrival = false;     // of its own, with its own rate; then no client has a share
  ArrivalSpec arrival;
  LengthSpec input_tokens;
  LengthSpec output_tokens;
  PrefixGroupsSpec prefix_groups;
  SessionsSpec sessions;
  std::string slo_class;  // empty: the workload's, or else the client's name
  std::string tenant;
  std::optional<std::int64_t> priority;
  std::optional<Duration> deadline;
  std::optional<Duration> timeout;
  CancelSpec cancel;
  LatencyLimits slo;

  friend bool operator==(const ClientSpec&, const ClientSpec&) = default;
};

}  // namespace decodesim
