#include "sim/report/progress.hpp"

#include <algorithm>

#include "sim/report/number_text.hpp"

namespace decodesim {

namespace {

constexpr std::chrono::milliseconds pause{100};
constexpr std::uint32_t facts_per_look = 64;  // a look at the clock costs as much as a few facts

}  // namespace

Progress::Progress(std::ostream& out, bool terminal, std::int64_t requests)
    : out_(out), terminal_(terminal), requests_(requests) {
  if (terminal_) began_ = written_ = WallClock::now();
}

void Progress::step(const StepFacts& facts) {
  tokens_ += tokens_out(facts) - static_cast<std::int64_t>(facts.withdrawn.size());
  if (terminal_ && ++facts_ % facts_per_look == 0) show(facts.end);
}

void Progress::ended(const RequestFacts& facts) {
  ++ended_;
  if (terminal_ && ++facts_ % facts_per_look == 0) show(facts.ended);
}

void Progress::show(Time now) {
  const WallClock::time_point wall = WallClock::now();
  if (wall - written_ < pause) return;
  written_ = wall;
  shown_ = true;
  const double elapsed = std::max(1e-3, std::chrono::duration<double>(wall - began_).count());
  out_ << '\r' << grouped(ended_) << " of " << grouped(requests_) << " requests, " << significant(to_seconds(now), 3)
       << " s simulated, " << significant(static_cast<double>(tokens_) / elapsed, 2) << " tokens a second\x1b[K"
       << std::flush;
}

void Progress::run_ended(const RunFacts&) {
  if (shown_) out_ << "\r\x1b[K" << std::flush;
}

}  // namespace decodesim
