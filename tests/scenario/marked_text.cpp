#include "tests/scenario/marked_text.hpp"

#include <doctest/doctest.h>

namespace decodesim::tests {

Expected expected(std::string_view marked) {
  constexpr std::string_view marker = "§";
  const std::size_t at = marked.find(marker);
  REQUIRE(at != std::string_view::npos);
  Expected result;
  result.text = std::string(marked.substr(0, at)) + std::string(marked.substr(at + marker.size()));
  for (char c : marked.substr(0, at)) {
    result.column = c == '\n' ? 1 : result.column + 1;
    result.line += c == '\n' ? 1 : 0;
  }
  return result;
}

void check_mistake(const WrongFile& wrong) {
  const Expected file = expected(wrong.text);
  const Loaded loaded = load_text(file.text);
  CAPTURE(wrong.what);
  INFO(diagnostics_text(loaded.diagnostics));
  CHECK(loaded.scenarios.empty());
  REQUIRE(loaded.diagnostics.size() == 1);
  const Diagnostic& mistake = loaded.diagnostics.front();
  CHECK(mistake.code == wrong.code);
  CHECK(mistake.line == file.line);
  CHECK(mistake.column == file.column);
  CHECK(mistake.help.find(wrong.help) != std::string::npos);
  CHECK(mistake.severity == Severity::error);
  CHECK(mistake.file == "s.yaml");
}

}  // namespace decodesim::tests
