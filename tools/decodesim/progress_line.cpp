#include "tools/decodesim/progress_line.hpp"

#include <iostream>
#include <string>

namespace decodesim {

namespace {

constexpr const char* to_end = "\x1b[K";

/// "3 min": whole numbers of the unit that suits them.
std::string rough_time(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 3600;
  const auto whole = [](double number) { return std::to_string(static_cast<std::int64_t>(number + 0.5)); };
  if (seconds < 2 * minute) return whole(seconds) + " s";
  return seconds < 2 * hour ? whole(seconds / minute) + " min" : whole(seconds / hour) + " h";
}

}  // namespace

void show_progress(std::int64_t done, std::int64_t all, std::chrono::steady_clock::duration elapsed) {
  const double each = std::chrono::duration<double>(elapsed).count() / static_cast<double>(done);
  std::cerr << '\r' << done << " of " << all << " runs, about " << rough_time(each * static_cast<double>(all - done))
            << " left" << to_end << std::flush;
  if (done == all) clear_progress();
}

void show_progress(std::int64_t done, std::int64_t all) {
  std::cerr << '\r' << done << " of " << all << " runs" << to_end << std::flush;
  if (done == all) clear_progress();
}

void show_progress(std::int64_t done) { std::cerr << '\r' << done << " simulations" << to_end << std::flush; }

void clear_progress() { std::cerr << '\r' << to_end << std::flush; }

}  // namespace decodesim
