#include "tools/decodesim/measurement_options.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/scenario/catalog.hpp"
#include "sim/scenario/layers.hpp"
#include "sim/scenario/load.hpp"
#include "sim/study/measured_table.hpp"
#include "sim/study/point_filter.hpp"

namespace decodesim {

namespace po = boost::program_options;

namespace {

/// A base need not be a whole scenario, but it must be there. Throws UnreadableFile.
void require_readable(const std::string& base) {
  std::vector<Diagnostic> warnings;
  try {
    load_scenarios(scenario_file(base), {}, warnings);
  } catch (const ScenarioError&) {
    // What it lacks the rows may state; what is wrong in it comes up with them.
  }
}

/// All files that are read beside the catalog's own.
std::vector<std::string> inputs_of(const MeasurementOptions& options, const po::variables_map& values) {
  std::vector<std::string> inputs = options.files;
  if (values.count("setups") > 0) inputs.push_back(values["setups"].as<std::string>());
  for (const Setup& one : options.setups.setups)
    if (!one.base.empty()) inputs.push_back(one.base);
  if (options.bases.base.empty()) return inputs;
  const std::vector<std::string> layers = files_of_layers(scenario_file(options.bases.base));
  inputs.insert(inputs.end(), layers.begin(), layers.end());
  return inputs;
}

}  // namespace

void add_measurement_options(CommandLine& line) {
  line.positional = "measured";
  auto add = line.options.add_options();
  add("measured", po::value<std::vector<std::string>>(),
      "tables of measurements (CSV), or results of vLLM's benchmark client (JSON)");
  add("base", po::value<std::string>(), "SCENARIO: what the rows do not state");
  add("setups", po::value<std::string>(),
      "FILE: which set-up a row of a published table stands for (scenarios/validation/setups.yaml)");
  add("set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: overrides one value of every row's scenario; may be repeated");
  add("only", po::value<std::vector<std::string>>()->composing(),
      "COLUMN=TEXT: takes only rows that have it, as in gpu=h100; may be repeated");
  add_jobs(line.options);
}

MeasurementOptions read_measurement_options(const CommandLine& line, const po::variables_map& values) {
  MeasurementOptions all;
  all.files = texts_of(values, "measured");
  if (all.files.empty()) throw UsageError("which measurements?", "usage: " + line.usage);
  all.setups = values.count("setups") > 0 ? load_setups(values["setups"].as<std::string>()) : load_default_setups();
  if (values.count("base") > 0) {
    all.bases.base = values["base"].as<std::string>();
    require_readable(all.bases.base);
  }
  all.inputs = inputs_of(all, values);
  all.bases.sets = texts_of(values, "set");
  std::vector<PointFilter> filters;
  try {
    for (const std::string& text : texts_of(values, "only")) filters.push_back(parse_point_filter(text));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what(), "usage: " + line.usage);
  }
  for (MeasuredPoint& point : read_measurements(all.files, all.setups)) {
    const PointSetup setup = setup_of(all.setups, point);
    const bool meant = std::all_of(filters.begin(), filters.end(),
                                   [&](const PointFilter& filter) { return fits(filter, point, setup); });
    if (meant) {
      all.points.push_back(std::move(point));
    } else {
      all.rows_left_out += static_cast<std::int64_t>(point.values.size());
    }
  }
  if (all.points.empty()) throw UsageError("--only leaves no row", "look at the columns of " + all.files.front());
  all.study.version = DECODESIM_VERSION;
  all.study.jobs = jobs_of(values);
  return all;
}

}  // namespace decodesim
