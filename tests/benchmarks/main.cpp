// What only a quiet machine can time, each beside something that any program has to do.

#include <benchmark/benchmark.h>

#include "tests/benchmarks/event_floor.hpp"
#include "tests/benchmarks/sweep_speed.hpp"
#include "tests/benchmarks/trace_reading.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const decodesim::TraceReading reading;
  const decodesim::EventFloor events;
  const decodesim::SweepSpeed sweeps;
  benchmark::RunSpecifiedBenchmarks();
  const bool reads = reading.held();
  const bool plays = events.held();
  const bool sweeps_held = sweeps.held();
  return reads && plays && sweeps_held ? 0 : 1;
}
