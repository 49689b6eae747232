#pragma once
// Entries of the catalog as Specs, through the same tables and diagnostics as a scenario.

#include <filesystem>
#include <string>

#include "sim/hardware/node_spec.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/scenario/catalog.hpp"

namespace decodesim {

/// Each throws ScenarioError where the entry does not exist or has mistakes.
GpuSpec load_gpu(const Catalog& catalog, const std::string& name);
NodeSpec load_node(const Catalog& catalog, const std::string& name);
ModelSpec load_model(const Catalog& catalog, const std::string& name);

/// The sentence that a catalog file begins with, without its '#'; empty where it has none.
std::string first_comment(const std::filesystem::path& file);

}  // namespace decodesim
