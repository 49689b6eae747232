#include "sim/report/verdict_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// `TTFT`, or `chat TTFT` where it is a class's.
std::string name_of(const SloCheck& check) {
  if (!check.slo_class) return std::string(check.name);
  return printable_name(*check.slo_class) + ' ' + std::string(check.name);
}

/// Why nobody was served: `10 of 10 requests rejected: prompt reaches max_model_len`.
std::string nothing_completed(const Report& report) {
  const std::string requests = counted(report.requests_in, "request");
  if (report.requests_in == 0) return "no request came";
  std::string reasons;
  for (const OutcomeCount& row : report.outcomes) {
    const std::string_view outcome = outcome_names[static_cast<std::size_t>(row.outcome)];
    if (row.count == report.requests_in) {
      return grouped(row.count) + " of " + requests + ' ' + std::string(outcome) + ": " + printable(row.reason);
    }
    reasons += (reasons.empty() ? "" : ", ") + grouped(row.count) + ' ' + std::string(outcome) + " (" +
               printable(row.reason) + ")";
  }
  return "of " + requests + ' ' + reasons;
}

/// Those that were not served, where there are any: `  3 rejected  5 unfinished`.
std::string failures(const Report& report) {
  std::string text;
  const auto add = [&](std::int64_t count, Outcome outcome) {
    if (count > 0) text += "  " + grouped(count) + ' ' + std::string(outcome_names[static_cast<std::size_t>(outcome)]);
  };
  add(report.rejected, Outcome::rejected);
  add(report.cancelled, Outcome::cancelled);
  add(report.unfinished, Outcome::unfinished);
  return text;
}

void verdict(const Report& report, std::ostream& out) {
  if (!report.watchdog.empty()) out << "ENDED BY THE WATCHDOG  ";
  if (report.interrupted) out << "INTERRUPTED  ";
  const bool limited = slo_is_set(report);
  if (report.completed == 0) {
    out << (limited ? "SLO MISSED  nothing completed: " : "NOTHING SERVED  ") << nothing_completed(report) << '\n';
    return;
  }
  if (report.window.completed == 0) {
    out << (limited ? "SLO MISSED  " : "NOTHING MEASURED  ") << "no request completed in the window" << failures(report)
        << '\n';
    return;
  }
  if (!limited) {
    out << "NO SLO SET  " << significant(report.output_throughput, 3) << " tok/s  "
        << significant(report.user_decode.mean, 3) << " tok/s a user  ";
    if (!report.limits.batch_limit.empty()) out << report.limits.batch_limit << " bound  ";
    if (report.saturation.verdict) out << saturation_names[static_cast<std::size_t>(*report.saturation.verdict)];
    out << failures(report) << '\n';
    return;
  }
  const std::vector<SloCheck> checks = slo_checks(report);
  std::string missed;
  for (const SloCheck& check : checks) {
    if (!check.met) missed += (missed.empty() ? "" : ", ") + name_of(check);
  }
  const std::optional<GoodputCheck> goodput = goodput_check(report);
  if (goodput && !goodput->met) missed += (missed.empty() ? "" : ", ") + std::string("goodput");
  out << (missed.empty() ? std::string("SLO MET") : "SLO MISSED (" + missed + ")");
  for (const SloCheck& check : checks) {
    out << "  p99 " << name_of(check) << ' ' << measured_text(check) << (check.met ? " <= " : " > ")
        << limit_text(check);
  }
  if (goodput) {
    out << "  good " << percent(goodput->measured) << (goodput->met ? " >= " : " < ") << percent(goodput->least);
  }
  out << "  goodput " << significant(report.request_goodput, 3) << " of " << significant(report.request_throughput, 3)
      << " req/s completed" << failures(report) << '\n';
}

void title(const Report& report, std::ostream& out) {
  const RunHeader& header = report.header;
  out << printable(header.scenario);
  if (!header.case_name.empty()) out << ", case " << printable(header.case_name);
  if (!header.deployment.empty()) out << ": " << printable(header.deployment);
  if (!header.engine.empty()) out << ", engine " << printable(header.engine);
  out << '\n';
  const WindowReport& window = report.window;
  if (!window.whole_run && window.opened) {
    out << "rates, means and use from " << significant(to_seconds(window.open)) << " s to "
        << significant(to_seconds(window.close)) << " s, in which " << grouped(window.requests) << " of "
        << counted(report.requests_in, "request") << " ended; counts and tokens of the whole run\n";
  }
  if (!report.watchdog.empty()) out << "watchdog: " << printable(report.watchdog) << '\n';
}

}  // namespace

void write_verdict(const Report& report, std::ostream& out) {
  verdict(report, out);
  title(report, out);
}

}  // namespace decodesim
