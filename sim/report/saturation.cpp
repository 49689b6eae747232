#include "sim/report/saturation.hpp"

namespace decodesim {

namespace {

// An offered load 2 % above capacity leaves 2 % of the arrivals in the queue. Less than that cannot be told from the
// luck of a Poisson process within a few thousand requests, whose count varies by as much.
constexpr double overloaded_share_of_arrivals = 0.02;

// The line must also have risen by some requests from the first arrival to the last: a burst late in a short run tilts
// it by less, and a queue this short empties within a few steps.
constexpr double overloaded_growth_requests = 10;

// Passes leave something waiting most of the time: the server is behind its clients more often than not.
constexpr double waiting_most_of_the_time = 0.5;

}  // namespace

double QueueTrend::slope(Duration span) const {
  // Time is sampled evenly over [0, span], so its mean is span / 2 and its variance span^2 / 12.
  const double length = to_seconds(span);
  if (length <= 0) return not_measured;
  return 12 * (moment_ - area_ * length / 2) / (length * length * length);
}

Saturation saturation_verdict(const SaturationInputs& inputs) {
  const bool waits = inputs.waiting_share >= waiting_most_of_the_time;
  if (inputs.closed_loop) return waits ? Saturation::saturated : Saturation::client_limited;
  // Where clients give up the queue is as long as their patience, however much comes.
  const auto gave_up = static_cast<double>(inputs.gave_up_waiting);
  const double growth = inputs.queue_slope_per_s * to_seconds(inputs.arrival_span);
  // Written so that a slope that was not measured is not overloaded.
  const auto too_many = [&](double requests) {
    return requests >= overloaded_growth_requests &&
           requests >= overloaded_share_of_arrivals * static_cast<double>(inputs.arrivals);
  };
  if (too_many(growth) || too_many(gave_up)) return Saturation::overloaded;
  return waits ? Saturation::backlogged : Saturation::stable;
}

}  // namespace decodesim
