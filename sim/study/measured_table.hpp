#pragma once
// Tables of measurements (CSV) and result files of vLLM's benchmark client (JSON), as points.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/reading.hpp"
#include "sim/study/measured_point.hpp"
#include "sim/study/setups.hpp"

namespace decodesim {

/// All points of the files, in their order. A file that begins with '{' is a result of the benchmark client, any other a
/// table with a line of names. Rows of a long table that tell of the same run are one point. Throws ScenarioError with
/// every mistake of all files, UnreadableFile where one cannot be read.
std::vector<MeasuredPoint> read_measurements(std::span<const std::string> files, const Setups& setups);

/// The points of one table.
std::vector<MeasuredPoint> read_measured_table(const SourceText& source, const Setups& setups, Reading& reading);
/// The point of one result file, whose load and figures it is; model and server are a base's to say.
std::vector<MeasuredPoint> read_benchmark_result(const SourceText& source, Reading& reading);

}  // namespace decodesim
