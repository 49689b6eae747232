// How long a trace of a million rows takes to read, beside the time that `wc -l` takes to count its lines, its start included.
// Time of the processor, which other programs lengthen least, and the best of many, since what disturbs makes it longer.

#include "tests/benchmarks/trace_reading.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "sim/core/random.hpp"
#include "sim/workload/traces/reader.hpp"
#include "sim/workload/traces/writer.hpp"
#include "tests/benchmarks/processor_time.hpp"

namespace decodesim {

namespace {

constexpr std::int64_t rows = 1'000'000;
constexpr double limit = 8;  // times as long as wc
constexpr int repetitions = 40;

/// Poisson arrivals of five a second to the microsecond, and lengths of up to four and three digits.
void write_rows(const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  TraceWriter writer(out, TraceForm::csv, {}, {});
  Stream chance(1, "benchmark");
  double now = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    now += chance.exponential() * 200'000;
    Request request;
    request.arrival = Time(Duration(static_cast<std::int64_t>(now) * 1000));
    request.input_tokens = chance.integer(1, 8000);
    request.output_tokens = request.max_tokens = chance.integer(1, 900);
    writer.write(request);
  }
}

/// Seconds of the processor.
double read_rows(const std::string& path) {
  const double start = processor_time();
  TraceReader reader{TraceBytes(path), {}};
  std::int64_t tokens = 0;
  while (const Request* request = reader.next()) tokens += request->input_tokens;
  if (reader.account().kept != rows || tokens < rows) throw std::runtime_error("rows were lost");
  return processor_time() - start;
}

}  // namespace

TraceReading::TraceReading()
    : path_((std::filesystem::temp_directory_path() / ("decodesim-benchmark-" + std::to_string(getpid()) + ".csv"))
                .string()) {
  write_rows(path_);
  add_benchmark(
      "wc -l of a million rows", repetitions,
      [this] {
        return time_of_program({"wc", "-l", path_}).computed;
      },
      counting_);
  add_benchmark(
      "reading a million rows", repetitions, [this] { return read_rows(path_); }, reading_);
}

TraceReading::~TraceReading() { std::filesystem::remove(path_); }

bool TraceReading::held() const {
  const double ratio = reading_.seconds / counting_.seconds;
  std::printf("reading: %.1f ms, wc -l: %.1f ms at best; %.2f times as long (limit %.0f)\n", reading_.seconds * 1e3,
              counting_.seconds * 1e3, ratio, limit);
  return ratio <= limit;
}

}  // namespace decodesim
