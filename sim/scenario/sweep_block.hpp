#pragma once
// What a sweep varies: the `sweep:` block of a scenario and the options `--sweep`, before any point is made of it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// More points than this are taken for a mistake: at a second each they would take a day.
inline constexpr std::size_t most_sweep_points = 100'000;

/// A path of a scenario, and where it was written.
struct SweptPath {
  std::string path;
  Position at;
};

/// Values that go together: a path of `grid` alone, all paths of `zip`, or `candidates`. Their rows take turns.
struct SweepDimension {
  std::vector<SweptPath> paths;
  std::vector<std::vector<std::optional<DocumentNode>>> rows;  // a value for each path; absent: it stays as it is
};

/// Points that have all these values are left out.
struct SweepExclusion {
  Position at;
  std::vector<SweptPath> paths;
  std::vector<DocumentNode> values;  // of each path
};

struct SweepBlock {
  std::vector<SweepDimension> dimensions;  // the first takes turns slowest
  std::vector<SweepExclusion> exclusions;

  [[nodiscard]] std::vector<SweptPath> paths() const;  // of all dimensions
  /// How many combinations there are, at most one more than most_sweep_points.
  [[nodiscard]] std::size_t combinations() const;
};

/// Reads the block, where there is one, and the options ("path=a,b" or "path=from:to:step", further dimensions of the grid).
/// Notes every mistake: empty lists, paths stated twice, rows of unequal length, values stated twice, too many points.
/// `sets` are the texts of `--set`, which state no path that varies.
SweepBlock read_sweep_block(Reading& reading, const DocumentNode* block, std::span<const std::string> options,
                            std::span<const std::string> sets);

/// A value in one line, as YAML writes it between brackets.
std::string flow_text(const DocumentNode& node);

}  // namespace decodesim
