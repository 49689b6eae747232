#include "tests/support/document_section.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace decodesim::tests {

void check_section(const std::string& document, const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(DECODESIM_SOURCE_DIR) / document;
  std::stringstream whole;
  whole << std::ifstream(file).rdbuf();
  const std::string kept = whole.str();
  const std::string begin = "<!-- " + name + " -->\n";
  const std::size_t from = kept.find(begin);
  const std::size_t to = kept.find("<!-- end of " + name + " -->");
  REQUIRE_MESSAGE((from != std::string::npos && to != std::string::npos), document << " has no place for " << name);
  const std::size_t start = from + begin.size();
  if (std::getenv("DECODESIM_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << kept.substr(0, start) << text << kept.substr(to);
    return;
  }
  CHECK_MESSAGE(kept.substr(start, to - start) == text,
                document << " differs in " << name << "; DECODESIM_UPDATE_GOLDEN=1 writes it anew");
}

}  // namespace decodesim::tests
