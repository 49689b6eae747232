#pragma once
// A result never replaces what it was made from, nor another result.

#include <span>
#include <string>

namespace decodesim {

/// A file that an option names for a result; empty where the option was not given.
struct OutputFile {
  std::string option;  // "--csv"
  std::string file;
};

/// Throws UsageError where an output is one of the files that are read, or two outputs are one file, whatever the names.
void check_output_files(std::span<const OutputFile> outputs, std::span<const std::string> inputs);

}  // namespace decodesim
