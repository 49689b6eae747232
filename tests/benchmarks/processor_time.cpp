#include "tests/benchmarks/processor_time.hpp"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace decodesim {

double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

ProgramTime time_of_program(std::vector<std::string> arguments) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<char*> words;
  for (std::string& one : arguments) words.push_back(one.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&silent, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words.front(), &silent, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&silent);
  int status = 0;
  rusage used{};
  if (failed != 0 || wait4(child, &status, 0, &used) != child || status != 0)
    throw std::runtime_error(arguments.front() + " failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count()};
}

void add_benchmark(const std::string& name, int repetitions, std::function<double()> work, BestTime& best) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work = std::move(work), &best](benchmark::State& state) {
                                 for (auto _ : state) {
                                   const double took = work();
                                   state.SetIterationTime(took);
                                   best.seconds = std::min(best.seconds, took);
                                 }
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(repetitions);
}

}  // namespace decodesim
