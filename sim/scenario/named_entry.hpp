#pragma once
// Names from the catalog in place of mappings.

#include <optional>
#include <string>

#include "sim/core/field.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// The mapping that a node stands for: the entry that it names, alone or by the record's `like` key, with what the
/// scenario says laid over it; the node itself where it names none. An entry may in turn be like another. Nothing after
/// a mistake, which is noted. `path` is that of the node.
///
/// What is changed no longer goes by the entry's name, but by "like NAME". A scenario that takes only some of a node's
/// GPUs keeps the links wired for all of them.
std::optional<DocumentNode> open_named_entry(Reading& reading, const RecordField& record, DocumentNode node,
                                             const std::string& path);

}  // namespace decodesim
