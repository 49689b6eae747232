#include "tests/support/shared_data.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace decodesim::tests {

namespace {
int skipped = 0;
}

std::optional<std::filesystem::path> shared_file(const std::string& name) {
  const char* chosen = std::getenv("DECODESIM_SHARED");
  const std::filesystem::path root =
      chosen != nullptr ? std::filesystem::path(chosen) : std::filesystem::path(DECODESIM_SOURCE_DIR) / ".." / "shared";
  std::filesystem::path path = root / name;
  if (std::filesystem::exists(path)) return path;
  skip_for_want_of(name);
  return std::nullopt;
}

void skip_for_want_of(const std::string& what) {
  ++skipped;
  std::printf("skipped: %s is not there, so '%s' did not run\n", what.c_str(),
              doctest::getContextOptions()->currentTest->m_name);
}

int skipped_count() { return skipped; }

}  // namespace decodesim::tests
