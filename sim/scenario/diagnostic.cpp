#include "sim/scenario/diagnostic.hpp"

#include <algorithm>
#include <utility>

#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

// What precedes the caret on its line: as wide as the source, and a tab stays a tab so that both lines move alike.
std::string caret_line(const Diagnostic& diagnostic) {
  std::string line;
  std::size_t at = 0;
  for (int column = 1; column < diagnostic.column && at < diagnostic.source_line.size(); ++column) {
    line += diagnostic.source_line[at] == '\t' ? '\t' : ' ';
    at += std::max<std::size_t>(1, utf8_length(diagnostic.source_line, at));
  }
  line.append(static_cast<std::size_t>(std::max(1, diagnostic.length)), '^');
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
  text += number + " | " + shown(diagnostic.source_line) + "\n";
  text += margin + " | " + caret_line(diagnostic) + "\n";
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
