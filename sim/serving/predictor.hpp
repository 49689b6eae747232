#pragma once
// How long a request's output will be, as a policy can be told.

#include <cstdint>

#include "sim/core/random.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

/// Predicts output tokens. All kinds but `max_tokens` are oracles: they start from what the request will really generate,
/// as no real server can, and worsen it. The same request gets the same prediction whatever else is served.
class Predictor {
 public:
  explicit Predictor(const ServerConfig& server);

  /// At least 1. `output_tokens` is what the request really generates.
  ///   oracle      that
  ///   lognormal   that, times an error whose logarithm is normal with mean 0; rounded half up
  ///   buckets     the least power of two that is not below it
  ///   max_tokens  what the client asks for
  [[nodiscard]] std::int64_t predict(const Request& request, std::int64_t output_tokens) const;

 private:
  PredictorSpec spec_;
  IndexedDraws errors_;
};

/// Does this predictor know what no real server does?
constexpr bool is_oracle(const PredictorSpec& predictor) { return predictor.kind != PredictorKind::max_tokens; }

}  // namespace decodesim
