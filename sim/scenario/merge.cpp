#include "sim/scenario/merge.hpp"

#include <algorithm>
#include <utility>

namespace decodesim {

DocumentNode merge(DocumentNode under, DocumentNode over) {
  using Shape = DocumentNode::Shape;
  if (over.shape != Shape::map) return over;
  if (under.shape != Shape::map) {
    DocumentNode map;
    map.shape = Shape::map;
    if (under.shape == Shape::scalar && !over.extends.empty()) {
      const Position at = under.at;
      map.entries.push_back({over.extends, at, std::move(under)});
    } else {
      map.extends = over.extends;
    }
    under = std::move(map);
  }
  under.at = over.at;
  under.layer = over.layer;
  for (DocumentEntry& entry : over.entries) {
    const auto place = std::find_if(under.entries.begin(), under.entries.end(),
                                    [&](const DocumentEntry& known) { return known.key == entry.key; });
    if (entry.value.shape == Shape::null) {
      if (place != under.entries.end()) under.entries.erase(place);
    } else if (place == under.entries.end()) {
      // Nulls deeper inside have nothing to remove, but they are no values either.
      entry.value = merge({}, std::move(entry.value));
      under.entries.push_back(std::move(entry));
    } else {
      place->key_at = entry.key_at;
      place->value = merge(std::move(place->value), std::move(entry.value));
    }
  }
  return under;
}

void stamp(DocumentNode& tree, int layer) {
  tree.layer = layer;
  for (DocumentNode& item : tree.items) stamp(item, layer);
  for (DocumentEntry& entry : tree.entries) stamp(entry.value, layer);
}

std::optional<DocumentNode> take(DocumentNode& map, std::string_view key) {
  for (auto entry = map.entries.begin(); entry != map.entries.end(); ++entry) {
    if (entry->key != key) continue;
    DocumentNode value = std::move(entry->value);
    map.entries.erase(entry);
    return value;
  }
  return std::nullopt;
}

}  // namespace decodesim
