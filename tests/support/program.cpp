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

ProgramResult run_program(const std::string& arguments, const std::string& under) {
  const std::string stem =
      (std::filesystem::temp_directory_path() / ("decodesim-" + std::to_string(::getpid()))).string();
  const std::string command = "cd '" DECODESIM_SOURCE_DIR "' && DECODESIM_HOME='" DECODESIM_SOURCE_DIR "' " + under +
                              " '" DECODESIM_BINARY "' " + arguments + " > '" + stem + ".out' 2> '" + stem +
                              ".err' < /dev/null";
  const int status = std::system(command.c_str());
  ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(stem + ".out"),
                       file_text(stem + ".err")};
  std::filesystem::remove(stem + ".out");
  std::filesystem::remove(stem + ".err");
  return result;
}

}  // namespace decodesim::tests
