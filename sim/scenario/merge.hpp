#pragma once
// Joins documents: what comes later wins.

#include <string>
#include <vector>

#include "sim/scenario/document.hpp"

namespace decodesim {

/// Lays `over` on `under`: mappings merge key by key, lists and scalars replace, and null removes. A key keeps the place
/// in the order where it first stood. A mapping that `extends` turns a scalar below it into {like: NAME} or {file: NAME} and goes
/// on from there.
DocumentNode merge(DocumentNode under, DocumentNode over);

/// Gives a tree and all in it a layer: a value of a higher layer was stated later.
void stamp(DocumentNode& tree, int layer);

/// Takes the entry of this key out of a mapping; nothing where it has none.
std::optional<DocumentNode> take(DocumentNode& map, std::string_view key);

}  // namespace decodesim
