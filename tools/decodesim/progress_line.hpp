#pragma once
// A line on stderr that is written over, where somebody watches.

#include <chrono>
#include <cstdint>

namespace decodesim {

/// "12 of 40 runs"; gone once all are done.
void show_progress(std::int64_t done, std::int64_t all);
/// "12 of 40 runs, about 3 min left": the others take as long as those that are done took.
void show_progress(std::int64_t done, std::int64_t all, std::chrono::steady_clock::duration elapsed);
/// "12 simulations", where nobody knows how many there will be.
void show_progress(std::int64_t done);
/// Takes the line away.
void clear_progress();

}  // namespace decodesim
