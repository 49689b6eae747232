#pragma once
// Files beside scenarios that are one mapping, described by a field table.

#include <filesystem>
#include <string>

#include "sim/core/field.hpp"

namespace decodesim {

/// Reads `file` into `spec`, which `fields` describe; `what` it is called in messages ("a file of set-ups"). Throws
/// ScenarioError with every mistake, UnreadableFile where it cannot be read.
void read_mapping_file(const std::filesystem::path& file, FieldTable fields, void* spec, const std::string& what);

}  // namespace decodesim
