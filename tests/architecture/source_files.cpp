#include "tests/architecture/source_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace decodesim::tests {

std::string SourceFile::room() const {
  if (!path.starts_with("sim/")) return {};
  return path.substr(4, path.find('/', 4) - 4);
}

std::vector<SourceFile> source_files(const std::vector<std::string>& folders) {
  const std::filesystem::path root(DECODESIM_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp") continue;
      SourceFile file{entry.path().lexically_relative(root).generic_string(), {}};
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string code_of(std::string_view line) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (line.substr(i, 2) == "//") break;
    // An apostrophe between digits groups them.
    const bool groups = c == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(line[i - 1])) != 0;
    if ((c == '"' || c == '\'') && !groups) quote = c;
    code += c;
  }
  return code;
}

std::string included(std::string_view line) {
  if (!line.starts_with("#include ")) return {};
  const std::size_t start = line.find_first_of("\"<");
  const std::size_t end = line.find_last_of("\">");
  if (start == std::string_view::npos || end <= start) return {};
  return std::string(line.substr(start + 1, end - start - 1));
}

std::string place(const SourceFile& file, std::size_t line) { return file.path + ":" + std::to_string(line + 1); }

}  // namespace decodesim::tests
