#pragma once
// What a report measures over, and what it holds results against.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/time.hpp"

namespace decodesim {

/// Rates, means and use are taken over a window that opens when the first share of the requests has ended and closes
/// before the last share does; conservation always concerns the whole run.
struct MeasureWindow {
  double skip_first = 0;  // [0, 1)
  double skip_last = 0;   // [0, 1), and both together below 1
};

struct RunSpec {
  std::uint64_t seed = 1;
  MeasureWindow window;
};

/// The limits of one SLO class, in place of those of all.
struct ClassSloSpec {
  std::string slo_class;
  std::optional<Duration> ttft_p99{};
  std::optional<Duration> tpot_p99{};
  std::optional<Duration> e2el_p99{};
};

/// Limits on the 99th percentile of each latency; a request within all of them counts as goodput.
struct SloSpec {
  std::optional<Duration> ttft_p99{};
  std::optional<Duration> tpot_p99{};
  std::optional<Duration> itl_p99{};
  std::optional<Duration> e2el_p99{};
  std::vector<ClassSloSpec> classes{};
  std::optional<double> min_goodput{};  // share of the requests, those that failed counted, within all limits
};

/// A value that the scenario left open and that changes the result.
struct DefaultUsed {
  std::string path;    // as in the scenario: "memory.utilization"
  std::string value;   // as a scenario would write it: "0.92"
  std::string source;  // where it comes from: "spec", "measured" or "assumed", or a preset's name
};

}  // namespace decodesim
