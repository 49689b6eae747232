#pragma once
// Texts that diagnostics point into, and places in them.

#include <cstddef>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/scenario/diagnostic.hpp"

namespace decodesim {

/// A text that diagnostics point into.
struct SourceText {
  std::string name;              // as diagnostics call it
  std::filesystem::path folder;  // what relative paths in it are relative to
  std::string text;
};

/// Where something stands. Lines and columns count from 1, columns and lengths in characters.
struct Position {
  const SourceText* source = nullptr;
  int line = 0;
  int column = 0;
  int length = 1;
};

/// Owns the texts that positions point to.
class SourceTexts {
 public:
  const SourceText* add(SourceText source) {
    texts_.push_back(std::move(source));
    return &texts_.back();
  }

 private:
  std::deque<SourceText> texts_;
};

/// Finds places in a text, whose lines are found once.
class Locator {
 public:
  explicit Locator(const SourceText& source);

  /// The byte at a line and a column of bytes, both from 0; the end of the text where there is none.
  [[nodiscard]] std::size_t offset(std::size_t line, std::size_t column) const;
  /// The place of so many bytes, up to the end of the line.
  [[nodiscard]] Position position(std::size_t offset, std::size_t bytes);
  /// The place of a YAML scalar that reads as `value`: its text as it is written, quotes included.
  [[nodiscard]] Position scalar(std::size_t offset, const std::string& value);

 private:
  const SourceText& source_;
  std::vector<std::size_t> starts_;
  std::size_t last_offset_ = 0;
  int last_column_ = 1;
};

/// A diagnostic that points to `at`, with the source line.
Diagnostic diagnostic_at(const Position& at, Severity severity, std::string code, std::string message,
                         std::string help = {});

}  // namespace decodesim
