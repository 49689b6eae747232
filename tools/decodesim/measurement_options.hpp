#pragma once
// What `validate` and `calibrate` are both told: measurements, and what lies beside their rows.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/measured_point.hpp"
#include "sim/study/played_seeds.hpp"
#include "sim/study/point_variant.hpp"
#include "sim/study/setups.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

/// Adds --base, --setups, --set, --only and --jobs, and the files as positional arguments.
void add_measurement_options(CommandLine& line);

struct MeasurementOptions {
  std::vector<std::string> files;
  std::vector<std::string> inputs;    // all that is read: `files`, set-ups, the base and what it is made of
  std::vector<MeasuredPoint> points;  // that --only leaves
  std::int64_t rows_left_out = 0;
  Setups setups;
  PointBases bases;
  StudySpec study;
};

/// Reads what the options name. Throws UsageError, ScenarioError, UnreadableFile.
MeasurementOptions read_measurement_options(const CommandLine& line,
                                            const boost::program_options::variables_map& values);

}  // namespace decodesim
