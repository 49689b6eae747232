#include "sim/study/engine_presets.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "sim/scenario/layers.hpp"

namespace decodesim {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const Catalog& catalog) { return catalog.root() / "scenarios" / "engines"; }

}  // namespace

std::vector<std::string> engine_presets(const Catalog& catalog) {
  std::vector<std::string> names;
  std::error_code error;
  if (catalog.root().empty()) return names;
  for (fs::directory_iterator file(folder_of(catalog), error), end; !error && file != end; file.increment(error)) {
    if (file->path().extension() == ".yaml") names.push_back(file->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path engine_preset_file(const Catalog& catalog, const std::string& name) {
  return fs::absolute(folder_of(catalog) / (name + ".yaml"));
}

std::string engine_of_preset(const Catalog& catalog, const std::string& name) {
  const fs::path file = engine_preset_file(catalog, name);
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) return {};
  Reading reading(catalog);
  const std::optional<LayeredFile> layers = read_layers(reading, {file.string(), file.parent_path(), *text});
  const DocumentNode* scheduler = layers ? layers->tree.find("scheduler") : nullptr;
  const DocumentNode* engine = scheduler != nullptr ? scheduler->find("engine") : nullptr;
  return engine != nullptr ? engine->scalar : std::string();
}

}  // namespace decodesim
