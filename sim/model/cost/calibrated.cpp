// Kernel by kernel at what GPUs sustain, with the least times of kernels and the engine's own time between steps.

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/hardware/collectives.hpp"
#include "sim/model/cost/kinds.hpp"
#include "sim/model/cost/links.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/layer_products.hpp"
#include "sim/model/operations.hpp"

namespace decodesim::cost {

namespace {

std::vector<AllReduceLine> lines_between(const Deployed& deployed) {
  if (deployed.parallel.tp == 1) return {};
  return sustained_all_reduce_lines(group_links(expand(deployed.node).graph, deployed.parallel.tp),
                                    deployed.node.gpu.sustained, deployed.cost.efficiency.all_reduce,
                                    only(deployed.cost.all_reduce));
}

/// The parts, in the order of their prices:
///  * qkv, output, feed_forward, lm_head: run_product() for each matrix. Of routed experts those are read that the tokens
///    are expected to use; each of them is a copy of the matrix that has its share of the tokens.
///  * norms: two elementwise kernels a layer, which move the hidden state of each token `passes` times.
///  * attention: the least time a layer, for decodes with a little for each sequence, and then cached tokens read and new
///    ones written at the share of the sustained bandwidth for the cache's format, or the operations of all query-key pairs
///    at the sustained rate of attention; sequences with one token and prompts' chunks apart, since their kernels are.
///    Layers with a window, or that read the best tokens alone, see as many; an indexer looks at all; a layer with a state
///    reads and writes it. Latent attention is absorbed for sequences with one token (each head works on the latent itself)
///    and expanded for chunks.
///  * sampling: `step`, and `sequence` for each sequence that yields a token and each draft that is judged, whatever runs
///    beside.
///  * collectives: two all-reduces a layer. Collecting the logits from the ranks is left out.
///  * host: `host_time` and `host_per_sequence`, which async hides beside all of this.
/// All ranks are alike, so times are those of one and bytes are summed over all.
///
/// What depends on the number of tokens alone is kept in a table, so that a step costs a look and a slope in context. A
/// cost model belongs to one run, which is single-threaded: that is why price() may fill the table.
class Calibrated final : public CostModel {
 public:
  explicit Calibrated(const Deployed& deployed)
      : model_(deployed.model),
        efficiency_(deployed.cost.efficiency),
        ranks_(deployed.parallel.tp),
        products_(products_of(deployed.model, deployed.parallel.tp)),
        rates_(rates_of(deployed.node.gpu, efficiency_, deployed.precision.weights)),
        lm_head_rates_(rates_of(deployed.node.gpu, efficiency_, deployed.precision.tables())),
        kv_(kv_page_bytes_per_token(deployed.model, deployed.precision.kv_cache, deployed.parallel.tp)),
        kv_bandwidth_(rates_.bandwidth *
                      (bytes_per_value(deployed.precision.kv_cache) < 2 ? efficiency_.kv_8bit : efficiency_.kv_16bit)),
        attention_rate_(deployed.node.gpu.peak_bf16 * deployed.node.gpu.sustained.attention),
        all_reduce_lines_(lines_between(deployed)),
        host_time_(deployed.cost.host_time),
        host_per_sequence_(deployed.cost.host_per_sequence) {
    check(deployed.parallel.tp == 1 || !all_reduce_lines_.empty(),
          "a cost model was made for links that allow no all-reduce");
  }

  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    if (shape.empty()) return {};
    Ledger account = tokens_.at(shape.tokens(), [&](double tokens) { return layers(tokens); });
    if (shape.decodes > 0) {
      // A draft sees what its sequence's newest token sees, and those before it.
      const double seen = static_cast<double>(shape.decode_context + shape.draft_pairs);
      const double clipped = static_cast<double>(shape.decode_clipped) *
                             (1 + static_cast<double>(shape.drafts) / static_cast<double>(shape.decodes));
      const auto decodes = static_cast<double>(shape.decodes);
      attend(account, AttentionForm::absorbed,
             {static_cast<double>(shape.decode_context) - decodes, static_cast<double>(shape.decode_clipped) - decodes,
              static_cast<double>(shape.decodes + shape.drafts), seen, clipped, decodes},
             efficiency_.attention + efficiency_.attention_sequence * decodes);
    }
    if (shape.chunks > 0) {
      attend(account, AttentionForm::expanded,
             {static_cast<double>(shape.chunk_context), static_cast<double>(shape.chunk_clipped),
              static_cast<double>(shape.chunk_tokens), static_cast<double>(shape.chunk_pairs),
              static_cast<double>(shape.chunk_clipped_pairs), static_cast<double>(shape.chunks)},
             efficiency_.attention);
    }
    if (shape.samples > 0) account += samples_.at(shape.logits(), [&](double samples) { return last_layer(samples); });
    account.spend(TimePart::sampling, BoundBy::host, to_duration(efficiency_.step));
    account.spend(TimePart::host, BoundBy::host, host_time_ + host_per_sequence_ * (shape.decodes + shape.chunks));
    return account;
  }

 private:
  /// Prices of steps by a number, kept once they were computed.
  class Table {
   public:
    template <class Price>
    Ledger at(std::int64_t number, Price price) {
      const auto place = static_cast<std::size_t>(number);
      if (place >= rows_max) return price(static_cast<double>(number));
      if (place >= known_.size()) known_.resize(std::max(place + 1, std::min(rows_max, known_.size() * 2)));
      if (!known_[place]) known_[place] = price(static_cast<double>(number));
      return *known_[place];
    }

   private:
    static constexpr std::size_t rows_max = 16384;  // 4 MB; most engines let a step have 8,192 tokens
    std::vector<std::optional<Ledger>> known_;
  };

