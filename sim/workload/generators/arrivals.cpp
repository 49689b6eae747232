#include "sim/workload/generators/arrivals.hpp"

namespace decodesim {

Arrivals::Arrivals(const ArrivalSpec& spec, std::uint64_t seed, const std::string& of)
    : process_(spec.process),
      steady_rate_(spec.stages.empty() && spec.diurnal.period == Duration{} ? spec.request_rate : 0),
      gaps_(spec, seed, "arrivals" + of),
      rate_(rate_over_time(spec, seed, "bursts" + of)) {}

std::optional<Time> Arrivals::next() {
  const std::int64_t index = index_++;
  if (process_ == ArrivalProcess::all_at_once) return Time{};
  if (process_ == ArrivalProcess::constant && steady_rate_ > 0) {
    // Each from its index, so that no error adds up: the first at zero, request i at i / rate.
    return Instant{0, static_cast<double>(index) * 1e9 / steady_rate_}.rounded();
  }
  const bool first_of_even = process_ == ArrivalProcess::constant && index == 0;
  const double gap = first_of_even ? 0 : gaps_.next();
  const std::optional<Instant> instant = std::visit([&](auto& rate) { return rate.after(gap); }, rate_);
  return instant ? std::optional(instant->rounded()) : std::nullopt;
}

}  // namespace decodesim
