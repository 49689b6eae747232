#include "sim/model/layer_groups.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/rounding.hpp"

namespace decodesim {

LayerGroups group_layers(const LayerKinds& kinds) {
  int fewest = 0;
  int most = 0;
  for (int layers : {kinds.full, kinds.window, kinds.state}) {
    if (layers == 0) continue;
    fewest = fewest == 0 ? layers : std::min(fewest, layers);
    most = std::max(most, layers);
  }
  if (most == 0) return {};
  const int size = most * 4 < fewest * 5 ? most : fewest;
  return {ceil_div(kinds.full, size), ceil_div(kinds.window, size), ceil_div(kinds.state, size), size};
}

std::int64_t window_blocks(std::int64_t tokens, std::int64_t window, std::int64_t chunk, std::int64_t block_size) {
  const std::int64_t held = std::min(tokens, window - 1 + chunk);
  return std::min(ceil_div(tokens, block_size), ceil_div(held, block_size) + 1);
}

std::int64_t block_size_for_state(Bytes state, Bytes token, std::int64_t block_size) {
  const double blocks = std::ceil(state.value() / (token.value() * static_cast<double>(block_size)));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(blocks)) * block_size;
}

std::vector<double> window_shares(const std::vector<WindowPool>& pools) {
  double sum = 0;
  std::vector<double> shares;
  for (const WindowPool& pool : pools) {
    shares.push_back(static_cast<double>(pool.window) * pool.layers * pool.bytes_per_token);
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace decodesim