  /// All that depends on the number of tokens alone.
  [[nodiscard]] Ledger layers(double tokens) const {
    Ledger account;
    book(account, TimePart::qkv, run_product(products_.qkv, tokens, 1, rates_));
    book(account, TimePart::output, run_product(products_.output, tokens, 1, rates_));
    book(account, TimePart::feed_forward, run_product(products_.gate_up, tokens, 1, rates_));
    book(account, TimePart::feed_forward, run_product(products_.down, tokens, 1, rates_));
    if (model_.moe.experts > 0) {
      const double used = distinct_experts(model_.moe.experts, model_.moe.active, tokens);
      const double rows = tokens * model_.moe.active;
      book(account, TimePart::feed_forward, run_product(products_.expert_gate_up, rows, used, rates_));
      book(account, TimePart::feed_forward, run_product(products_.expert_down, rows, used, rates_));
      book(account, TimePart::feed_forward, run_product(products_.shared_gate_up, tokens, 1, rates_));
      book(account, TimePart::feed_forward, run_product(products_.shared_down, tokens, 1, rates_));
    }
    const double kernels = 2.0 * model_.layers;
    const Bytes hidden(tokens * model_.hidden_size * activation_bytes_per_value);
    const Bytes moved = hidden * (model_.layers * efficiency_.passes);
    account.of(ByteKind::activations) += moved * ranks_;
    account.spend(TimePart::norms, BoundBy::latency, to_duration(efficiency_.elementwise * kernels));
    account.spend(TimePart::norms, BoundBy::bandwidth, to_duration(moved / rates_.bandwidth));
    if (!all_reduce_lines_.empty()) {
      const double messages = static_cast<double>(all_reduces_per_layer) * model_.layers;
      const AllReduce each = all_reduce(hidden, all_reduce_lines_);
      account.of(ByteKind::collective) = each.sent * (messages * ranks_);
      account.spend(TimePart::collectives, BoundBy::collectives, to_duration(each.time * messages));
    }
    return account;
  }

  /// All that depends on the number of sequences that yield a token alone.
  [[nodiscard]] Ledger last_layer(double samples) const {
    Ledger account;
    book(account, TimePart::lm_head, run_product(products_.lm_head, samples, 1, lm_head_rates_));
    account.spend(TimePart::sampling, BoundBy::host, to_duration(efficiency_.sequence * samples));
    return account;
  }

  void book(Ledger& account, TimePart part, const KernelAccount& kernel) const {
    account.spend(part, BoundBy::latency, to_duration(kernel.latency));
    account.spend(part, kernel.bound, to_duration(kernel.time));
    account.of(ByteKind::weights) += kernel.weights * ranks_;
    account.of(ByteKind::activations) += kernel.activations * ranks_;
    account.flops += kernel.flops * ranks_;
  }

  /// What the sequences of one attention kernel see and write. The clipped figures are those of layers that do not see
  /// everything.
  struct Attended {
    double cached;
    double cached_clipped;
    double tokens;
    double pairs;
    double pairs_clipped;
    double sequences;
  };

  /// One attention kernel a layer. Layers are those that see everything, those that see a window or the best tokens, and
  /// those that read and write a state of fixed size.
  void attend(Ledger& account, AttentionForm form, const Attended& seen, Seconds least) const {
    const double full = model_.reads_best() ? 0 : model_.global_layers();
    const double best = model_.reads_best() ? model_.global_layers() : 0;
    const double window = model_.window_layers();
    const double states = model_.state_layers();

    // An indexer reads its small keys of all tokens, which lie in the cache beside the rest.
    const Bytes key(model_.reads_best() ? model_.sparse.index_dim : 0);
    const Bytes value = kv_.full - key;
    const Bytes state = model_.linear.state * (states * seen.sequences / ranks_);
    const Bytes read = kv_.full * (full * seen.cached) + (value * seen.cached_clipped + key * seen.cached) * best +
                       kv_.window * (window * seen.cached_clipped) + state;
    const Bytes written = (kv_.full * (full + best) + kv_.window * window) * seen.tokens + state;

    const Flops pair = layer_flops_per_pair(model_, form);
    const Flops flops =
        (pair * (full * seen.pairs + best * seen.pairs_clipped) + index_flops_per_pair(model_) * (best * seen.pairs) +
         window_flops_per_pair(model_) * (window * seen.pairs_clipped)) /
        ranks_;
    const Seconds moving = (read + written) / kv_bandwidth_;
    const Seconds computing = flops / attention_rate_;
    account.spend(TimePart::attention, BoundBy::latency, to_duration(least * static_cast<double>(model_.layers)));
    account.spend(TimePart::attention, computing > moving ? BoundBy::compute : BoundBy::bandwidth,
                  to_duration(std::max(moving, computing)));
    account.of(ByteKind::kv_read) += read * ranks_;
    account.of(ByteKind::kv_write) += written * ranks_;
    account.flops += flops * ranks_;
  }

  ModelSpec model_;
  EfficiencySpec efficiency_;
  double ranks_;
  LayerProducts products_;
  ProductRates rates_;
  ProductRates lm_head_rates_;
  KvPageBytes kv_;  // of one token in one layer on a rank
  BytesPerSecond kv_bandwidth_;
  FlopsPerSecond attention_rate_;
  std::vector<AllReduceLine> all_reduce_lines_;
  Duration host_time_;
  Duration host_per_sequence_;
  mutable Table tokens_;
  mutable Table samples_;
};

}  // namespace

std::unique_ptr<CostModel> make_calibrated(const Deployed& deployed) { return std::make_unique<Calibrated>(deployed); }

}  // namespace decodesim::cost
