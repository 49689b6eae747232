#pragma once
// From trees to scenarios that are complete and not yet checked.

#include <span>
#include <string>
#include <vector>

#include "sim/scenario/layers.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// A case of a file with all that lies under and over it.
struct CaseTree {
  std::string name;  // empty: the file has no cases
  DocumentNode tree;
};

/// The file as it is, or each of its cases, with the texts of `--set` laid over it.
std::vector<CaseTree> case_trees(Reading& reading, const LayeredFile& file, std::span<const std::string> sets);

/// Fills in a scenario from a tree: every value read by its field, and what depends on other fields worked out. What must
/// hold between fields is for check_across() to see, where no mistake was noted.
Scenario read_scenario(Reading& reading, const DocumentNode& tree, const std::string& file_name,
                       const std::string& case_name);

}  // namespace decodesim
