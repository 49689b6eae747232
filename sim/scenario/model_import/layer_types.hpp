#pragma once
// The list `layer_types` of a config.json as the one number that a model's shape has for it.

#include <optional>
#include <string_view>

#include "sim/scenario/model_import/config_keys.hpp"

namespace decodesim {

/// Every n-th layer is "full_attention" and all others are `other`: n, which is 1 where all are full, and 0 where none
/// is. Nothing where the list is wrong or has no such pattern, which is told; the list must be there.
std::optional<int> full_every(ConfigKeys& keys, int layers, std::string_view other);

}  // namespace decodesim
