#include "sim/study/metric.hpp"

#include <array>
#include <cstdint>

namespace decodesim {

namespace {

double number(std::int64_t count) { return static_cast<double>(count); }

/// The share of requests with a deadline that completed by it.
double deadlines_met(const Report& report) {
  std::int64_t all = 0;
  std::int64_t met = 0;
  for (const GroupReport& one : report.classes) {
    all += one.with_deadline;
    met += one.deadlines_met;
  }
  return all > 0 ? number(met) / number(all) : not_measured;
}

constexpr std::array metrics{
    Metric{"output_throughput", "Output tok/s", Better::higher, [](const Report& r) { return r.output_throughput; }},
    Metric{"request_throughput", "Requests/s", Better::higher, [](const Report& r) { return r.request_throughput; }},
    Metric{"request_goodput", "Goodput req/s", Better::higher, [](const Report& r) { return r.request_goodput; }},
    Metric{"mean_ttft_ms", "Mean TTFT ms", Better::lower, [](const Report& r) { return r.ttft.mean; }},
    Metric{"p99_ttft_ms", "P99 TTFT ms", Better::lower, [](const Report& r) { return r.ttft.p99; }},
    Metric{"mean_tpot_ms", "Mean TPOT ms", Better::lower, [](const Report& r) { return r.tpot.mean; }},
    Metric{"p99_tpot_ms", "P99 TPOT ms", Better::lower, [](const Report& r) { return r.tpot.p99; }},
    Metric{"p99_itl_ms", "P99 ITL ms", Better::lower, [](const Report& r) { return r.itl.p99; }},
    Metric{"mean_e2el_ms", "Mean E2E ms", Better::lower, [](const Report& r) { return r.e2el.mean; }},
    Metric{"p99_e2el_ms", "P99 E2E ms", Better::lower, [](const Report& r) { return r.e2el.p99; }},
    Metric{"completed", "Completed requests", Better::higher, [](const Report& r) { return number(r.completed); }},
    Metric{"preemptions", "Preemptions", Better::lower,
           [](const Report& r) { return number(r.evictions.run.account.preemptions); }},
    Metric{"recomputed_tokens", "Recomputed tokens", Better::lower,
           [](const Report& r) { return number(r.evictions.run.account.recomputed_tokens); }},
    Metric{"recompute_time_s", "Recompute time s", Better::lower,
           [](const Report& r) { return to_seconds(r.evictions.run.account.recompute_time); }},
    Metric{"longest_wait_s", "Longest wait s", Better::lower,
           [](const Report& r) { return to_seconds(r.starvation.longest_wait); }},
    Metric{"jain_index", "Jain's index", Better::higher, [](const Report& r) { return r.jain_index; }},
    Metric{"deadlines_met", "Deadlines met", Better::higher, deadlines_met},
    Metric{"hit_rate", "Prefix hit rate", Better::higher, [](const Report& r) { return r.prefix.hit_rate; }},
    Metric{"running_mean", "Mean running", Better::neither, [](const Report& r) { return r.steps.running_mean; }},
    Metric{"kv_usage_mean", "Mean KV use", Better::neither, [](const Report& r) { return r.kv.usage_mean; }},
};

}  // namespace

std::span<const Metric> metric_table() { return metrics; }

const Metric* find_metric(std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

}  // namespace decodesim
