#pragma once
// A model's shape from the config.json that it is published with.

#include <filesystem>
#include <string>
#include <vector>

#include "sim/model/model_spec.hpp"
#include "sim/scenario/diagnostic.hpp"

namespace decodesim {

struct ImportedModel {
  ModelSpec model;
  std::string text;                  // as an entry of the catalog, a comment at each line says where it comes from
  std::vector<Diagnostic> warnings;  // what the file says and the entry leaves out; in its first lines too
};

/// Beyond what any config.json has, and read within a second.
inline constexpr std::size_t largest_config = std::size_t{1} << 20;

/// Reads a config.json of one of `model_families()`. An empty `name` stands for that of the file, or of its folder where
/// the file goes by "config". Throws UnreadableFile, and ScenarioError with every mistake found.
ImportedModel import_model(const std::filesystem::path& file, const std::string& name);

/// The same of a text that `file` names in messages.
ImportedModel import_model_text(std::string text, const std::filesystem::path& file, const std::string& name);

}  // namespace decodesim
