#include "sim/report/slo_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace decodesim {

namespace {

/// Adds the limits of `slo`, held against the requests of a class or, without one, all.
void hold(const SloSpec& slo, const Report& report, const GroupReport* group, std::vector<SloCheck>& checks) {
  const std::int64_t completed = group != nullptr ? group->measured : report.window.completed;
  const auto one = [&](std::string_view name, const std::optional<Duration>& limit, const Summary& measured) {
    if (!limit) return;
    const double limit_ms = to_milliseconds(*limit);
    const bool met = std::isnan(measured.p99) ? completed > 0 : measured.p99 <= limit_ms;
    checks.push_back({name, group != nullptr ? std::optional(group->name) : std::nullopt, limit_ms, measured.p99, met});
  };
  // The latencies of the only class are the run's.
  const bool own = group != nullptr && report.classes.size() > 1;
  one("TTFT", slo.ttft_p99, own ? group->ttft : report.ttft);
  one("TPOT", slo.tpot_p99, own ? group->tpot : report.tpot);
  if (group == nullptr) one("ITL", slo.itl_p99, report.itl);
  one("E2EL", slo.e2el_p99, own ? group->e2el : report.e2el);
}

}  // namespace

std::vector<SloCheck> slo_checks(const Report& report) {
  std::vector<SloCheck> checks;
  SloSpec of_all = report.slo;
  for (const GroupReport& one : report.classes) {
    if (!one.slo) continue;
    hold(*one.slo, report, &one, checks);
    of_all = {.itl_p99 = report.slo.itl_p99};
  }
  hold(of_all, report, nullptr, checks);
  return checks;
}

std::optional<GoodputCheck> goodput_check(const Report& report) {
  if (!report.slo.min_goodput) return std::nullopt;
  const double least = *report.slo.min_goodput;
  // Written so that a share that was not measured misses it.
  return GoodputCheck{least, report.good_share, report.good_share >= least};
}

bool slo_is_set(const Report& report) { return report.slo.min_goodput || !slo_checks(report).empty(); }

bool slo_met(const Report& report) {
  const std::vector<SloCheck> checks = slo_checks(report);
  const std::optional<GoodputCheck> goodput = goodput_check(report);
  return (!goodput || goodput->met) &&
         std::all_of(checks.begin(), checks.end(), [](const SloCheck& check) { return check.met; });
}

}  // namespace decodesim
