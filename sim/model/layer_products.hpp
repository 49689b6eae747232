#pragma once
// The matrix products of a step, as the kernels that a rank runs.

#include "sim/core/precision.hpp"
#include "sim/core/quantity.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/model/efficiency_spec.hpp"
#include "sim/model/ledger.hpp"
#include "sim/model/model_spec.hpp"

namespace decodesim {

/// Rows of tokens times a matrix of `inputs` x `outputs` weights on one rank, in each of `layers` layers.
struct Product {
  double inputs = 0;
  double outputs = 0;
  double layers = 1;
};

/// The products of one rank. What a model has beside them (norms, biases, a router, a vision tower) is left out. Where
/// keys and queries pass through latents, `qkv` stands for all products before the attention, as wide as the parameters
/// that the model states leave for them.
struct LayerProducts {
  Product qkv;
  Product output;
  Product gate_up;  // of dense layers
  Product down;
  Product expert_gate_up;  // of one routed expert, in layers that have them
  Product expert_down;
  Product shared_gate_up;  // of the experts that every token uses, as one
  Product shared_down;
  Product lm_head;
};

LayerProducts products_of(const ModelSpec& model, int tp);

/// How many different experts `tokens` tokens use, each of which picks `active` of `experts` evenly and independently of
/// the others: experts x (1 - (1 - active / experts)^tokens). Real routers are uneven, so that they use fewer.
double distinct_experts(double experts, double active, double tokens);

/// What the rates of one rank are: of reading weights, of products in the weights' format, and what shares out the tiles.
struct ProductRates {
  BytesPerSecond bandwidth;
  FlopsPerSecond compute;
  Seconds kernel;
  int multiprocessors = 1;
  double weight_bytes = 2;  // of a parameter
};

/// What a rank reaches of its GPU's figures when weights have this format.
ProductRates rates_of(const GpuSpec& gpu, const EfficiencySpec& efficiency, Precision weights);

/// What one kernel did, on one rank.
struct KernelAccount {
  Seconds time;     // beyond the least time of a kernel
  Seconds latency;  // that least time
  BoundBy bound = BoundBy::bandwidth;
  Bytes weights;
  Bytes activations;
  Flops flops;
};

/// One product in all its layers for `rows` tokens: the least time of a kernel, and then the longer of moving weights and
/// activations and of computing. A product is computed in tiles, whole ones, which the multiprocessors share out in
/// whole rounds; the kernel is taken whose tiles fit best. `copies` matrices, as of experts, share the rows evenly.
KernelAccount run_product(const Product& product, double rows, double copies, const ProductRates& rates);

}  // namespace decodesim
