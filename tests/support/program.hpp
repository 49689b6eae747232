#pragma once
// Runs the program itself, as a user would.

#include <string>

namespace decodesim::tests {

struct ProgramResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs `decodesim ARGUMENTS` through a shell in the repository's root, with the repository's catalog. `under` is a command
/// that runs it, such as `timeout 1`.
ProgramResult run_program(const std::string& arguments, const std::string& under = "");

/// Runs a shell command in the repository's root, for instance a script of tools/.
ProgramResult run_command(const std::string& command);

/// The whole of a file; empty where there is none.
std::string file_text(const std::string& path);

}  // namespace decodesim::tests
