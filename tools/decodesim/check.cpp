// decodesim check FILE...: are these scenarios valid?

#include <iostream>
#include <string>
#include <vector>

#include "sim/report/json_writer.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/sweep_points.hpp"
#include "sim/scenario/trace_diagnostics.hpp"
#include "sim/workload/request_source.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

struct Checked {
  std::string file;
  std::vector<Scenario> scenarios;
  bool valid = false;
  std::string unreadable;  // why, where the file could not be read at all
};

std::string line_of(const Checked& checked) {
  if (!checked.valid) return checked.file + ": not valid\n";
  std::string line = checked.file + ": valid, ";
  if (checked.scenarios.size() == 1) return line + "scenario " + scenario_hash(checked.scenarios.front()) + "\n";
  line += std::to_string(checked.scenarios.size()) + " cases:";
  for (const Scenario& scenario : checked.scenarios) line += " " + scenario.case_name;
  return line + "\n";
}

void write_json(const std::vector<Checked>& files, const std::vector<Diagnostic>& diagnostics) {
  JsonWriter json(std::cout);
  json.begin_object().member("schema_version", 1);
  json.member_array("files");
  for (const Checked& checked : files) {
    json.begin_object().member("file", checked.file).member("valid", checked.valid);
    json.member_array("scenarios");
    for (const Scenario& scenario : checked.scenarios) {
      json.begin_object().member("name", scenario.name).member("case", scenario.case_name);
      json.member("hash", scenario_hash(scenario)).member("seed", scenario.run.seed).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().member_array("diagnostics");
  for (const Diagnostic& diagnostic : diagnostics) {
    json.begin_object();
    json.member("severity", diagnostic.severity == Severity::error ? "error" : "warning")
        .member("code", diagnostic.code);
    json.member("message", diagnostic.message).member("file", diagnostic.file).member("line", diagnostic.line);
    json.member("column", diagnostic.column).member("length", diagnostic.length).member("help", diagnostic.help);
    json.end_object();
  }
  json.end_array().end_object();
  std::cout << "\n";
}

}  // namespace

int check_command(std::span<const std::string> args) {
  CommandLine line{"decodesim check FILE... [options]",
                   "Validates scenario files, or scenarios of the catalog by name, and names every mistake with its "
                   "place.\nExit code 2 where there is one.",
                   po::options_description("options"), "file"};
  line.options.add_options()("set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE"),
                             "lay a value over every file")(
      "resolved", "print each scenario with every value in effect")("json", "one JSON document on stdout");
  const auto options = parse_options(line, args);
  if (!options) return exit_done;
  if (options->count("file") == 0) throw UsageError("which file?", "usage: " + line.usage);
  const std::vector<std::string> sets = texts_of(*options, "set");

  std::vector<Checked> files;
  std::vector<Diagnostic> diagnostics;
  int exit = exit_done;
  for (const std::string& name : (*options)["file"].as<std::vector<std::string>>()) {
    const std::string file = scenario_file(name).string();
    Checked checked;
    checked.file = file;
    try {
      checked.scenarios = load_scenarios(file, sets, diagnostics);
      // Opening the workload reads a trace through, so that a mistake in it is found here and not by a run.
      for (const Scenario& scenario : checked.scenarios)
        (void)make_request_source(scenario.workload, scenario.run.seed);
      // Nor is a wrong value of a sweep found only where it is swept. What is said of single points is for 'sweep --list'.
      std::vector<Diagnostic> of_points;
      if (has_sweep(file)) (void)load_sweep(file, {}, sets, of_points);
      checked.valid = true;
    } catch (const ScenarioError& error) {
      diagnostics.insert(diagnostics.end(), error.diagnostics().begin(), error.diagnostics().end());
      exit = exit_usage;
    } catch (const TraceError& error) {
      const std::vector<Diagnostic> mistakes = trace_diagnostics(error);
      diagnostics.insert(diagnostics.end(), mistakes.begin(), mistakes.end());
      exit = exit_usage;
    } catch (const UnreadableFile& error) {
      Diagnostic diagnostic;
      diagnostic.code = "unreadable-file";
      diagnostic.message = error.what();
      diagnostic.file = file;
      diagnostics.push_back(diagnostic);
      if (exit == exit_done) exit = exit_failure;
    }
    files.push_back(std::move(checked));
  }
  std::cerr << diagnostics_text(diagnostics);
  if (options->count("json") > 0) {
    write_json(files, diagnostics);
    return exit;
  }
  for (const Checked& checked : files) {
    std::cout << line_of(checked);
    if (options->count("resolved") == 0) continue;
    for (const Scenario& scenario : checked.scenarios) std::cout << "---\n" << scenario_text(scenario);
  }
  return exit;
}

}  // namespace decodesim
