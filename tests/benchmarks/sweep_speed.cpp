// Points of a sweep share nothing, so two processors must be nearly twice as fast as one: what is missing is a lock, an
// allocator that they wait for, or a thread that has nothing to do at the end.

#include "tests/benchmarks/sweep_speed.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace decodesim {

namespace {

constexpr int repetitions = 3;
constexpr double limit = 1.9;

/// Sixteen points of about a second.
std::vector<std::string> sweep_on(const char* jobs) {
  return {DECODESIM_BINARY,
          "sweep",
          DECODESIM_SOURCE_DIR "/tests/benchmarks/generated.yaml",
          "--set",
          "workload.num_requests=400000",
          "--sweep",
          "run.seed=1:16:1",
          "--jobs",
          jobs};
}

}  // namespace

SweepSpeed::SweepSpeed() {
  add_benchmark(
      "a sweep of 16 points, one at a time", repetitions, [] { return time_of_program(sweep_on("1")).passed; }, one_);
  add_benchmark(
      "a sweep of 16 points, two at a time", repetitions, [] { return time_of_program(sweep_on("2")).passed; }, two_);
}

bool SweepSpeed::held() const {
  const double ratio = one_.seconds / two_.seconds;
  std::printf("a sweep of 16 points: %.1f s one at a time, %.1f s two at a time; %.2f times as fast (limit %.1f)\n",
              one_.seconds, two_.seconds, ratio, limit);
  return ratio >= limit;
}

}  // namespace decodesim
