#pragma once
// What is wrong with a scenario file, where, and what to write instead.

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace decodesim {

enum class Severity { error, warning };

/// One mistake. Lines and columns count from 1, columns in characters; line 0 means the file as a whole.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;     // "unknown-key": stable, for tools
  std::string message;  // what is wrong, with the key's full path
  std::string file;     // as the user named it, or "--set[2]"
  int line = 0;
  int column = 0;
  int length = 1;           // characters to underline
  std::string source_line;  // the line of the file
  std::string help;         // what to write instead; may be empty

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// The mistake with its source line and a caret run under it; ends with a newline.
std::string diagnostic_text(const Diagnostic& diagnostic);

/// All of them, an empty line between two, and a closing line such as "3 errors in s.yaml".
std::string diagnostics_text(std::span<const Diagnostic> diagnostics);

/// A scenario with mistakes: all that were found, in the order of the files. Warnings are among them.
class ScenarioError : public std::runtime_error {
 public:
  explicit ScenarioError(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A scenario file that cannot be read at all; exit code 1, since nothing is known about its content.
class UnreadableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace decodesim
