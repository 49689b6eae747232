#pragma once
// What every part of the loader shares while it reads: the texts, the catalog, and what was found wrong.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/catalog.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/shortage.hpp"

namespace decodesim {

/// One load of one scenario file. Mistakes are kept once, though several cases may run into them.
class Reading {
 public:
  explicit Reading(Catalog catalog, Shortage shortage = Shortage::refused)
      : catalog_(std::move(catalog)), shortage_(shortage) {}

  [[nodiscard]] Shortage shortage() const { return shortage_; }

  [[nodiscard]] const Catalog& catalog() const { return catalog_; }
  /// Keeps a text for as long as positions may point into it.
  const SourceText* keep(SourceText source) { return texts_.add(std::move(source)); }
  /// The same for what was read from a file.
  const SourceText* keep_file(const std::filesystem::path& file, std::string text) {
    files_.push_back(file.string());
    return keep({file.string(), file.parent_path(), std::move(text)});
  }
  /// The files that were kept, bases and entries of the catalog.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// The tree of a text that is kept, its mistakes noted.
  std::optional<DocumentNode> parse(const SourceText& source, std::size_t skipped = 0);

  void note(Diagnostic diagnostic);
  void error(const Position& at, std::string code, std::string message, std::string help = {}) {
    if (is_full()) {
      ++errors_;
      return;
    }
    note(diagnostic_at(at, Severity::error, std::move(code), std::move(message), std::move(help)));
  }
  void warn(const Position& at, std::string code, std::string message, std::string help = {}) {
    if (is_full()) return;
    note(diagnostic_at(at, Severity::warning, std::move(code), std::move(message), std::move(help)));
  }
  /// What was found, by file in the order of their reading, and by place within a file.
  [[nodiscard]] std::vector<Diagnostic> diagnostics() const;
  /// Mistakes so far; tells whether a part was read without one.
  [[nodiscard]] std::size_t errors() const { return errors_; }
  /// True once as many were found as are shown. Further ones are counted and not described, since to describe one costs
  /// a walk through its file, and who reads a list may leave the rest of it.
  [[nodiscard]] bool is_full() const { return diagnostics_.size() > most_diagnostics; }

 private:
  Catalog catalog_;
  Shortage shortage_;
  SourceTexts texts_;
  std::vector<std::string> files_;
  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0;
};

/// The whole text of a file, or nothing where it cannot be read, with the system's reason in `why`.
std::optional<std::string> read_file(const std::filesystem::path& path, std::string& why);

}  // namespace decodesim
