#include "sim/report/client_block.hpp"

#include <string>
#include <string_view>

#include "sim/report/columns.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/slo_verdict.hpp"

namespace decodesim {

namespace {

constexpr std::size_t block_width = 50;
constexpr std::size_t label_width = 40;

void line(std::ostream& out, std::string_view label, const std::string& number) {
  out << left(label, label_width) << ' ' << number << '\n';
}

void latency(std::ostream& out, std::string_view title, const std::string& name, const Summary& summary) {
  out << centred(title, block_width, '-') << '\n';
  line(out, "Mean " + name + " (ms):", fixed_text(summary.mean, 2));
  line(out, "Median " + name + " (ms):", fixed_text(summary.p50, 2));
  line(out, "P90 " + name + " (ms):", fixed_text(summary.p90, 2));
  line(out, "P99 " + name + " (ms):", fixed_text(summary.p99, 2));
}

}  // namespace

void write_client_block(const Report& report, std::ostream& out) {
  out << centred(" Serving Benchmark Result ", block_width, '=') << '\n';
  line(out, "Successful requests:", std::to_string(report.completed));
  line(out, "Failed requests:", std::to_string(report.rejected + report.cancelled));
  line(out, "Benchmark duration (s):", fixed_text(to_seconds(report.duration), 2));
  line(out, "Total input tokens:", std::to_string(report.total_input_tokens));
  line(out, "Total generated tokens:", std::to_string(report.total_output_tokens));
  line(out, "Request throughput (req/s):", fixed_text(report.request_throughput, 2));
  if (slo_is_set(report)) line(out, "Request goodput (req/s):", fixed_text(report.request_goodput, 2));
  line(out, "Output token throughput (tok/s):", fixed_text(report.output_throughput, 2));
  line(out, "Total token throughput (tok/s):", fixed_text(report.total_token_throughput, 2));
  latency(out, "Time to First Token", "TTFT", report.ttft);
  latency(out, "Time per Output Token (excl. 1st token)", "TPOT", report.tpot);
  latency(out, "Inter-token Latency", "ITL", report.itl);
  latency(out, "End-to-end Latency", "E2EL", report.e2el);
  out << std::string(block_width, '=') << '\n';
}

}  // namespace decodesim
