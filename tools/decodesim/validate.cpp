// decodesim validate: how far are predictions from what real servers did?

#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>

#include "sim/report/atomic_file.hpp"
#include "sim/study/trust.hpp"
#include "sim/study/validation.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/measurement_options.hpp"
#include "tools/decodesim/messages.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/output_files.hpp"
#include "tools/decodesim/progress_line.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim validate MEASURED... [--base SCENARIO] [options]";
  line.summary =
      "Plays every row of a table of measurements as its set-up says, and prints prediction, measurement and error, "
      "with\n"
      "medians and 90th percentiles by set-up, GPU, engine and number of GPUs. What a row does not state comes from "
      "--base.";
  add_measurement_options(line);
  auto add = line.options.add_options();
  add("json", "prints one JSON document instead of the tables");
  add("markdown", "prints the groups and the ten worst rows as a page");
  add("csv", po::value<std::string>(), "FILE: every row with its prediction");
  add("trust", po::value<std::string>(), "FILE: errors by GPU and engine, as YAML");
  return line;
}

}  // namespace

int validate_command(std::span<const std::string> args) {
  const CommandLine line = command_line();
  const auto values = parse_options(line, args);
  if (!values) return exit_done;
  if (values->count("json") > 0 && values->count("markdown") > 0)
    throw UsageError("--json and --markdown exclude each other", "leave one of them out");
  MeasurementOptions measured = read_measurement_options(line, *values);
  const OutputFile outputs[] = {{"--csv", file_of(*values, "csv")}, {"--trust", file_of(*values, "trust")}};
  check_output_files(outputs, measured.inputs);
  listen_to_signals();  // before any file is there that would have to be taken away
  const std::unique_ptr<AtomicFile> csv = open_output(outputs[0]);
  const std::unique_ptr<AtomicFile> trust = open_output(outputs[1]);
  const bool watched = isatty(STDERR_FILENO) != 0;
  Validation validation = validate(std::move(measured.points), measured.setups, measured.bases, measured.study,
                                   stop_requested(), [watched](std::int64_t done, std::int64_t all) {
                                     if (watched) show_progress(done, all);
                                   });
  validation.files = measured.files;
  validation.rows_left_out = measured.rows_left_out;
  if (validation.interrupted && watched) clear_progress();
  for (const std::string& warning : validation.warnings) warn(warning);
  if (csv) {
    write_csv(validation, csv->out());
    csv->commit();
  }
  // Errors of some of the rows would stand for all of them in every later report.
  if (trust && !validation.interrupted) {
    write_trust(validation, trust->out());
    trust->commit();
  }
  if (values->count("json") > 0) {
    write_json(validation, std::cout);
  } else if (values->count("markdown") > 0) {
    write_markdown(validation, std::cout);
  } else {
    write_text(validation, std::cout);
  }
  if (validation.interrupted) return exit_interrupted;
  return validation.rows.empty() ? exit_failure : exit_done;
}

}  // namespace decodesim
