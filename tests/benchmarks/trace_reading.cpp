// How long a trace of a million rows takes to read, beside the time that `wc -l` takes to count its lines, its start included.
// Time of the processor, which other programs lengthen least, and the best of many, since what disturbs makes it longer.

#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "sim/core/random.hpp"
#include "sim/workload/traces/reader.hpp"
#include "sim/workload/traces/writer.hpp"

namespace decodesim {

namespace {

constexpr std::int64_t rows = 1'000'000;
constexpr double limit = 8;  // times as long as wc

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
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  TraceReader reader{TraceBytes(path), {}};
  std::int64_t tokens = 0;
  while (const Request* request = reader.next()) tokens += request->input_tokens;
  benchmark::DoNotOptimize(tokens);
  if (reader.account().kept != rows) throw std::runtime_error("rows were lost");
  return now() - start;
}

double count_lines(const std::string& path) {
  std::string program = "wc", option = "-l", file = path;
  char* arguments[] = {program.data(), option.data(), file.data(), nullptr};
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", 1, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "wc", &silent, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&silent);
  int status = 0;
  rusage used{};
  if (failed != 0 || wait4(child, &status, 0, &used) != child || status != 0) throw std::runtime_error("wc -l failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Times `work` as often as the library asks for, and keeps the shortest time.
void measure(benchmark::State& state, const std::function<double()>& work, double& best) {
  for (auto _ : state) {
    const double took = work();
    state.SetIterationTime(took);
    best = std::min(best, took);
  }
}

}  // namespace

}  // namespace decodesim

int main(int argc, char** argv) {
  using namespace decodesim;
  benchmark::Initialize(&argc, argv);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("decodesim-benchmark-" + std::to_string(getpid()) + ".csv")).string();
  write_rows(path);
  double read = std::numeric_limits<double>::infinity();
  double count = std::numeric_limits<double>::infinity();
  const auto add = [&](const char* name, auto work, double& best) {
    benchmark::RegisterBenchmark(name,
                                 [work, &best, &path](benchmark::State& state) {
                                   measure(
                                       state, [&] { return work(path); }, best);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(40);
  };
  add("wc -l of a million rows", count_lines, count);
  add("reading a million rows", read_rows, read);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove(path);
  const double ratio = read / count;
  std::printf("reading: %.1f ms, wc -l: %.1f ms at best; %.2f times as long (limit %.0f)\n", read * 1e3, count * 1e3,
              ratio, limit);
  return ratio <= limit ? 0 : 1;
}
