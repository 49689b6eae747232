// decodesim sweep: one scenario at many points, a row each.

#include "sim/study/sweep.hpp"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <set>
#include <string>

#include "sim/report/atomic_file.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/policy_notes.hpp"
#include "sim/workload/request_source.hpp"
#include "tools/decodesim/cases.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/messages.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/output_files.hpp"
#include "tools/decodesim/progress_line.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim sweep SCENARIO [--sweep PATH=VALUE,VALUE...] [options]";
  line.summary =
      "Plays a scenario at every point of its 'sweep:' block and of the paths named here, and prints a row a point.\n"
      "What cannot be served (the weights do not fit, the KV pool is too small) is a row with its reason.";
  line.positional = "scenario";
  auto add = line.options.add_options();
  add("scenario", po::value<std::vector<std::string>>(), "a scenario file, or a name of 'decodesim list scenarios'");
  add("sweep", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE,VALUE... or PATH=FROM:TO:STEP: values that take turns; may be repeated, for all combinations");
  add("set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: overrides one value of every point; may be repeated");
  add("case", po::value<std::string>(), "plays this case only");
  add("list", "shows the points and plays none");
  add_jobs(line.options);
  add("json", "prints one JSON document instead of the table");
  add("csv", po::value<std::string>(), "FILE: one line a point");
  return line;
}

void keep_case(SweepPoints& points, const std::string& name) {
  std::vector<std::string> known;
  for (const SweepPoint& point : points.points) {
    const std::string& one = point.scenario.case_name;  // points of a case follow one another
    if (points.has_cases && (known.empty() || known.back() != one)) known.push_back(one);
  }
  std::erase_if(points.points, [&](const SweepPoint& point) { return point.scenario.case_name != name; });
  if (points.points.empty() || name.empty()) refuse_case(name, known);
}

std::vector<std::string> inputs_of(const SweepPoints& points) {
  std::set<std::string> inputs;
  for (const SweepPoint& point : points.points) {
    inputs.insert(point.scenario.files.begin(), point.scenario.files.end());
    for (std::string& file : workload_files(point.scenario.workload)) inputs.insert(std::move(file));
  }
  return {inputs.begin(), inputs.end()};
}

/// What deployments warn of and policies know, each once for all points.
void tell_warnings(const Sweep& sweep) {
  std::set<std::string> warnings;
  for (const PointResult& result : sweep.results) {
    warnings.insert(result.deployment_warnings.begin(), result.deployment_warnings.end());
    for (const std::string& oracle : result.oracles) warnings.insert(oracle_warning(oracle));
  }
  for (const std::string& warning : warnings) warn(warning);
}

int exit_code(const Sweep& sweep) {
  if (sweep.interrupted) return exit_interrupted;
  return sweep.any(PointStatus::done) ? exit_done : exit_failure;
}

}  // namespace

int sweep_command(std::span<const std::string> args) {
  const auto values = parse_options(command_line(), args);
  if (!values) return exit_done;
  const std::vector<std::string> files = texts_of(*values, "scenario");
  if (files.size() != 1) {
    throw UsageError("sweep takes one scenario file",
                     "decodesim sweep scenarios/chat-on-hgx-h100.yaml --sweep scheduler.max_num_seqs=8,64,256");
  }
  const std::int64_t jobs = jobs_of(*values);
  std::vector<Diagnostic> warnings;
  SweepPoints points =
      load_sweep(scenario_file(files.front()), texts_of(*values, "sweep"), texts_of(*values, "set"), warnings);
  if (values->count("case") > 0) keep_case(points, (*values)["case"].as<std::string>());
  if (!warnings.empty()) std::cerr << diagnostics_text(warnings);
  const OutputFile outputs[] = {{"--csv", file_of(*values, "csv")}};
  check_output_files(outputs, inputs_of(points));

  const bool is_list = values->count("list") > 0;
  const bool watched = isatty(STDERR_FILENO) != 0;
  listen_to_signals();  // before any file is there that would have to be taken away
  const std::unique_ptr<AtomicFile> csv = open_output(outputs[0]);
  const auto begun = std::chrono::steady_clock::now();
  Sweep sweep = is_list ? listed(std::move(points), DECODESIM_VERSION)
                        : run_sweep(std::move(points), DECODESIM_VERSION, jobs, stop_requested(),
                                    [&](std::int64_t done, std::int64_t all) {
                                      if (watched) show_progress(done, all, std::chrono::steady_clock::now() - begun);
                                    });
  sweep.file = files.front();
  if (sweep.interrupted && watched) clear_progress();
  tell_warnings(sweep);
  if (csv) {
    write_csv(sweep, csv->out());
    csv->commit();
  }
  if (values->count("json") > 0) {
    write_json(sweep, std::cout);
  } else if (is_list) {
    write_list(sweep, std::cout);
  } else {
    write_text(sweep, std::cout);
  }
  if (is_list) return exit_done;
  const int code = exit_code(sweep);
  if (code == exit_failure) complain("no point of the sweep could be played to its end");
  return code;
}

}  // namespace decodesim
