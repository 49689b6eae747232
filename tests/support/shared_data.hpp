#pragma once
// Real traces and outcomes of real schedulers that lie beside the repository, where they are present.

#include <filesystem>
#include <optional>
#include <string>

namespace decodesim::tests {

/// The file `name` under the shared data folder (DECODESIM_SHARED, or ../shared beside the repository), or nothing:
/// then a message says which test was skipped, and it is counted.
std::optional<std::filesystem::path> shared_file(const std::string& name);
int skipped_count();

}  // namespace decodesim::tests
