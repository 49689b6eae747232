// The whiteboard: bytes moved over the bandwidth of all ranks together, and nothing else.

#include "sim/model/cost/kinds.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/weights.hpp"

namespace decodesim::cost {

namespace {

/// A step reads all weights once, reads the cached tokens of its sequences and writes the new ones; so a batch b at
/// context c, the new token counted in c, moves weights + b * c * bytes per token. Every layer reads the whole context,
/// and copies that ranks hold of the cache are moved by each of them.
class Ideal final : public CostModel {
 public:
  explicit Ideal(const Deployed& deployed)
      : weights_(weight_bytes(deployed.model, deployed.precision.weights)),
        kv_per_token_(kv_bytes_per_token(deployed.model, deployed.precision.kv_cache) *
                      kv_copies(deployed.model, deployed.parallel.tp)),
        bandwidth_(deployed.node.gpu.hbm_bandwidth * static_cast<double>(deployed.parallel.tp)) {}

  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    Ledger account;
    if (shape.empty()) return account;
    const Bytes read = kv_per_token_ * static_cast<double>(shape.decode_context - shape.decodes + shape.chunk_context);
    const Bytes written = kv_per_token_ * static_cast<double>(shape.tokens());
    account.of(ByteKind::weights) = weights_;
    account.of(ByteKind::kv_read) = read;
    account.of(ByteKind::kv_write) = written;
    account.spend(TimePart::linear, BoundBy::bandwidth, to_duration(weights_ / bandwidth_));
    account.spend(TimePart::attention, BoundBy::bandwidth, to_duration((read + written) / bandwidth_));
    return account;
  }

 private:
  Bytes weights_;
  Bytes kv_per_token_;
  BytesPerSecond bandwidth_;
};

}  // namespace

std::unique_ptr<CostModel> make_ideal(const Deployed& deployed) { return std::make_unique<Ideal>(deployed); }

}  // namespace decodesim::cost
