// decodesim describe: what a trace, or the workload of a scenario, is like.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/report/workload_report.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/workload/content.hpp"
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
  add("format", po::value<std::string>(),
      "of the trace, where its head does not tell it: burstgpt, vidur, aiperf, ...");
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

/// What only a trace has, or only a scenario, has no effect on the other.
void refuse_options_of_others(const po::variables_map& values, bool of_scenario) {
  if (!of_scenario && values.count("case") > 0) throw UsageError("--case is of a scenario", "add --scenario FILE");
  if (!of_scenario) return;
  if (values.count("seed") > 0)
    throw UsageError("--seed is of a trace, and a scenario has its own", "--set run.seed=N");
  if (values.count("format") > 0)
    throw UsageError("--format is of a trace, and a scenario says it of its own", "--set workload.trace.format=NAME");
}

/// A name that is no file may be one of the catalog.
void refuse_name_of_catalog(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) return;
  const Catalog catalog = find_catalog();
  const auto has = [&](std::string_view kind) {
    const std::vector<std::string> names = catalog.names(kind);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has("scenarios"))
    throw UsageError("'" + name + "' is a scenario, not a trace", "decodesim describe --scenario " + name);
  if (has("workloads"))
    throw UsageError("'" + name + "' is a workload that scenarios name, not a trace",
                     "decodesim describe --scenario FILE, of a scenario with 'workload: " + name + "'");
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
  refuse_options_of_others(*values, of_scenario);
  if (of_scenario) {
    describe_scenario(*values);
    return exit_done;
  }
  if (files.front().empty()) throw UsageError("the name of the trace is empty", "decodesim describe trace.csv");
  refuse_name_of_catalog(files.front());
  std::optional<std::string> format;
  if (values->count("format") > 0) format = (*values)["format"].as<std::string>();
  const TraceSpec spec = trace_settings(*values, files.front(), format, TraceAsker::describe);
  const std::uint64_t seed = trace_seed(*values);
  return with_trace_mistakes(TraceAsker::describe, [&] {
    TraceReader reader(TraceBytes(spec.file), spec, std::nullopt, seed);
    WorkloadReport report;
    report.name = spec.file;
    std::unordered_map<std::string, Request> talks;  // by session, the latest turn
    while (const Request* request = reader.next()) {
      if (request->session.empty()) {
        report.statistics.add(*request);
        continue;
      }
      Request turn = *request;
      const auto [before, first] = talks.try_emplace(turn.session, turn);
      if (!first) continue_session(before->second, turn);
      report.statistics.add(turn);
      before->second = std::move(turn);
    }
    report.account = &reader.account();
    report.concurrency = reader.concurrency();
    print(report, *values);
  });
}

}  // namespace decodesim
