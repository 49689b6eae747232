#include "sim/scenario/sweep_points.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/merge.hpp"
#include "sim/scenario/read_scenario.hpp"
#include "sim/scenario/sweep_block.hpp"

namespace decodesim {

namespace fs = std::filesystem;

namespace {

/// A value of a point, and the path that it is for.
struct Laid {
  std::size_t column;
  const SweptPath* path;
  const DocumentNode* value;
};

/// Mistakes between fields that no other point mends: the file says too little, or says what nobody reads. All others are
/// what a point runs into: too many ranks, too little memory, choices that contradict each other.
bool is_mistake(const Diagnostic& diagnostic) {
  constexpr std::string_view codes[] = {"no-effect", "missing-key", "duplicate-id", "unreadable-file"};
  return diagnostic.severity == Severity::error &&
         std::find(std::begin(codes), std::end(codes), diagnostic.code) != std::end(codes);
}

class PointLoader {
 public:
  PointLoader(Reading& reading, const SweepBlock& block, std::string file_name)
      : reading_(reading), block_(block), file_name_(std::move(file_name)), used_(block.exclusions.size()) {
    for (const SweptPath& path : block.paths()) points_.paths.push_back(path.path);
  }

  /// Every combination over a case, the first dimension slowest.
  void add_case(const CaseTree& one, int layer) {
    points_.excluded = 0;
    std::vector<std::size_t> rows(block_.dimensions.size());
    while (true) {
      const std::vector<Laid> laid = laid_at(rows);
      if (is_excluded(laid)) {
        ++points_.excluded;
      } else if (!reading_.is_full()) {
        add(one, laid, layer);
      }
      std::size_t turn = rows.size();
      while (turn > 0 && ++rows[turn - 1] == block_.dimensions[turn - 1].rows.size()) rows[--turn] = 0;
      if (turn == 0) return;
    }
  }

