#pragma once
// Logarithm, exponential, power and the normal distribution's quantiles that give the same bits on every machine.

namespace decodesim::math {

/// These three take the place of the C library's, which picks a variant by processor, so that draws and prices do not
/// differ between machines. They use + - * / alone, in a stated order, and are within 2 units in the last place of the
/// true value.

/// The natural logarithm. `log(0)` is minus infinity; a negative `x` gives NaN.
double log(double x);

/// e to the power of `x`; infinity above 709.79, zero below -745.2.
double exp(double x);

/// `base` to the power of `exponent`. A negative `base` gives NaN, since no draw and no price has one; otherwise zero,
/// one and infinity follow IEEE 754: pow(x, 0) = pow(1, y) = 1.
double pow(double base, double exponent);

/// What a standard normal variable stays below with probability `p`, which lies strictly between 0 and 1; good to about
/// 15 digits.
double normal_quantile(double p);

}  // namespace decodesim::math
