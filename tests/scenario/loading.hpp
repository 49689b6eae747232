#pragma once
// Loads texts as if they were scenario files, and files in a folder of their own.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/load.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

/// A scenario of a few lines that is valid: three requests on eleven blocks, a second a step.
extern const std::string small_scenario;

struct Loaded {
  std::vector<Scenario> scenarios;
  std::vector<Diagnostic> diagnostics;  // errors where there are no scenarios, else warnings
};

/// Loads a text named s.yaml.
Loaded load_text(const std::string& text, const std::vector<std::string>& sets = {});

/// The one scenario of a text without mistakes.
Scenario load_one(const std::string& text, const std::vector<std::string>& sets = {});

/// A folder that is gone at the end of the test.
class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] Loaded load(const std::string& name, const std::vector<std::string>& sets = {}) const;
};

}  // namespace decodesim::tests
