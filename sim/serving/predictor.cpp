#include "sim/serving/predictor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/core/math.hpp"

namespace decodesim {

namespace {
// Beyond the longest request that there can be, so that sums of predictions stay far from the ends of 64 bits.
constexpr double longest = 1e12;
}  // namespace

Predictor::Predictor(const ServerConfig& server)
    : spec_(server.scheduler.predictor), errors_(server.seed, "predicted lengths") {}

std::int64_t Predictor::predict(const Request& request, std::int64_t output_tokens) const {
  switch (spec_.kind) {
    case PredictorKind::oracle:
      return output_tokens;
    case PredictorKind::lognormal: {
      const double error = math::exp(spec_.sigma * math::normal_quantile(errors_.unit(request.index)));
      const double length = std::min(longest, static_cast<double>(output_tokens) * error);
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(length + 0.5)));
    }
    case PredictorKind::buckets:
      return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(output_tokens)));
    case PredictorKind::max_tokens:
      return request.max_tokens;
  }
  return output_tokens;
}

}  // namespace decodesim
