#include "tests/study/measured_files.hpp"

#include <cstdlib>

#include "sim/study/measured_table.hpp"
#include "tests/study/study_files.hpp"

namespace decodesim::tests {

namespace {

Catalog own_catalog() {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  return find_catalog();
}

std::string places(const Reading& reading) {
  std::string text;
  for (const Diagnostic& one : reading.diagnostics()) {
    text += (text.empty() ? "" : " ") + std::to_string(one.line) + ":" + std::to_string(one.column) + " " + one.code;
  }
  return text;
}

}  // namespace

std::vector<MeasuredPoint> points_of(const std::string& text, const Setups& setups) {
  Reading reading(own_catalog());
  std::vector<MeasuredPoint> points = read_measured_table(*reading.keep({"m.csv", {}, text}), setups, reading);
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  return points;
}

std::string mistakes_of(const std::string& text, const Setups& setups) {
  Reading reading(own_catalog());
  read_measured_table(*reading.keep({"m.csv", {}, text}), setups, reading);
  return places(reading);
}

std::vector<MeasuredPoint> result_of(const std::string& text) {
  Reading reading(own_catalog());
  return read_benchmark_result(*reading.keep({"r.json", {}, text}), reading);
}

std::string mistakes_of_result(const std::string& text) {
  Reading reading(own_catalog());
  read_benchmark_result(*reading.keep({"r.json", {}, text}), reading);
  return places(reading);
}

Setups setups_of(const std::string& yaml) {
  own_catalog();
  const StudyFile file(yaml);
  return load_setups(file.path());
}

}  // namespace decodesim::tests
