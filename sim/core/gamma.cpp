#include "sim/core/gamma.hpp"

#include <cmath>

#include "sim/core/check.hpp"
#include "sim/core/math.hpp"

namespace decodesim::math {

namespace {

constexpr double half_log_two_pi = 0.91893853320467274178;

/// P(X <= x) or P(X > x), and x times the density at x.
struct Tail {
  double probability;
  double slope;
};

double scaled_density(double shape, double x, double log_x) { return exp(shape * log_x - x - log_gamma(shape)); }

/// x^n / (a (a + 1) ... (a + n)), summed; all terms are positive, so nothing cancels.
Tail lower_by_series(double shape, double x, double log_x) {
  double term = 1 / shape;
  double sum = term;
  for (double n = 1; term > sum * 1e-17; ++n) sum += term *= x / (shape + n);
  const double slope = scaled_density(shape, x, log_x);
  return {slope * sum, slope};
}

/// The continued fraction of the upper incomplete gamma function (Legendre), evaluated from the top by Lentz' method.
Tail upper_by_fraction(double shape, double x, double log_x) {
  double b = x + 1 - shape;
  double c = 1e300;
  double d = 1 / b;
  double value = d;
  for (double n = 1; n < 100'000; ++n) {
    const double a = n * (shape - n);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    const double factor = c * d;
    value *= factor;
    if (factor > 1 - 5e-16 && factor < 1 + 5e-16) break;
  }
  const double slope = scaled_density(shape, x, log_x);
  return {slope * value, slope};
}

Tail lower_tail(double shape, double x, double log_x) {
  if (x < shape + 1) return lower_by_series(shape, x, log_x);
  const Tail upper = upper_by_fraction(shape, x, log_x);
  return {1 - upper.probability, upper.slope};
}

Tail upper_tail(double shape, double x) {
  if (x >= shape + 1) return upper_by_fraction(shape, x, log(x));
  const Tail lower = lower_by_series(shape, x, log(x));
  return {1 - lower.probability, lower.slope};
}

/// Near the quantile: by the cube of a normal variable (Wilson and Hilferty 1931) for large shapes, and by the first term of
/// the series, which lies below it, for the others.
double first_guess_of_log(double shape, double p, double q) {
  if (shape > 1) {
    const double normal = q < 0.5 ? -normal_quantile(q) : normal_quantile(p);
    const double root = 1 - 1 / (9 * shape) + normal / (3 * std::sqrt(shape));
    if (root > 0.1) return log(shape) + 3 * log(root);
  }
  return (log(p) + log_gamma(shape + 1)) / shape;
}

}  // namespace

double log_gamma(double a) {
  check(a > 0, "the gamma function of a positive number");
  double product = 1;
  for (; a < 16; a += 1) product *= a;
  const double z = 1 / (a * a);
  const double series = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / a;
  return (a - 0.5) * log(a) - a + half_log_two_pi + series - log(product);
}

double gamma_exceeded(double shape, double q) {
  check(shape > 0 && q > 0 && q <= 1, "a quantile of a gamma distribution");
  const double p = 1 - q;
  if (p == 0) return 0;
  double log_x = first_guess_of_log(shape, p, q);
  // In the lower half the logarithm of P is concave in the logarithm of x, so that Newton's steps cannot go astray; in the
  // upper half that of Q is nearly straight in x.
  if (q > 0.5) {
    const double wanted = log(p);
    for (int step = 0; step < 100; ++step) {
      const Tail tail = lower_tail(shape, exp(log_x), log_x);
      const double change = (log(tail.probability) - wanted) * tail.probability / tail.slope;
      log_x -= change;
      if (change < 1e-13 && change > -1e-13) break;
    }
    return exp(log_x);
  }
  double x = exp(log_x);
  const double wanted = log(q);
  for (int step = 0; step < 100; ++step) {
    const Tail tail = upper_tail(shape, x);
    // d log Q / dx is minus the density over Q.
    const double change = (log(tail.probability) - wanted) * tail.probability * x / tail.slope;
    x = x + change > 0 ? x + change : x / 2;
    if (change < 1e-13 * x && change > -1e-13 * x) break;
  }
  return x;
}

}  // namespace decodesim::math
