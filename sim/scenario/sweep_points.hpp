#pragma once
// The points of a sweep: every scenario that it plays, before any is played.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// One scenario of a sweep.
struct SweepPoint {
  std::vector<std::string> values;  // of each path, as written; empty where the point leaves it as it is
  Scenario scenario;                // resolved; it says all that a result depends on
  std::string hash;                 // of the resolved scenario: what a result can be kept under
  std::string objection;            // why it cannot be played: it does not fit, its parts contradict each other
};

struct SweepPoints {
  std::vector<std::string> paths;  // that vary, in the order in which their values take turns, the slowest first
  std::vector<SweepPoint> points;  // all cases of the file, and in each all combinations
  std::int64_t excluded = 0;       // combinations that the scenario leaves out, in each case
  bool has_cases = false;
};

/// The points of a file's `sweep:` block and of `options` ("path=a,b", "path=from:to:step"), with `sets` under them.
///
/// A mistake (a path that does not exist, a value that no scenario can have, a path without effect, two points that are the
/// same) throws ScenarioError with all of them; what single points cannot do is their objection. Throws UnreadableFile
/// where `file` cannot be read. Warnings of points go to `warnings`.
SweepPoints load_sweep(const std::filesystem::path& file, std::span<const std::string> options,
                       std::span<const std::string> sets, std::vector<Diagnostic>& warnings);

/// Does the file, or a base of it, have a `sweep:` block? Nothing need be right in it. Throws UnreadableFile.
bool has_sweep(const std::filesystem::path& file);

}  // namespace decodesim
