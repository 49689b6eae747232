#include "sim/scenario/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace decodesim {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> folders{{
    {"gpus", "hardware/gpus"},
    {"nodes", "hardware/nodes"},
    {"models", "workloads/models"},
    {"workloads", "workloads/presets"},
    {"scenarios", "scenarios"},
}};

fs::path folder_of(std::string_view kind) {
  for (const auto& [name, folder] : folders) {
    if (name == kind) return folder;
  }
  return {};
}

bool holds_catalog(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "hardware" / "gpus", ignored);
}

}  // namespace

const std::vector<std::string_view>& Catalog::kinds() {
  static const std::vector<std::string_view> names{"gpus", "nodes", "models", "workloads", "scenarios"};
  return names;
}

std::vector<std::string> Catalog::names(std::string_view kind) const {
  std::vector<std::string> result;
  const fs::path folder = folder_of(kind);
  if (root_.empty() || folder.empty()) return result;
  std::error_code error;
  for (fs::directory_iterator file(root_ / folder, error), end; !error && file != end; file.increment(error)) {
    if (file->path().extension() == ".yaml") result.push_back(file->path().stem().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

fs::path Catalog::file(std::string_view kind, std::string_view name) const {
  return root_ / folder_of(kind) / (std::string(name) + ".yaml");
}

std::string Catalog::objection() const {
  if (root_.empty()) return "the catalog was not found";
  std::error_code ignored;
  for (const auto& [kind, folder] : folders) {
    if (fs::is_directory(root_ / folder, ignored)) return "";
  }
  return "the catalog was not found at " + root_.string() + ", which DECODESIM_HOME names";
}

std::string Catalog::objection(std::string_view kind) const {
  if (!names(kind).empty()) return "";
  const std::string whole = objection();
  if (!whole.empty()) return whole;
  return "the catalog at " + root_.string() + " has no " + std::string(kind) + ": there are none in " +
         (root_ / folder_of(kind)).string();
}

Catalog find_catalog() {
  if (const char* home = std::getenv("DECODESIM_HOME"); home != nullptr && *home != '\0') return Catalog(home);
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return Catalog({});
  for (;; folder = folder.parent_path()) {
    if (holds_catalog(folder)) return Catalog(folder);
    if (holds_catalog(folder / "share" / "decodesim")) return Catalog(folder / "share" / "decodesim");
    if (folder == folder.parent_path()) return Catalog({});
  }
}

fs::path scenario_file(const std::string& name) {
  std::error_code ignored;
  if (fs::exists(name, ignored) && !fs::is_directory(name, ignored)) return name;
  const Catalog catalog = find_catalog();
  const std::vector<std::string> known = catalog.names("scenarios");
  // Only listed names are taken, so no name can lead out of the catalog.
  return std::binary_search(known.begin(), known.end(), name) ? catalog.file("scenarios", name) : fs::path(name);
}

}  // namespace decodesim
