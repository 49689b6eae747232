#pragma once
// Plays variants on the same seeds, several runs side by side.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/variant.hpp"

namespace decodesim {

struct StudySpec {
  std::uint64_t first_seed = 1;  // seed k of every variant is this plus k
  std::int64_t seeds = 1;
  std::int64_t jobs = 1;  // runs side by side; no result depends on it
  std::string version;    // of the program
};

/// What one variant did. `seeds` holds the metrics of metric_table() for each seed that was played to its end, and nothing
/// for one that an interruption left out.
struct PlayedSeeds {
  std::vector<std::vector<double>> seeds;
  std::string objection;              // why the variant cannot run; empty where it can
  std::vector<std::string> warnings;  // of its deployment
  std::vector<std::string> oracles;   // what its policy knows that no real server could
};

/// Plays every variant that has a scenario on every seed. A run owns everything it touches, so threads share nothing but
/// the list of what is still to do. Where a run of a variant cannot go on (a watchdog, an unreadable trace), the variant has
/// the reason of its lowest such seed. Where `stop` becomes true, runs in progress are thrown away and the rest is not
/// played. `told` is called after every run with how many are done, from one thread at a time.
std::vector<PlayedSeeds> play_seeds(std::span<const Variant> variants, const StudySpec& study,
                                    const std::atomic<bool>& stop,
                                    const std::function<void(std::int64_t done, std::int64_t all)>& told);

}  // namespace decodesim
