#pragma once
// Real traces and outcomes of real schedulers that lie beside the repository, where they are present.

#include <filesystem>
#include <optional>
#include <string>

namespace decodesim::tests {

/// The file `name` under the shared data folder (DECODESIM_SHARED, or ../shared beside the repository), or nothing:
/// then a message says which test was skipped, and it is counted.
std::optional<std::filesystem::path> shared_file(const std::string& name);
/// Says that the current test did not run for want of `what`, and counts it.
void skip_for_want_of(const std::string& what);
int skipped_count();

}  // namespace decodesim::tests
