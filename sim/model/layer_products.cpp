#include "sim/model/layer_products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/core/math.hpp"
#include "sim/hardware/peak.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/operations.hpp"
#include "sim/model/weights.hpp"

namespace decodesim {

namespace {

/// Gate, up and down of one feed-forward.
double feed_forward_parameters(const ModelSpec& model, double width) { return 3.0 * model.hidden_size * width; }

/// The width of all products before the attention, so that all parameters of the layers are accounted for.
double latent_projections(const ModelSpec& model) {
  const MoeSpec& moe = model.moe;
  const double dense_layers = moe.experts == 0 ? model.layers : moe.dense_layers;
  const double expert_layers = model.layers - dense_layers;
  const double feed_forward =
      dense_layers * feed_forward_parameters(model, model.intermediate_size) +
      expert_layers *
          feed_forward_parameters(model, static_cast<double>(moe.experts + moe.shared) * moe.intermediate_size);
  const double output = static_cast<double>(model.heads) * model.head_dim * model.hidden_size;
  const double left = (layer_parameters(model) - feed_forward) / model.layers - output;
  return std::max(0.0, left) / model.hidden_size;
}

/// Tiles that kernels are built for, and the share of the full rate that a multiprocessor reaches in them: a smaller tile
/// reads more for what it computes. Fitted to products of Llama 70B's shapes on H100 (aiconfigurator data, 2026), whose
/// times they bring within 5 % in the median; a wider choice of tiles did not help.
struct Tile {
  double rows;
  double columns;
  double rate;
};
constexpr std::array tiles{Tile{128, 128, 1.0}, Tile{128, 64, 0.85}, Tile{64, 128, 0.85},
                           Tile{64, 64, 0.7},   Tile{32, 64, 0.5},   Tile{16, 64, 0.3}};

/// Results that a GPU at its full rate computes in the time that these take in whole tiles and rounds.
double results_in_rounds(double rows, double columns, double copies, int multiprocessors) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Tile& tile : tiles) {
    const double count = copies * std::ceil(rows / tile.rows) * std::ceil(columns / tile.columns);
    const double rounds = std::ceil(count / multiprocessors);
    fewest = std::min(fewest, rounds * multiprocessors * tile.rows * tile.columns / tile.rate);
  }
  return fewest;
}

}  // namespace

LayerProducts products_of(const ModelSpec& model, int tp) {
  const double layers = model.layers;
  const double hidden = model.hidden_size;
  const double ranks = tp;
  const MoeSpec& moe = model.moe;
  const double dense_layers = moe.experts == 0 ? layers : moe.dense_layers;
  const double expert_layers = layers - dense_layers;
  const double own_heads = model.heads / ranks;

  LayerProducts products;
  const double qkv = model.has_latent_cache() ? latent_projections(model) / ranks
                                              : (own_heads + 2.0 * kv_heads_per_rank(model, tp)) * model.head_dim;
  products.qkv = {hidden, qkv, layers};
  products.output = {own_heads * model.head_dim, hidden, layers};
  const double dense = model.intermediate_size / ranks;
  products.gate_up = {hidden, 2 * dense, dense_layers};
  products.down = {dense, hidden, dense_layers};
  if (moe.experts > 0) {
    const double expert = moe.intermediate_size / ranks;
    products.expert_gate_up = {hidden, 2 * expert, expert_layers};
    products.expert_down = {expert, hidden, expert_layers};
    products.shared_gate_up = {hidden, 2 * expert * moe.shared, expert_layers};
    products.shared_down = {expert * moe.shared, hidden, expert_layers};
  }
  products.lm_head = {hidden, model.vocab_size / ranks, 1};
  return products;
}

double distinct_experts(double experts, double active, double tokens) {
  if (active >= experts) return experts;
  return experts * (1 - math::pow(1 - active / experts, tokens));
}

ProductRates rates_of(const GpuSpec& gpu, const EfficiencySpec& efficiency, Precision weights) {
  const bool in_8bit = (weights == Precision::fp8 && gpu.peak_fp8.value() > 0) ||
                       (weights == Precision::int8 && gpu.peak_int8.value() > 0);
  const bool in_4bit = weights == Precision::fp4 && gpu.peak_fp4.value() > 0;
  const double sustained = in_8bit ? gpu.sustained.fp8 : in_4bit ? gpu.sustained.fp4 : gpu.sustained.bf16;
  return {gpu.hbm_bandwidth * gpu.sustained.hbm, peak_flops(gpu, weights) * (sustained * efficiency.compute),
          efficiency.kernel, gpu.multiprocessors, bytes_per_value(weights)};
}

KernelAccount run_product(const Product& product, double rows, double copies, const ProductRates& rates) {
  KernelAccount account;
  if (!(product.layers > 0) || !(product.inputs > 0) || !(product.outputs > 0) || !(rows > 0)) return account;
  const double of_each = rows / copies;
  account.weights = Bytes(product.layers * copies * product.inputs * product.outputs * rates.weight_bytes);
  account.activations = Bytes(product.layers * rows * (product.inputs + product.outputs) * activation_bytes_per_value);
  account.flops = Flops(2 * product.layers * rows * product.inputs * product.outputs);
  account.latency = rates.kernel * product.layers;
  const Seconds moving = (account.weights + account.activations) / rates.bandwidth;
  const double results = results_in_rounds(of_each, product.outputs, copies, rates.multiprocessors);
  const Seconds computing = Flops(2 * product.layers * results * product.inputs) / rates.compute;
  account.bound = computing > moving ? BoundBy::compute : BoundBy::bandwidth;
  account.time = std::max(moving, computing);
  return account;
}

}  // namespace decodesim
