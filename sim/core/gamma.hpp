#pragma once
// The gamma function and the quantiles of the gamma distribution, the same bits on every machine.

namespace decodesim::math {

/// The logarithm of the gamma function of `a` > 0, good to about 14 digits: Stirling's series above 16, and the recurrence
/// below it.
double log_gamma(double a);

/// What a gamma variable of this `shape` and scale 1 exceeds with probability `q` in (0, 1]; zero at 1. Good to about 12
/// digits for shapes from 0.001 to 100,000. By Newton's method on the regularised incomplete gamma function, in + - * /
/// and the logarithm and exponential of math.hpp.
double gamma_exceeded(double shape, double q);

}  // namespace decodesim::math
