#pragma once
// The servers that come with the program as bases: scenarios/engines.

#include <filesystem>
#include <string>
#include <vector>

#include "sim/scenario/catalog.hpp"

namespace decodesim {

/// Names of the presets in alphabetical order.
std::vector<std::string> engine_presets(const Catalog& catalog);
/// The file of a preset that engine_presets() lists, absolute.
std::filesystem::path engine_preset_file(const Catalog& catalog, const std::string& name);
/// What the preset states as scheduler.engine; empty where it cannot be read.
std::string engine_of_preset(const Catalog& catalog, const std::string& name);

}  // namespace decodesim
