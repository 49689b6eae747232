// The line through the queue and the verdict drawn from it.

#include "sim/report/saturation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/report/told_run.hpp"

using namespace decodesim;
using decodesim::tests::seconds;

TEST_CASE("the slope is that of the least squares line through finely sampled lengths") {
  const std::vector<std::int64_t> lengths{0, 3, 2, 7, 7, 12, 9, 15};
  const std::vector<std::int64_t> lasts{1, 4, 2, 2, 6, 1, 3, 5};
  QueueTrend trend;
  std::int64_t now = 0;
  double n = 0, t1 = 0, t2 = 0, y1 = 0, ty = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    trend.add(seconds(now), seconds(now + lasts[i]), lengths[i]);
    for (int k = 0; k < 1000 * lasts[i]; ++k) {
      const double t = static_cast<double>(now) + (k + 0.5) / 1000;
      const auto y = static_cast<double>(lengths[i]);
      n += 1, t1 += t, t2 += t * t, y1 += y, ty += t * y;
    }
    now += lasts[i];
  }
  const double slope = (n * ty - t1 * y1) / (n * t2 - t1 * t1);
  CHECK(trend.slope(seconds(now)) == doctest::Approx(slope).epsilon(1e-6));
}

TEST_CASE("a queue that stays as long as it is has no slope, and an instant has none to measure") {
  QueueTrend trend;
  trend.add(seconds(0), seconds(40), 9);
  trend.add(seconds(40), seconds(100), 9);
  CHECK(trend.slope(seconds(100)) == doctest::Approx(0).scale(1));
  CHECK(std::isnan(trend.slope(seconds(0))));
}

TEST_CASE("an open loop is overloaded where the queue keeps more than a fiftieth of the arrivals") {
  SaturationInputs inputs;
  inputs.arrival_span = seconds(1000);
  inputs.arrivals = 5000;
  inputs.waiting_share = 1;
  inputs.queue_slope_per_s = 0.11;
  CHECK(saturation_verdict(inputs) == Saturation::overloaded);
  inputs.queue_slope_per_s = 0.09;
  CHECK(saturation_verdict(inputs) == Saturation::backlogged);
  inputs.waiting_share = 0.49;
  CHECK(saturation_verdict(inputs) == Saturation::stable);
  inputs.queue_slope_per_s = -3;
  CHECK(saturation_verdict(inputs) == Saturation::stable);
}

TEST_CASE("a queue that grew by a few requests is no overload") {
  SaturationInputs inputs;
  inputs.arrival_span = seconds(10);
  inputs.arrivals = 20;
  inputs.waiting_share = 0.2;
  inputs.queue_slope_per_s = 0.9;
  CHECK(saturation_verdict(inputs) == Saturation::stable);
  inputs.queue_slope_per_s = 1.1;
  CHECK(saturation_verdict(inputs) == Saturation::overloaded);
}

TEST_CASE("a queue that clients leave does not grow, and is an overload all the same") {
  SaturationInputs inputs;
  inputs.arrival_span = seconds(100);
  inputs.arrivals = 1000;
  inputs.waiting_share = 0.2;
  inputs.queue_slope_per_s = 0;
  inputs.gave_up_waiting = 19;
  CHECK(saturation_verdict(inputs) == Saturation::stable);
  inputs.gave_up_waiting = 20;
  CHECK(saturation_verdict(inputs) == Saturation::overloaded);
}

TEST_CASE("arrivals all at once have no slope and are backlogged while something waits") {
  SaturationInputs inputs;
  inputs.arrivals = 3000;
  inputs.waiting_share = 0.9;
  CHECK(saturation_verdict(inputs) == Saturation::backlogged);
}
