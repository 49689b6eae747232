#include "tests/support/plain_lengths.hpp"

#include <cmath>

#include "sim/core/math.hpp"
#include "sim/core/random.hpp"

namespace decodesim::tests {

std::int64_t plain_prediction(const ServerConfig& server, const PlainSequence& sequence) {
  const PredictorSpec& predictor = server.scheduler.predictor;
  switch (predictor.kind) {
    case PredictorKind::oracle:
      return sequence.output;
    case PredictorKind::lognormal: {
      const double unit = IndexedDraws(server.seed, "predicted lengths").unit(sequence.request->index);
      const double error = math::exp(predictor.sigma * math::normal_quantile(unit));
      const double tokens = std::floor(static_cast<double>(sequence.output) * error + 0.5);
      if (tokens < 1) return 1;
      return tokens > 1e12 ? 1'000'000'000'000 : static_cast<std::int64_t>(tokens);
    }
    case PredictorKind::buckets: {
      std::int64_t edge = 1;
      while (edge < sequence.output) edge *= 2;
      return edge;
    }
    case PredictorKind::max_tokens:
      break;
  }
  return sequence.request->max_tokens;
}

bool shorter(Duration ageing, const PlainLength& a, const PlainLength& b) {
  if (ageing > Duration(0)) {
    // Both sides of a - waited / ageing < b - waited / ageing times `ageing`.
    const auto count = [ageing](const PlainLength& one) {
      return static_cast<long double>(one.tokens) * static_cast<long double>(ageing.count()) -
             static_cast<long double>(one.waited.count());
    };
    if (count(a) != count(b)) return count(a) < count(b);
  }
  if (a.tokens != b.tokens) return a.tokens < b.tokens;
  return a.index < b.index;
}

}  // namespace decodesim::tests
