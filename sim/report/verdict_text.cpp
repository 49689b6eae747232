#include "sim/report/verdict_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "sim/report/number_text.hpp"
#include "sim/report/slo_verdict.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

std::string limit_text(const SloCheck& check) { return time_text(check.limit_ms / 1e3, 10, Zeros::trimmed); }

/// With as many digits as it takes to tell a value that misses its limit from the limit.
std::string measured_text(const SloCheck& check) {
  int digits = 3;
  const auto text = [&](double milliseconds) { return time_text(milliseconds / 1e3, digits); };
  while (!check.met && text(check.measured_ms) == text(check.limit_ms) && digits < 12) ++digits;
  return text(check.measured_ms);
}

void verdict(const Report& report, std::ostream& out) {
  if (!report.watchdog.empty()) out << "ENDED BY THE WATCHDOG  ";
  if (report.interrupted) out << "INTERRUPTED  ";
  const std::vector<SloCheck> checks = slo_checks(report);
  if (checks.empty()) {
    out << "NO SLO SET  " << significant(report.output_throughput, 3) << " tok/s  "
        << significant(report.user_decode.mean, 3) << " tok/s a user  ";
    if (!report.limits.batch_limit.empty()) out << report.limits.batch_limit << " bound  ";
    out << saturation_names[static_cast<std::size_t>(report.saturation.verdict)] << '\n';
    return;
  }
  std::string missed;
  for (const SloCheck& check : checks) {
    if (!check.met) missed += (missed.empty() ? "" : ", ") + std::string(check.name);
  }
  out << (missed.empty() ? std::string("SLO MET") : "SLO MISSED (" + missed + ")");
  for (const SloCheck& check : checks) {
    out << "  p99 " << check.name << ' ' << measured_text(check) << (check.met ? " <= " : " > ") << limit_text(check);
  }
  out << "  " << significant(report.request_throughput, 3) << " req/s\n";
}

void title(const Report& report, std::ostream& out) {
  const RunHeader& header = report.header;
  out << printable(header.scenario);
  if (!header.case_name.empty()) out << ", case " << printable(header.case_name);
  const WindowReport& window = report.window;
  if (!window.whole_run && window.opened) {
    out << ": rates, means and use from " << significant(to_seconds(window.open)) << " s to "
        << significant(to_seconds(window.close)) << " s, in which " << grouped(window.requests) << " of "
        << counted(report.requests_in, "request") << " ended; counts and tokens of the whole run";
  }
  out << '\n';
  if (!report.watchdog.empty()) out << "watchdog: " << printable(report.watchdog) << '\n';
}

}  // namespace

void write_verdict(const Report& report, std::ostream& out) {
  verdict(report, out);
  title(report, out);
}

}  // namespace decodesim
