#include "tests/study/study_files.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace decodesim::tests {

StudyFile::StudyFile(const std::string& text) {
  static int count = 0;
  const std::string name = "decodesim-study-" + std::to_string(getpid()) + "-" + std::to_string(++count) + ".yaml";
  path_ = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream(path_) << text;
}

StudyFile::~StudyFile() { std::filesystem::remove(path_); }

}  // namespace decodesim::tests
