#include "tools/decodesim/progress_line.hpp"

#include <iostream>

namespace decodesim {

namespace {

constexpr const char* to_end = "\x1b[K";

}  // namespace

void show_progress(std::int64_t done, std::int64_t all) {
  std::cerr << '\r' << done << " of " << all << " runs" << to_end << std::flush;
  if (done == all) clear_progress();
}

void show_progress(std::int64_t done) { std::cerr << '\r' << done << " simulations" << to_end << std::flush; }

void clear_progress() { std::cerr << '\r' << to_end << std::flush; }

}  // namespace decodesim
