#pragma once
// How layers of several kinds share one pool of blocks.

#include <cstdint>
#include <vector>

#include "sim/core/quantity.hpp"
#include "sim/model/pipeline.hpp"

namespace decodesim {

/// Groups of layers, each of one kind and each with its own table of blocks. A block holds one page of every layer of a
/// group, and serves whichever group takes it, so groups have equally many layers: the smaller ones are filled up.
struct LayerGroups {
  int full = 0;
  int window = 0;
  int state = 0;
  int layers = 0;  // of a group

  [[nodiscard]] int count() const { return full + window + state; }
  friend bool operator==(const LayerGroups&, const LayerGroups&) = default;
};

/// As vLLM forms them (vllm/v1/core/kv_cache_utils.py): as many layers as the rarest kind has; but as the commonest has
/// where that is less than a quarter more, since filling up is then cheaper than many groups.
LayerGroups group_layers(const LayerKinds& kinds);

/// Blocks of one group of windowed layers for a sequence of `tokens`, which a step extends by up to `chunk`: the window
/// before the first of these, and one block more because a window seldom begins where a block does.
std::int64_t window_blocks(std::int64_t tokens, std::int64_t window, std::int64_t chunk, std::int64_t block_size);

/// Tokens a block so that a page of attention is no smaller than a state: a multiple of `block_size`.
std::int64_t block_size_for_state(Bytes state, Bytes token, std::int64_t block_size);

/// Layers with one window, as TensorRT-LLM makes a pool of each: it divides its memory by window x layers x bytes.
struct WindowPool {
  std::int64_t window = 0;  // tokens
  int layers = 0;
  double bytes_per_token = 1;  // of a layer
};
/// Shares of the memory, which add up to one.
std::vector<double> window_shares(const std::vector<WindowPool>& pools);

}  // namespace decodesim
