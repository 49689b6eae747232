// Each part of a step takes what its bytes or its operations take at datasheet figures, whichever is longer.

#include <optional>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/hardware/collectives.hpp"
#include "sim/hardware/peak.hpp"
#include "sim/model/cost/kinds.hpp"
#include "sim/model/cost/links.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/operations.hpp"
#include "sim/model/weights.hpp"

namespace decodesim::cost {

namespace {

std::vector<AllReduceLine> lines_between(const NodeSpec& node, int ranks, AllReduceChoice choice) {
  if (ranks == 1) return {};
  return all_reduce_lines(group_links(expand(node).graph, ranks), only(choice));
}

/// The parts, in the order of their prices:
///  * linear: weights and activations of all layers over the bandwidth, or 2 x parameters x tokens over the peak of the
///    weights' format. All weights are read in every step, also where only some experts are active.
///    Draft tokens pass through the layers as others do.
///  * attention: cached tokens read and new ones written over the bandwidth, or the operations of all query-key pairs
///  over
///    the bf16 peak; sequences with one token and prompts' chunks apart, since their kernels are.
///  * lm_head: the output layer, for sequences that yield a token and for every draft. Collecting the logits from the ranks is left out.
///  * collectives: two all-reduces a layer, none on a single rank.
///  * host: a constant, and another for each sequence.
/// Bytes and operations are sums over all ranks, which share them evenly, so they are held against the bandwidth and
/// the peak of all ranks together.
class Roofline final : public CostModel {
 public:
  explicit Roofline(const Deployed& deployed)
      : weights_(layer_parameters(deployed.model) * bytes_per_value(deployed.precision.weights)),
        lm_head_weights_(lm_head_parameters(deployed.model) * bytes_per_value(deployed.precision.tables())),
        kv_per_token_(kv_bytes_per_token(deployed.model, deployed.precision.kv_cache) *
                      kv_copies(deployed.model, deployed.parallel.tp)),
        activations_per_token_(activation_bytes_per_token(deployed.model, deployed.parallel.tp)),
        activations_per_sample_(lm_head_activation_bytes(deployed.model, deployed.parallel.tp)),
        linear_flops_per_token_(linear_flops_per_token(deployed.model)),
        lm_head_flops_per_sample_(lm_head_flops_per_sample(deployed.model)),
        attention_flops_per_pair_(attention_flops_per_pair(deployed.model)),
        ranks_(deployed.parallel.tp),
        bandwidth_(deployed.node.gpu.hbm_bandwidth * ranks_),
        weights_peak_(peak_flops(deployed.node.gpu, deployed.precision.weights) * ranks_),
        lm_head_peak_(peak_flops(deployed.node.gpu, deployed.precision.tables()) * ranks_),
        attention_peak_(deployed.node.gpu.peak_bf16 * ranks_),
        all_reduces_(static_cast<double>(all_reduces_per_layer) * deployed.model.layers),
        all_reduce_bytes_per_token_(all_reduce_bytes_per_token(deployed.model)),
        all_reduce_lines_(lines_between(deployed.node, deployed.parallel.tp, deployed.cost.all_reduce)),
        host_time_(deployed.cost.host_time),
        host_per_sequence_(deployed.cost.host_per_sequence) {
    check(deployed.parallel.tp == 1 || !all_reduce_lines_.empty(),
          "a cost model was made for links that allow no all-reduce");
  }

  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    Ledger account;
    if (shape.empty()) return account;
    const auto tokens = static_cast<double>(shape.tokens());
    const auto samples = static_cast<double>(shape.logits());

    spend(account, TimePart::linear, weights_ + activations_per_token_ * tokens, linear_flops_per_token_ * tokens,
          weights_peak_);

    const Bytes decode_read = kv_per_token_ * static_cast<double>(shape.decode_context - shape.decodes);
    const Bytes decode_written = kv_per_token_ * static_cast<double>(shape.decodes + shape.drafts);
    const Bytes chunk_read = kv_per_token_ * static_cast<double>(shape.chunk_context);
    const Bytes chunk_written = kv_per_token_ * static_cast<double>(shape.chunk_tokens);
    spend(account, TimePart::attention, decode_read + decode_written,
          attention_flops_per_pair_ * static_cast<double>(shape.decode_context + shape.draft_pairs), attention_peak_);
    spend(account, TimePart::attention, chunk_read + chunk_written,
          attention_flops_per_pair_ * static_cast<double>(shape.chunk_pairs), attention_peak_);

    if (shape.samples > 0) {
      spend(account, TimePart::lm_head, lm_head_weights_ + activations_per_sample_ * samples,
            lm_head_flops_per_sample_ * samples, lm_head_peak_);
      account.of(ByteKind::weights) += lm_head_weights_;
    }

    account.of(ByteKind::weights) += weights_;
    account.of(ByteKind::kv_read) = decode_read + chunk_read;
    account.of(ByteKind::kv_write) = decode_written + chunk_written;
    account.of(ByteKind::activations) = activations_per_token_ * tokens + activations_per_sample_ * samples;

    if (!all_reduce_lines_.empty()) {
      const AllReduce each = all_reduce(all_reduce_bytes_per_token_ * tokens, all_reduce_lines_);
      account.of(ByteKind::collective) = each.sent * (all_reduces_ * ranks_);
      account.spend(TimePart::collectives, BoundBy::collectives, to_duration(each.time * all_reduces_));
    }
    account.spend(TimePart::host, BoundBy::host, host_time_ + host_per_sequence_ * (shape.decodes + shape.chunks));
    return account;
  }

 private:
  /// Books the longer of the two times a part can take, under what made it longer.
  void spend(Ledger& account, TimePart part, Bytes bytes, Flops flops, FlopsPerSecond peak) const {
    const Seconds moving = bytes / bandwidth_;
    const Seconds computing = flops / peak;
    account.flops += flops;
    if (computing > moving) {
      account.spend(part, BoundBy::compute, to_duration(computing));
    } else {
      account.spend(part, BoundBy::bandwidth, to_duration(moving));
    }
  }

  Bytes weights_;
  Bytes lm_head_weights_;
  Bytes kv_per_token_;
  Bytes activations_per_token_;
  Bytes activations_per_sample_;
  Flops linear_flops_per_token_;
  Flops lm_head_flops_per_sample_;
  Flops attention_flops_per_pair_;
  double ranks_;
  BytesPerSecond bandwidth_;
  FlopsPerSecond weights_peak_;
  FlopsPerSecond lm_head_peak_;
  FlopsPerSecond attention_peak_;
  double all_reduces_;
  Bytes all_reduce_bytes_per_token_;
  std::vector<AllReduceLine> all_reduce_lines_;
  Duration host_time_;
  Duration host_per_sequence_;
};

}  // namespace

std::unique_ptr<CostModel> make_roofline(const Deployed& deployed) { return std::make_unique<Roofline>(deployed); }

}  // namespace decodesim::cost
