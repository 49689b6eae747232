#pragma once
// Files in which a mark shows where a diagnostic must point.

#include <string>
#include <string_view>

#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

// What every file needs besides the lines at hand.
#define FIXED "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n"
#define LOAD "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n"
#define H100 "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\ncost: {model: ideal}\n"

/// A file with one mistake.
struct WrongFile {
  std::string_view what;
  std::string_view text;  // § stands where the caret must begin, and is not part of the file
  std::string_view code;
  std::string_view help;  // a part of the help line
};

/// A marked file without its mark, and where the mark was.
struct Expected {
  std::string text;
  int line = 1;
  int column = 1;
};

Expected expected(std::string_view marked);

/// Checks that loading `wrong` finds this mistake and no other.
void check_mistake(const WrongFile& wrong);

}  // namespace decodesim::tests
