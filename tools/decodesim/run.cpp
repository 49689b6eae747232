// decodesim run: plays a scenario and reports what happened.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "sim/core/check.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/report/measurements.hpp"
#include "sim/report/progress.hpp"
#include "sim/report/report_json.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/report/schedule_jsonl.hpp"
#include "sim/report/slo_verdict.hpp"
#include "sim/report/summary_text.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/policy_notes.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/study/trust.hpp"
#include "sim/workload/every_request.hpp"
#include "sim/workload/traces/writer.hpp"
#include "tools/decodesim/cases.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/messages.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/output_files.hpp"
#include "tools/decodesim/trace_options.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim run SCENARIO [options]";
  line.summary =
      "Plays a scenario, each of its cases in turn, and reports throughput, latencies, KV use and what limited the "
      "server.";
  line.positional = "scenario";
  auto add = line.options.add_options();
  add("scenario", po::value<std::vector<std::string>>(), "a scenario file, or a name of 'decodesim list scenarios'");
  add("set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: overrides one value of the scenario; may be repeated");
  add("case", po::value<std::string>(), "plays this case only");
  add("json", "prints one JSON document instead of the summary");
  add("requests-csv", po::value<std::string>(), "FILE: one row a request, every time and count");
  add("schedule-jsonl", po::value<std::string>(), "FILE: one line a pass of the scheduler");
  add("export-trace", po::value<std::string>(),
      "FILE: the requests, as a trace that a scenario can name; played again it gives the same results");
  return line;
}

struct Outputs {
  std::string requests_csv;
  std::string schedule_jsonl;
  std::string trace;

  [[nodiscard]] bool any() const { return !(requests_csv.empty() && schedule_jsonl.empty() && trace.empty()); }
};

/// The scenario's requests, whoever asks for them and how.
void export_trace(const Scenario& scenario, const std::string& target) {
  need_end(scenario);
  const auto source_again = [&] {
    return make_request_source(scenario.workload, scenario.run.seed, model_len_limit(scenario));
  };
  TraceColumns columns;
  const auto first = source_again();
  for_every_request(*first, [&](const Request& request) { columns.note(request); });
  const auto source = source_again();
  listen_to_signals();  // from here on a file is to be taken away
  AtomicFile file(target);
  const TraceHead head{.name = scenario.name, .max_concurrency = source->concurrency(), .closes = source->closes()};
  const TraceForm form = trace_form("--export-trace", target, head);
  {
    TraceWriter writer(file.out(), form, head, columns);
    for_every_request(*source, [&](const Request& request) {
      stop_if_requested();
      writer.write(request);
    });
  }
  file.commit();
}

/// `oracles` are those that were warned of before, in another case.
Report play(const Scenario& scenario, const Outputs& outputs, const TrustTable& trust, std::set<std::string>& oracles) {
  if (!outputs.trace.empty()) export_trace(scenario, outputs.trace);
  Assembly parts = assemble(scenario, DECODESIM_VERSION);
  parts.header.trust = trust_in(scenario, trust);
  for (const std::string& warning : parts.header.warnings) warn(warning);
  for (const std::string& oracle : parts.header.oracles)
    if (oracles.insert(oracle).second) warn(oracle_warning(oracle));

  listen_to_signals();  // from here on there are files to be taken away, and results to be told
  Measurements measurements(parts.header, scenario.run, scenario.slo, parts.class_slos);
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0, parts.header.requests);
  std::vector<Observer*> observers{&measurements, &progress};
  std::unique_ptr<RequestsCsv> requests_csv;
  if (!outputs.requests_csv.empty()) {
    requests_csv =
        std::make_unique<RequestsCsv>(outputs.requests_csv, parts.header.moved_block, scenario.slo, parts.class_slos);
    observers.push_back(requests_csv.get());
  }
  std::unique_ptr<ScheduleJsonl> schedule_jsonl;
  if (!outputs.schedule_jsonl.empty()) {
    schedule_jsonl = std::make_unique<ScheduleJsonl>(outputs.schedule_jsonl, parts.server.grid_step);
    observers.push_back(schedule_jsonl.get());
  }

  simulate(parts.server, *parts.source, observers, &stop_requested());
  return measurements.report();
}

std::vector<std::string> inputs_of(const std::vector<Scenario>& scenarios) {
  std::vector<std::string> inputs;
  for (const Scenario& one : scenarios) {
    inputs.insert(inputs.end(), one.files.begin(), one.files.end());
    for (std::string& file : workload_files(one.workload)) inputs.push_back(std::move(file));
  }
  return inputs;
}

std::vector<Scenario> chosen_cases(std::vector<Scenario> scenarios, const po::variables_map& values) {
  if (values.count("case") == 0) return scenarios;
  std::vector<Scenario> chosen;
  chosen.push_back(case_named(std::move(scenarios), values["case"].as<std::string>()));
  return chosen;
}

int exit_code(const std::vector<Report>& reports) {
  int code = exit_done;
  for (const Report& report : reports) {
    if (report.interrupted) return exit_interrupted;
    if (!report.watchdog.empty()) {
      code = exit_failure;
    } else if (!slo_met(report) && code == exit_done) {
      code = exit_missed;
    }
  }
  return code;
}

}  // namespace

int run_command(std::span<const std::string> args) {
  const auto values = parse_options(command_line(), args);
  if (!values) return exit_done;
  const std::vector<std::string> files = texts_of(*values, "scenario");
  if (files.size() != 1) throw UsageError("run takes one scenario file", "decodesim run scenarios/context-gap.yaml");

  std::vector<Diagnostic> warnings;
  const std::vector<Scenario> scenarios =
      chosen_cases(load_scenarios(scenario_file(files.front()), texts_of(*values, "set"), warnings), *values);
  if (!warnings.empty()) std::cerr << diagnostics_text(warnings);
  const Outputs outputs{file_of(*values, "requests-csv"), file_of(*values, "schedule-jsonl"),
                        file_of(*values, "export-trace")};
  if (scenarios.size() > 1 && outputs.any()) {
    throw UsageError(
        "--requests-csv, --schedule-jsonl and --export-trace hold one run, and this scenario has several cases",
        "add --case " + scenarios.front().case_name);
  }

  const OutputFile named[] = {{"--requests-csv", outputs.requests_csv},
                              {"--schedule-jsonl", outputs.schedule_jsonl},
                              {"--export-trace", outputs.trace}};
  refuse_packed("--export-trace", outputs.trace);
  check_output_files(named, inputs_of(scenarios));

  std::vector<Report> reports;
  std::set<std::string> oracles;
  // A run of fixed steps predicts nothing, and reading the table is a third of a short run.
  const bool predicts = std::any_of(scenarios.begin(), scenarios.end(),
                                    [](const Scenario& one) { return one.cost.model != CostKind::fixed; });
  const TrustTable trust = predicts ? load_default_trust() : TrustTable{};
  for (const Scenario& scenario : scenarios) {
    reports.push_back(play(scenario, outputs, trust, oracles));
    if (reports.back().interrupted) break;
  }
  if (values->count("json") > 0 && scenarios.size() == 1) {
    write_json(reports.front(), std::cout);
  } else if (values->count("json") > 0) {
    write_json(std::span<const Report>(reports), std::cout);
  } else {
    write_text(std::span<const Report>(reports), std::cout);
  }
  for (const Report& report : reports) {
    if (!report.watchdog.empty()) complain("the watchdog ended the run: " + report.watchdog);
  }
  return exit_code(reports);
}

}  // namespace decodesim
