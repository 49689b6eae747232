#include "sim/scenario/reading.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <tuple>
#include <utility>

namespace decodesim {

std::optional<DocumentNode> Reading::parse(const SourceText& source, std::size_t skipped) {
  std::vector<Diagnostic> found;
  std::optional<DocumentNode> tree = parse_document(source, found, skipped);
  for (Diagnostic& diagnostic : found) note(std::move(diagnostic));
  return tree;
}

void Reading::note(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  if (is_full()) return;
  if (std::find(diagnostics_.begin(), diagnostics_.end(), diagnostic) != diagnostics_.end()) return;
  if (diagnostics_.size() == most_diagnostics) {
    Diagnostic last;
    last.code = "too-many-mistakes";
    last.message = "these are the first " + std::to_string(most_diagnostics) + " mistakes; there are more";
    last.file = diagnostic.file;
    diagnostic = std::move(last);
  }
  diagnostics_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Reading::diagnostics() const {
  std::vector<std::string> files;
  std::vector<std::pair<std::size_t, const Diagnostic*>> order;
  for (const Diagnostic& diagnostic : diagnostics_) {
    const auto file = std::find(files.begin(), files.end(), diagnostic.file);
    order.emplace_back(file - files.begin(), &diagnostic);
    if (file == files.end()) files.push_back(diagnostic.file);
  }
  const auto place = [](const auto& entry) {
    return std::tuple(entry.first, entry.second->line == 0, entry.second->line, entry.second->column);
  };
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::vector<Diagnostic> sorted;
  sorted.reserve(order.size());
  for (const auto& entry : order) sorted.push_back(*entry.second);
  return sorted;
}

std::optional<std::string> read_file(const std::filesystem::path& path, std::string& why) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    why = "it is a folder";
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  // One byte more than a document may have, so that the parser sees that it is too large; a pipe or a device ends here too.
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (text.size() <= largest_file && file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  return text;
}

}  // namespace decodesim
