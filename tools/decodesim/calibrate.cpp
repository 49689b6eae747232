// decodesim calibrate: which constants make the simulator say what your server did?

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>

#include "sim/report/atomic_file.hpp"
#include "sim/study/calibration.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/measurement_options.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/output_files.hpp"
#include "tools/decodesim/progress_line.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim calibrate MEASURED... --base SCENARIO [--fit PATH,PATH...] [-o FILE] [options]";
  line.summary =
      "Fits constants of a scenario to measurements of a real server, by least squares on relative errors over the\n"
      "simulator itself, and says how sure each is, which rows tell it, and what errors are left.";
  add_measurement_options(line);
  auto add = line.options.add_options();
  add("fit", po::value<std::vector<std::string>>()->composing(),
      "PATH,PATH...: what is fitted, as in cost.host_time (by the cost model: scenarios/validation/fit.yaml)");
  add("output,o", po::value<std::string>(), "FILE: the constants as YAML, to be named as a base");
  add("json", "prints one JSON document instead of the tables");
  return line;
}

std::vector<FittedField> fields_of(const po::variables_map& values) {
  std::vector<FittedField> fields;
  std::set<std::string> seen;
  for (const std::string& text : texts_of(values, "fit")) {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find(',', start), text.size());
      fields.push_back(find_fitted_field(text.substr(start, end - start)));
      if (!seen.insert(fields.back().path).second)
        throw std::invalid_argument("--fit has '" + fields.back().path + "' twice");
      start = end + 1;
    }
  }
  return fields;
}

}  // namespace

int calibrate_command(std::span<const std::string> args) {
  const CommandLine line = command_line();
  const auto values = parse_options(line, args);
  if (!values) return exit_done;
  const bool watched = isatty(STDERR_FILENO) != 0;
  Calibration calibration;
  std::unique_ptr<AtomicFile> output;
  try {
    const std::vector<FittedField> fields = fields_of(*values);
    MeasurementOptions measured = read_measurement_options(line, *values);
    listen_to_signals();  // before any file is there that would have to be taken away
    const OutputFile named{"--output", file_of(*values, "output")};
    if (!named.file.empty()) {
      check_output_files(std::span(&named, 1), measured.inputs);
      // Before anything is played, since what cannot be written should not be found out after an hour.
      output = std::make_unique<AtomicFile>(named.file);
    }
    calibration = calibrate({std::move(measured.points), measured.setups, measured.bases, fields, measured.study},
                            stop_requested(), [watched](std::int64_t runs) {
                              if (watched) show_progress(runs);
                            });
    calibration.files = measured.files;
    calibration.rows_left_out = measured.rows_left_out;
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what(), "usage: " + line.usage);
  }
  if (watched) clear_progress();
  if (output && !calibration.interrupted) {
    write_base(calibration, output->out());
    output->commit();
  }
  if (values->count("json") > 0) {
    write_json(calibration, std::cout);
  } else {
    write_text(calibration, std::cout);
  }
  return calibration.interrupted ? exit_interrupted : exit_done;
}

}  // namespace decodesim
