#pragma once
// Times of the processor, which other programs lengthen least, and the best of several, since what disturbs makes them longer.

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace decodesim {

/// Seconds that this thread computed.
double processor_time();

/// Seconds that a program of its own computed, its start included, with its output thrown away. Throws std::runtime_error where
/// it fails.
double time_of_program(std::vector<std::string> arguments);

/// The shortest of the times that some work took, once the benchmarks have run.
struct BestTime {
  double seconds = std::numeric_limits<double>::infinity();
};

/// Adds `work`, which returns how many seconds it took, to the benchmarks, to be done so often. `best` must outlive them.
void add_benchmark(const std::string& name, int repetitions, std::function<double()> work, BestTime& best);

}  // namespace decodesim
