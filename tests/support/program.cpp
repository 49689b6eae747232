#include "tests/support/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace decodesim::tests {

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ProgramResult run_command(const std::string& command) {
  const std::string stem =
      (std::filesystem::temp_directory_path() / ("decodesim-" + std::to_string(::getpid()))).string();
  // In brackets, so that the files take the output of each part of the command.
  const std::string whole =
      "cd '" DECODESIM_SOURCE_DIR "' && { " + command + "; } > '" + stem + ".out' 2> '" + stem + ".err' < /dev/null";
  const int status = std::system(whole.c_str());
  ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(stem + ".out"),
                       file_text(stem + ".err")};
  std::filesystem::remove(stem + ".out");
  std::filesystem::remove(stem + ".err");
  return result;
}

ProgramResult run_program(const std::string& arguments, const std::string& under) {
  return run_command("DECODESIM_HOME='" DECODESIM_SOURCE_DIR "' " + under + " '" DECODESIM_BINARY "' " + arguments);
}

}  // namespace decodesim::tests
