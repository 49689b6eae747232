#pragma once
// Tables of measurements that studies are tested on.

#include <string>
#include <vector>

#include "sim/study/measured_point.hpp"
#include "sim/study/setups.hpp"

namespace decodesim::tests {

/// Points of a table of this text, called m.csv.
std::vector<MeasuredPoint> points_of(const std::string& text, const Setups& setups = {});
/// What is wrong with it: "line:column code" of each mistake, joined by blanks; empty where nothing is.
std::string mistakes_of(const std::string& text, const Setups& setups = {});
/// The same of a result of the benchmark client.
std::vector<MeasuredPoint> result_of(const std::string& text);
std::string mistakes_of_result(const std::string& text);

/// Set-ups of this YAML.
Setups setups_of(const std::string& yaml);

}  // namespace decodesim::tests
