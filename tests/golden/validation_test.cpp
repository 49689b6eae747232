// docs/validation.md and hardware/validation.yaml are what the program says of the published measurements today.

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/document_section.hpp"
#include "tests/support/program.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

const std::string root = DECODESIM_SOURCE_DIR;

void keep(const std::string& file, const std::string& text) {
  if (std::getenv("DECODESIM_UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << text;
  CHECK_MESSAGE(file_text(file) == text, "differs from " << file << "; DECODESIM_UPDATE_GOLDEN=1 writes it anew");
}

}  // namespace

TEST_CASE("the page of validation and the table of trust are what the program prints for the published measurements") {
  const auto points = shared_file("data/measured/points.csv");
  if (!points) return;
  const std::string trust =
      (std::filesystem::temp_directory_path() / ("decodesim-trust-" + std::to_string(getpid()) + ".yaml")).string();
  const ProgramResult result = run_program("validate '" + points->string() + "' --markdown --trust '" + trust + "'");
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("906 measured rows in: ") == 0);
  check_section("docs/validation.md", "serving points", result.out);
  keep(root + "/hardware/validation.yaml", file_text(trust));
  std::filesystem::remove(trust);
}

}  // namespace decodesim::tests
