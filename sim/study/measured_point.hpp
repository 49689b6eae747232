#pragma once
// What somebody measured on a real server, and the set-up it was measured under, as a table or a result file tells it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodesim {

/// What of a measurement can be held against a simulation: means over the requests, and output tokens a second of the
/// whole tensor-parallel group, ramp-up and drain included.
enum class MeasuredMetric { ttft_ms, tpot_ms, output_throughput };
inline constexpr std::array<std::string_view, 3> measured_metric_names{"ttft_ms", "tpot_ms", "output_throughput"};
constexpr std::string_view measured_metric_name(MeasuredMetric metric) {
  return measured_metric_names[static_cast<std::size_t>(metric)];
}

/// The largest count of requests, clients or tokens of a length that a measurement may state: as much as a scenario may.
inline constexpr double most_measured_count = 1e9;
/// A nanosecond in ms, and 30 years; tokens a second within the same bounds. What lies beyond is a slip, and relative errors
/// of it would hide all others.
inline constexpr double least_measured = 1e-6;
inline constexpr double most_measured = 1e12;
constexpr bool is_measurable(double value) { return value >= least_measured && value <= most_measured; }
inline constexpr std::string_view measurable_words =
    "milliseconds and tokens a second lie between 0.000001 and 1,000,000,000,000";

/// One measured number: in ms, or in tokens a second. Always measurable.
struct MeasuredValue {
  MeasuredMetric metric = MeasuredMetric::ttft_ms;
  double value = 0;
  std::string id;  // of its row; empty where rows have none
  int line = 0;    // of its row; 0 in a result file
};

/// How requests reached the server.
enum class LoadKind { closed_loop, all_at_once, poisson };

/// One load on one server, and all that was measured of it. Names are those of the catalog. What is empty or zero is not
/// stated, so that a base scenario decides it.
struct MeasuredPoint {
  std::string file;  // as the user named it
  int line = 0;      // of its first row; 0 in a result file
  std::string id;    // of its first row
  std::string note;
  std::string source;
  std::string model;
  std::string gpu;  // of the catalog, where there is no node
  std::string node;
  std::string engine;  // a preset of scenarios/engines
  std::string weights;
  std::string kv_cache;
  std::int64_t tp = 0;
  std::int64_t input_tokens = 0;   // the longest, where a set-up draws them
  std::int64_t output_tokens = 0;  // likewise
  LoadKind load = LoadKind::closed_loop;
  std::int64_t concurrency = 0;  // `closed_loop`
  double request_rate = 0;       // `poisson`; requests a second
  std::int64_t num_requests = 0;
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::vector<MeasuredValue> values;
};

/// What tables and messages call a point: its id, else its place.
std::string point_name(const MeasuredPoint& point);
/// "16 clients", "all at once" or "4 req/s".
std::string load_text(const MeasuredPoint& point);

}  // namespace decodesim
