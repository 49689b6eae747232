#pragma once
// A result never replaces what it was made from, nor another result.

#include <memory>
#include <span>
#include <string>

#include "sim/report/atomic_file.hpp"

namespace decodesim {

/// A file that an option names for a result; empty where the option was not given.
struct OutputFile {
  std::string option;  // "--csv"
  std::string file;
};

/// Throws UsageError where an output is one of the files that are read, or two outputs are one file, whatever the names.
void check_output_files(std::span<const OutputFile> outputs, std::span<const std::string> inputs);

/// Nothing where the option was not given. To be opened before anything is played, since what cannot be written should not be
/// found out after an hour.
std::unique_ptr<AtomicFile> open_output(const OutputFile& output);

}  // namespace decodesim
