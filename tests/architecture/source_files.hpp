#pragma once
// The project's own source files, as text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodesim::tests {

struct SourceFile {
  std::string path;                // from the root, with slashes: sim/core/time.hpp
  std::vector<std::string> lines;  // as they are

  [[nodiscard]] bool header() const { return path.ends_with(".hpp"); }
  /// "sim/core" for sim/core/time.hpp.
  [[nodiscard]] std::string folder() const { return path.substr(0, path.rfind('/')); }
  /// "core" for sim/core/time.hpp and sim/core/x/y.hpp; empty outside sim/.
  [[nodiscard]] std::string room() const;
};

/// Every .hpp and .cpp under the folders named, by path.
std::vector<SourceFile> source_files(const std::vector<std::string>& folders);

/// A line without its comment and without what stands in quotes.
std::string code_of(std::string_view line);

/// The target of an #include line, without its delimiters; empty for every other line.
std::string included(std::string_view line);

/// "sim/core/time.hpp:12", for messages.
std::string place(const SourceFile& file, std::size_t line);

}  // namespace decodesim::tests
