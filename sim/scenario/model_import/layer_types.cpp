#include "sim/scenario/model_import/layer_types.hpp"

#include <string>

namespace decodesim {

std::optional<int> full_every(ConfigKeys& keys, int layers, std::string_view other) {
  constexpr std::string_view key = "layer_types";
  const DocumentNode* list = keys.find(key);
  const std::string name = "'" + keys.name(key) + "'";
  if (list->shape != DocumentNode::Shape::list) {
    keys.error(key, "wrong-type", name + " takes a list with a text for each layer");
    return std::nullopt;
  }
  if (list->items.size() != static_cast<std::size_t>(layers)) {
    keys.error(
        key, "contradiction",
        name + " has " + std::to_string(list->items.size()) + " entries for " + std::to_string(layers) + " layers");
    return std::nullopt;
  }
  int every = 0;
  for (int layer = 1; layer <= layers; ++layer) {
    const DocumentNode& entry = list->items[static_cast<std::size_t>(layer - 1)];
    const bool full = entry.scalar == "full_attention";
    if (!full && entry.scalar != other) {
      keys.error_at(
          entry.at, "unsupported",
          name + " has '" + entry.scalar + "'; here layers are 'full_attention' or '" + std::string(other) + "'");
      return std::nullopt;
    }
    if (full && every == 0) every = layer;
    if (full != (every > 0 && layer % every == 0)) {
      keys.error_at(entry.at, "unsupported",
                    name + " has no pattern that a model can state: layer " + std::to_string(layer) +
                        " breaks 'every " + std::to_string(every) + "th layer is full attention'",
                    "a model here has one kind of layer with every n-th of full attention among them");
      return std::nullopt;
    }
  }
  return every;
}

}  // namespace decodesim
