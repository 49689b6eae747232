// Quantiles of the normal distribution, by Wichura's rational approximations (algorithm AS 241, Applied Statistics 37,
// 1988): one for the middle, one for the tails and one for the far tails.

#include <array>
#include <cmath>
#include <cstddef>

#include "sim/core/check.hpp"
#include "sim/core/math.hpp"

namespace decodesim::math {

namespace {

using Coefficients = std::array<double, 8>;  // from that of x^7 to the constant

constexpr Coefficients middle_over{2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                   45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                   133.14166789178437745, 3.3871328727963666080};
constexpr Coefficients middle_under{
    5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
    5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1};
constexpr Coefficients tail_over{7.74545014278341407640e-4, 0.0227238449892691845833, 0.241780725177450611770,
                                 1.27045825245236838258,    3.64784832476320460504,   5.76949722146069140550,
                                 4.63033784615654529590,    1.42343711074968357734};
constexpr Coefficients tail_under{
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 0.0151986665636164571966, 0.148103976427480074590,
    0.689767334985100004550,   1.67638483018380384940,    2.05319162663775882187,   1};
constexpr Coefficients far_over{2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.00124266094738807843860,
                                0.0265321895265761230930,  0.296560571828504891230,   1.78482653991729133580,
                                5.46378491116411436990,    6.65790464350110377720};
constexpr Coefficients far_under{
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
    0.0148753612908506148525,   0.136929880922735805310,   0.599832206555887937690,   1};

double polynomial(const Coefficients& coefficients, double x) {
  double value = coefficients[0];
  for (std::size_t i = 1; i < coefficients.size(); ++i) value = value * x + coefficients[i];
  return value;
}

}  // namespace

double normal_quantile(double p) {
  check(p > 0 && p < 1, "a quantile of a probability strictly between 0 and 1");
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_over, r) / polynomial(middle_under, r);
  }
  const double r = std::sqrt(-log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? polynomial(tail_over, r - 1.6) / polynomial(tail_under, r - 1.6)
                             : polynomial(far_over, r - 5) / polynomial(far_under, r - 5);
  return q < 0 ? -size : size;
}

}  // namespace decodesim::math
