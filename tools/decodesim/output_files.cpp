#include "tools/decodesim/output_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace {

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  // Of a file that is not there yet all names lead to one place; one that is there may have several.
  const auto place = [&](const std::string& name) {
    return fs::weakly_canonical(fs::absolute(name, ignored), ignored);
  };
  return place(a) == place(b) || fs::equivalent(a, b, ignored);
}

}  // namespace

void check_output_files(std::span<const OutputFile> outputs, std::span<const std::string> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputFile& one = outputs[i];
    if (one.file.empty()) continue;
    if (std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) { return same_file(one.file, input); }))
      throw UsageError("'" + one.file + "' is an input of this run and would be overwritten", "name another file");
    for (const OutputFile& other : outputs.subspan(i + 1)) {
      if (!other.file.empty() && same_file(one.file, other.file))
        throw UsageError(one.option + " and " + other.option + " name the same file", "name two files");
    }
  }
}

std::unique_ptr<AtomicFile> open_output(const OutputFile& output) {
  return output.file.empty() ? nullptr : std::make_unique<AtomicFile>(output.file);
}

}  // namespace decodesim
