#include "sim/report/slo_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace decodesim {

std::vector<SloCheck> slo_checks(const Report& report) {
  std::vector<SloCheck> checks;
  const auto hold = [&](std::string_view name, const std::optional<Duration>& limit, const Summary& measured) {
    if (!limit) return;
    const double limit_ms = to_milliseconds(*limit);
    const bool met = std::isnan(measured.p99) ? report.window.completed > 0 : measured.p99 <= limit_ms;
    checks.push_back({name, limit_ms, measured.p99, met});
  };
  hold("TTFT", report.slo.ttft_p99, report.ttft);
  hold("TPOT", report.slo.tpot_p99, report.tpot);
  hold("ITL", report.slo.itl_p99, report.itl);
  hold("E2EL", report.slo.e2el_p99, report.e2el);
  return checks;
}

bool slo_met(const Report& report) {
  const std::vector<SloCheck> checks = slo_checks(report);
  return std::all_of(checks.begin(), checks.end(), [](const SloCheck& check) { return check.met; });
}

}  // namespace decodesim