  void check_exclusions() {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i])
        reading_.error(block_.exclusions[i].at, "no-effect", "this excludes no point of the sweep",
                       "its values must be written as they are where they vary");
    }
    if (points_.points.empty() && reading_.errors() == 0) {
      reading_.error(block_.exclusions.front().at, "no-points", "'sweep.exclude' leaves no point of the sweep",
                     "leave out less");
    }
  }

  SweepPoints take() { return std::move(points_); }

 private:
  std::vector<Laid> laid_at(std::span<const std::size_t> rows) const {
    std::vector<Laid> laid;
    std::size_t column = 0;
    for (std::size_t d = 0; d < rows.size(); ++d) {
      const SweepDimension& dimension = block_.dimensions[d];
      for (std::size_t i = 0; i < dimension.paths.size(); ++i, ++column) {
        const std::optional<DocumentNode>& value = dimension.rows[rows[d]][i];
        if (value) laid.push_back({column, &dimension.paths[i], &*value});
      }
    }
    return laid;
  }

  bool is_excluded(std::span<const Laid> laid) {
    bool excluded = false;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const SweepExclusion& exclusion = block_.exclusions[i];
      bool all = true;
      for (std::size_t k = 0; k < exclusion.paths.size() && all; ++k) {
        all = std::any_of(laid.begin(), laid.end(), [&](const Laid& one) {
          return one.path->path == exclusion.paths[k].path && flow_text(*one.value) == flow_text(exclusion.values[k]);
        });
      }
      used_[i] = used_[i] || all;
      excluded = excluded || all;
    }
    return excluded;
  }

  void add(const CaseTree& one, std::span<const Laid> laid, int layer) {
    // A reading of its own tells this point's mistakes from those of others.
    Reading own(reading_.catalog());
    DocumentNode tree = merge({}, one.tree);
    SweepPoint point;
    point.values.resize(points_.paths.size());
    for (const Laid& each : laid) {
      DocumentNode value = *each.value;
      stamp(value, layer + static_cast<int>(each.column));
      point.values[each.column] = flow_text(value);
      lay_value(own, tree, each.path->path, each.path->at, std::move(value));
    }
    tree.at = one.tree.at;
    point.scenario = read_scenario(own, tree, file_name_, one.name);
    bool readable = own.errors() == 0;
    if (readable) check_across(own, tree, point.scenario);
    for (Diagnostic& diagnostic : own.diagnostics()) {
      readable = readable && !is_mistake(diagnostic);
      if (diagnostic.severity == Severity::error && readable && point.objection.empty()) {
        point.objection = diagnostic.message;
      }
    }
    for (Diagnostic& diagnostic : own.diagnostics()) {
      if (!readable || (point.objection.empty() && diagnostic.severity == Severity::warning))
        reading_.note(std::move(diagnostic));
    }
    if (!readable) return;
    point.hash = scenario_hash(point.scenario);
    point.scenario.files = reading_.files();
    point.scenario.files.insert(point.scenario.files.end(), own.files().begin(), own.files().end());
    refuse_the_same(point, laid);
    points_.points.push_back(std::move(point));
  }

  // Where two points are one scenario, a path has no effect, or two values are one in other words.
  void refuse_the_same(const SweepPoint& point, std::span<const Laid> laid) {
    const std::string text = name_of_text(point.scenario.case_name + "\n" + scenario_text(point.scenario));
    const auto [known, is_new] = known_.emplace(text, points_.points.size());
    if (is_new || laid.empty()) return;
    const std::vector<std::string>& other = points_.points[known->second].values;
    const auto differs = std::find_if(laid.begin(), laid.end(),
                                      [&](const Laid& one) { return point.values[one.column] != other[one.column]; });
    const Laid& blamed = differs == laid.end() ? laid.back() : *differs;
    const std::string& path = points_.paths[blamed.column];
    const std::string before = other[blamed.column].empty() ? "without one" : "under " + other[blamed.column];
    reading_.error(blamed.value->at, "no-effect",
                   "'" + path + "' of " + point.values[blamed.column] + " makes the same scenario as " + before,
                   "leave one of them out, or 'exclude' it where another value takes its effect");
  }

  Reading& reading_;
  const SweepBlock& block_;
  std::string file_name_;
  std::vector<bool> used_;  // exclusions
  std::map<std::string, std::size_t> known_;
  SweepPoints points_;
};

}  // namespace

SweepPoints load_sweep(const fs::path& file, std::span<const std::string> options, std::span<const std::string> sets,
                       std::vector<Diagnostic>& warnings) {
  Reading reading(find_catalog());
  SweepPoints points;
  if (std::optional<LayeredFile> layered = read_layers(reading, readable_source(file))) {
    const DocumentNode* written = layered->sweep ? &*layered->sweep : nullptr;
    const SweepBlock block = read_sweep_block(reading, written, options, sets);
    if (reading.errors() == 0 && block.dimensions.empty()) {
      reading.error(layered->tree.at, "missing-key", "nothing varies: the scenario has no 'sweep'",
                    "write 'sweep: {grid: {parallel.tp: [1, 2, 4]}}', or '--sweep parallel.tp=1,2,4'");
    }
    if (reading.errors() == 0) {
      PointLoader loader(reading, block, file.string());
      const int layer = layered->layers + static_cast<int>(sets.size());
      for (const CaseTree& one : case_trees(reading, *layered, sets)) {
        if (reading.errors() == 0) loader.add_case(one, layer);
      }
      loader.check_exclusions();
      points = loader.take();
      points.has_cases = !layered->cases.empty();
    }
  }
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  for (Diagnostic& warning : reading.diagnostics()) warnings.push_back(std::move(warning));
  for (SweepPoint& point : points.points) point.scenario.files.push_back(file.string());
  return points;
}

bool has_sweep(const fs::path& file) {
  Reading reading(find_catalog());
  const std::optional<LayeredFile> layered = read_layers(reading, readable_source(file));
  return layered && layered->sweep;
}

}  // namespace decodesim
