#pragma once
// Times of the processor, which other programs lengthen least, and the best of several, since what disturbs makes them longer.

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace decodesim {

/// Seconds that this thread computed.
double processor_time();

/// What a program took, in seconds.
struct ProgramTime {
  double computed = 0;  // by all its threads
  double passed = 0;    // on the clock, which whatever else runs lengthens
};

/// Of a program of its own, its start included, with its output thrown away. Throws std::runtime_error where it fails.
ProgramTime time_of_program(std::vector<std::string> arguments);

/// The shortest of the times that some work took, once the benchmarks have run.
struct BestTime {
  double seconds = std::numeric_limits<double>::infinity();
};

/// Adds `work`, which returns how many seconds it took, to the benchmarks, to be done so often. `best` must outlive them.
void add_benchmark(const std::string& name, int repetitions, std::function<double()> work, BestTime& best);

}  // namespace decodesim
