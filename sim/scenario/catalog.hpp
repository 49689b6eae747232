#pragma once
// The files that come with the program: hardware/, workloads/ and scenarios/.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace decodesim {

/// Named entries, one file each: `NAME.yaml` in the folder of its kind.
class Catalog {
 public:
  explicit Catalog(std::filesystem::path root) : root_(std::move(root)) {}

  /// Kinds of entries: gpus, nodes, models, workloads, scenarios.
  static const std::vector<std::string_view>& kinds();

  /// Names of a kind in alphabetical order; none where the catalog was not found.
  [[nodiscard]] std::vector<std::string> names(std::string_view kind) const;
  /// The file of an entry that names() lists.
  [[nodiscard]] std::filesystem::path file(std::string_view kind, std::string_view name) const;
  /// "the catalog was not found", with the folder where it should be; empty where it has entries.
  [[nodiscard]] std::string objection() const;
  /// The same of one kind of entries: also where others are there.
  [[nodiscard]] std::string objection(std::string_view kind) const;
  /// What to do about an objection.
  static constexpr const char* remedy =
      "set DECODESIM_HOME to the folder that holds hardware/, workloads/ and scenarios/";
  /// Empty where no folder was found.
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

/// The catalog of this program: $DECODESIM_HOME where it is set; else the first folder, from the executable's upwards,
/// that holds hardware/gpus itself or in share/decodesim.
Catalog find_catalog();

/// The file that a command means by `name`: the file of this name where there is one, else the scenario of the catalog
/// that goes by it ("context-gap"), else the name itself, which then cannot be read.
std::filesystem::path scenario_file(const std::string& name);

}  // namespace decodesim
