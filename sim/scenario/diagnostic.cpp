#include "sim/scenario/diagnostic.hpp"

#include <algorithm>
#include <utility>

#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

// The part of a source line that fits a terminal, with the caret's place in it.
struct Excerpt {
  std::string text;
  int column = 1;
  int length = 1;
};

constexpr int most_columns = 160;
constexpr int columns_before_caret = 80;

std::string characters(const std::string& line, std::size_t& at, int count) {
  std::string text;
  for (; count > 0 && at < line.size(); --count) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(line, at));
    text += line.substr(at, length);
    at += length;
  }
  return text;
}

Excerpt excerpt(const Diagnostic& diagnostic) {
  Excerpt result;
  std::size_t at = 0;
  int skipped = 0;
  if (diagnostic.column > most_columns - columns_before_caret / 2) {
    skipped = diagnostic.column - columns_before_caret;
    characters(diagnostic.source_line, at, skipped);
    result.text = "...";
  }
  result.column = diagnostic.column - skipped + static_cast<int>(result.text.size());
  result.text += characters(diagnostic.source_line, at, most_columns);
  if (at < diagnostic.source_line.size()) result.text += "...";
  result.length = std::clamp(diagnostic.length, 1, std::max(1, most_columns - result.column));
  return result;
}

// What precedes the caret on its line: as wide as the source, and a tab stays a tab so that both lines move alike.
std::string caret_line(const Excerpt& excerpt) {
  std::string line;
  std::size_t at = 0;
  for (int column = 1; column < excerpt.column && at < excerpt.text.size(); ++column) {
    line += excerpt.text[at] == '\t' ? '\t' : ' ';
    at += std::max<std::size_t>(1, utf8_length(excerpt.text, at));
  }
  line.append(static_cast<std::size_t>(excerpt.length), '^');
  return line;
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// A terminal must not obey a file; tabs are harmless and keep the caret in its place.
std::string shown(const std::string& line) {
  std::string result;
  std::size_t start = 0;
  for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t', start)) {
    result += printable(std::string_view(line).substr(start, tab - start)) + "\t";
    start = tab + 1;
  }
  return result + printable(std::string_view(line).substr(start));
}

}  // namespace

std::string diagnostic_text(const Diagnostic& diagnostic) {
  const std::string_view word = diagnostic.severity == Severity::error ? "error" : "warning";
  std::string text = std::string(word) + "[" + diagnostic.code + "]: " + printable(diagnostic.message) + "\n";
  if (diagnostic.line == 0) {
    text += " --> " + printable(diagnostic.file) + "\n";
    if (!diagnostic.help.empty()) text += "  = help: " + printable(diagnostic.help) + "\n";
    return text;
  }
  const std::string number = std::to_string(diagnostic.line);
  const std::string margin(number.size(), ' ');
  text += margin + "--> " + printable(diagnostic.file) + ":" + number + ":" + std::to_string(diagnostic.column) + "\n";
  text += margin + " |\n";
  const Excerpt part = excerpt(diagnostic);
  text += number + " | " + shown(part.text) + "\n";
  text += margin + " | " + caret_line(part) + "\n";
  if (!diagnostic.help.empty()) text += margin + " = help: " + printable(diagnostic.help) + "\n";
  return text;
}

std::string diagnostics_text(std::span<const Diagnostic> diagnostics) {
  std::string text;
  std::vector<std::string> files;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += diagnostic_text(diagnostic) + "\n";
    (diagnostic.severity == Severity::error ? errors : warnings) += 1;
    if (std::find(files.begin(), files.end(), diagnostic.file) == files.end()) files.push_back(diagnostic.file);
  }
  if (diagnostics.empty()) return text;
  if (errors > 0) text += counted(errors, "error");
  if (errors > 0 && warnings > 0) text += " and ";
  if (warnings > 0) text += counted(warnings, "warning");
  return text + " in " + (files.size() == 1 ? printable(files.front()) : counted(files.size(), "file")) + "\n";
}

namespace {
std::string first_line(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::error) {
      return diagnostic.file + ":" + std::to_string(diagnostic.line) + ": " + diagnostic.message;
    }
  }
  return "the scenario has mistakes";
}
}  // namespace

ScenarioError::ScenarioError(std::vector<Diagnostic> diagnostics)
    : runtime_error(first_line(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace decodesim
