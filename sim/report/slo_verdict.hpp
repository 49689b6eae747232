#pragma once
// Whether a run kept within its limits.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/report.hpp"

namespace decodesim {

/// One limit of the SLO and what was measured against it.
struct SloCheck {
  std::string_view name;                 // "TTFT", "TPOT", "ITL", "E2EL"
  std::optional<std::string> slo_class;  // whose requests are held against it; absent: all
  double limit_ms;
  double measured_ms;  // the 99th percentile; not_measured where no request has one
  bool met;
};

/// The limits that are set, in the order TTFT, TPOT, ITL, E2EL; empty where the scenario has none. Where classes have limits
/// of their own, each class is held against its own, or else against those of all, but ITL is of all requests together. A
/// run or class in which no request completed meets no limit; otherwise a latency that no request has (TPOT, where all
/// outputs are one token) does.
std::vector<SloCheck> slo_checks(const Report& report);

/// The share of requests within all limits, where the SLO asks for one.
struct GoodputCheck {
  double least;
  double measured;
  bool met;
};
std::optional<GoodputCheck> goodput_check(const Report& report);

/// Does the scenario set anything that results are held against?
bool slo_is_set(const Report& report);

/// True unless a limit is set and missed; false means exit code 3.
bool slo_met(const Report& report);

}  // namespace decodesim
