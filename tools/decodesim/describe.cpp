// decodesim describe: what a trace, or the workload of a scenario, is like.

#include <iostream>
#include <optional>

#include "sim/report/workload_report.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/workload/every_request.hpp"
#include "sim/workload/sources.hpp"
#include "sim/workload/traces/reader.hpp"
#include "tools/decodesim/cases.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/terminal_width.hpp"
#include "tools/decodesim/trace_options.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim describe TRACE [options]";
  line.summary =
      "Reads a trace and tells its rows, span, rate, burstiness, lengths, shared prefixes and sessions, and draws "
      "them. "
      "With --scenario it describes what a scenario's generator makes.";
  line.positional = "trace";
  auto add = line.options.add_options();
  add("trace", po::value<std::vector<std::string>>(), "a trace file");
  add_trace_options(add);
  add("scenario", po::value<std::string>(), "FILE: describes the workload of this scenario in place of a trace");
  add("case", po::value<std::string>(), "of that scenario");
  add("json", "prints one JSON document");
  return line;
}

/// The only scenario of a file, or the case that was asked for.
Scenario chosen(std::vector<Scenario> scenarios, const po::variables_map& values) {
  if (values.count("case") > 0) return case_named(std::move(scenarios), values["case"].as<std::string>());
  if (scenarios.size() > 1)
    throw UsageError("the scenario has several cases", "add --case " + scenarios.front().case_name);
  return std::move(scenarios.front());
}

void print(const WorkloadReport& report, const po::variables_map& values) {
  if (values.count("json") > 0) return write_json(report, std::cout);
  write_text(report, terminal_width(80), std::cout);
}

void describe_scenario(const po::variables_map& values) {
  std::vector<Diagnostic> warnings;
  const Scenario scenario =
      chosen(load_scenarios(scenario_file(file_of(values, "scenario")), texts_of(values, "set"), warnings), values);
  std::cerr << diagnostics_text(warnings);
  need_end(scenario);
  const auto source = make_request_source(scenario.workload, scenario.run.seed, model_len_limit(scenario));
  WorkloadReport report;
  report.name = scenario.name;
  report.account = source->trace_account();
  report.concurrency = source->concurrency();
  for_every_request(*source, [&](const Request& request) { report.statistics.add(request); });
  print(report, values);
}

}  // namespace

int describe_command(std::span<const std::string> args) {
  const auto values = parse_options(command_line(), args);
  if (!values) return exit_done;
  const std::vector<std::string> files = texts_of(*values, "trace");
  const bool of_scenario = values->count("scenario") > 0;
  if (files.size() != (of_scenario ? 0 : 1))
    throw UsageError("describe takes one trace, or --scenario", "decodesim describe trace.csv");
  if (of_scenario) {
    describe_scenario(*values);
    return exit_done;
  }
  std::optional<std::string> format;
  if (values->count("format") > 0) format = (*values)["format"].as<std::string>();
  const TraceSpec spec = trace_settings(*values, files.front(), format);
  TraceReader reader(TraceBytes(spec.file), spec);
  WorkloadReport report;
  report.name = spec.file;
  while (const Request* request = reader.next()) report.statistics.add(*request);
  report.account = &reader.account();
  report.concurrency = reader.concurrency();
  print(report, *values);
  return exit_done;
}

}  // namespace decodesim
