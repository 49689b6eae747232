// decodesim explain: the arithmetic of a scenario, term by term, or why two scenarios differ.

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/quantity_text.hpp"
#include "sim/model/comparison.hpp"
#include "sim/model/cost_fields.hpp"
#include "sim/model/explanation.hpp"
#include "sim/report/explanation_json.hpp"
#include "sim/report/explanation_text.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/workload/request_source.hpp"
#include "tools/decodesim/cases.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/terminal_width.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;
using Names = std::vector<std::string>;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim explain SCENARIO [options], or decodesim explain --diff A B [options]";
  line.summary =
      "Prints memory, KV cache and decode steps of a scenario with formula, inputs and source of every term. A step "
      "decodes\n"
      "sequences of equal context; by default as many as fit, at the length of the scenario's prompts.";
  line.positional = "scenario";
  auto add = line.options.add_options();
  add("scenario", po::value<Names>(), "a scenario file, or a name of 'decodesim list scenarios'");
  add("context", po::value<Names>()->composing(),
      "TOKENS[,TOKENS...]: contexts to explain, 4k is 4,096; the step is taken apart at the first");
  add("batch", po::value<std::string>(), "N: sequences a step, instead of as many as fit");
  add("case", po::value<Names>()->composing(),
      "which of the scenario's cases; the first without it, and twice for --diff within a file");
  add("fits", po::bool_switch(),
      "adds what fits: a table of contexts, those of --context or powers of two, by sequences at once");
  add("diff", po::bool_switch(),
      "compares two scenarios, or the first and the last case of one, and names the causes of the ratio");
  add("set", po::value<Names>()->composing(), "PATH=VALUE: overrides one value of the scenario; may be repeated");
  add("json", "prints one JSON document");
  return line;
}

std::int64_t positive(Kind kind, const std::string& text, const std::string& option) {
  // Both at their most, the tokens of a step still fit 64 bits.
  constexpr std::int64_t most = 1'000'000'000;
  const auto parsed = parse_value(kind, text);
  if (parsed.ok() && std::get<std::int64_t>(parsed.value) > most)
    throw UsageError(option + " is at most " + std::to_string(most) + ", not '" + text + "'", option + " 4096");
  if (!parsed.ok() || std::get<std::int64_t>(parsed.value) < 1)
    throw UsageError(option + " takes whole numbers from 1 on, not '" + text + "'",
                     parsed.ok() || kind == Kind::count ? option + " 4096" : parsed.problem.help);
  return std::get<std::int64_t>(parsed.value);
}

std::vector<std::int64_t> contexts_of(const po::variables_map& values) {
  std::vector<std::int64_t> contexts;
  for (const std::string& list : texts_of(values, "context")) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      const std::int64_t context = positive(Kind::tokens, list.substr(at, comma - at), "--context");
      if (std::find(contexts.begin(), contexts.end(), context) == contexts.end()) contexts.push_back(context);
      at = comma + 1;
    }
  }
  return contexts;
}

// More than these tell nothing new about what a generator draws.
constexpr std::int64_t enough_requests = 100'000;

/// Sums over a list, a trace or what a generator draws; nothing where it has no requests.
std::optional<SequenceLengths> listed_lengths(const Scenario& scenario) {
  SequenceLengths lengths{SequenceLengths::Prompts::listed, 1, 1, 0, 0, 0, false};
  const auto source = make_request_source(scenario.workload, scenario.run.seed);
  const bool drawn = scenario.workload.kind == WorkloadKind::generator;
  std::optional<Request> request = source->next();
  while (request && !(drawn && lengths.requests == enough_requests)) {
    ++lengths.requests;
    lengths.prompt_tokens += request->input_tokens;
    lengths.longest_answer = std::max(lengths.longest_answer, std::min(request->output_tokens, request->max_tokens));
    std::optional<Request> turn = source->next_turn(*request);
    request = turn ? std::move(turn) : source->next();
  }
  return lengths.requests > 0 ? std::optional(lengths) : std::nullopt;
}

/// Has it one distribution of each length, whose ends are stated?
bool has_plain_lengths(const WorkloadSpec& workload) {
  return workload.kind == WorkloadKind::generator && workload.clients.empty() && !workload.sessions.on() &&
         workload.input_tokens.max > 0 && workload.output_tokens.max > 0;
}

std::optional<SequenceLengths> lengths_of(const Scenario& scenario) {
  const WorkloadSpec& workload = scenario.workload;
  if (!has_plain_lengths(workload)) return listed_lengths(scenario);
  SequenceLengths lengths;
  const LengthSpec& prompt = workload.input_tokens;
  const PrefixGroupsSpec& prefixes = workload.prefix_groups;
  const std::int64_t added = prefixes.place == PrefixPlace::added ? prefixes.tokens() : 0;
  lengths.shortest_prompt = prompt.shortest() + (prefixes.share == 1 ? added : 0);
  lengths.longest_prompt = prompt.max + added;
  lengths.prompts = lengths.shortest_prompt == lengths.longest_prompt ? SequenceLengths::Prompts::constant
                                                                      : SequenceLengths::Prompts::range;
  lengths.longest_answer = workload.output_tokens.max;
  lengths.answers_alike = !workload.output_tokens.is_drawn();
  return lengths;
}

Deployment deployment_of(const Scenario& scenario) {
  Deployment deployment;
  deployment.model = scenario.model;
  deployment.node = scenario.hardware;
  deployment.parallel = scenario.parallel;
  deployment.precision = scenario.precision;
  deployment.memory = scenario.memory;
  deployment.cost = scenario.cost;
  deployment.speculative = scenario.scheduler.speculative;
  deployment.host_beside_device = scenario.scheduler.async;
  const EngineRow* engine = find_engine(scenario.scheduler.engine);
  deployment.reserved_blocks = engine != nullptr && engine->keeps_null_block ? 1 : 0;
  deployment.max_num_seqs = scenario.scheduler.max_num_seqs;
  deployment.max_num_batched_tokens =
      scenario.scheduler.trtllm.max_num_tokens.value_or(scenario.scheduler.max_num_batched_tokens);
  deployment.max_model_len = scenario.scheduler.max_model_len.value_or(scenario.model.max_model_len.value());
  deployment.max_concurrency = scenario.workload.max_concurrency;
  deployment.lengths = lengths_of(scenario);
  return deployment;
}

Question question_of(const po::variables_map& values) {
  Question question;
  const std::vector<std::int64_t> contexts = contexts_of(values);
  if (!contexts.empty()) {
    question.contexts = contexts;
    question.context = contexts.front();
  }
  if (values.count("batch") > 0) question.batch = positive(Kind::count, values["batch"].as<std::string>(), "--batch");
  question.fits = values["fits"].as<bool>();
  question.fit_contexts = contexts;
  return question;
}

Explanation explain_scenario(const Scenario& scenario, const po::variables_map& values) {
  auto result = explain(deployment_of(scenario), question_of(values));
  if (const auto* error = std::get_if<PlanError>(&result)) {
    if (error->key == "context") throw UsageError(error->message, "choose a shorter --context");
    Diagnostic diagnostic;
    diagnostic.code = "impossible-deployment";
    diagnostic.message = error->message;
    diagnostic.file = scenario.name;
    diagnostic.help = "change " + error->key;
    throw ScenarioError({diagnostic});
  }
  return std::get<Explanation>(std::move(result));
}

std::string full_name(const Scenario& scenario) {
  return scenario.case_name.empty() ? scenario.name : scenario.name + " (case " + scenario.case_name + ")";
}

ExplanationTitle title_of(const Scenario& scenario) {
  const std::string_view cost = cost_kind_names[static_cast<std::size_t>(scenario.cost.model)];
  return {full_name(scenario), deployment_text(scenario) + ", cost " + std::string(cost)};
}

std::vector<Scenario> load(const std::string& file, const po::variables_map& values) {
  std::vector<Diagnostic> warnings;
  std::vector<Scenario> scenarios = load_scenarios(scenario_file(file), texts_of(values, "set"), warnings);
  if (!warnings.empty()) std::cerr << diagnostics_text(warnings);
  return scenarios;
}

/// The two scenarios that --diff compares.
std::pair<Scenario, Scenario> two_scenarios(const Names& files, const Names& cases, const po::variables_map& values) {
  if (files.size() > 2 || cases.size() > 2)
    throw UsageError("--diff compares two scenarios", "decodesim explain --diff A B");
  std::vector<Scenario> first = load(files.front(), values);
  std::vector<Scenario> second = files.size() == 2 ? load(files.back(), values) : first;
  const bool same_file = files.size() == 1;
  if (same_file && cases.empty() && first.size() < 2)
    throw UsageError("--diff compares two scenarios, and " + files.front() + " has one case",
                     "decodesim explain --diff A B");
  if (same_file && cases.size() == 1)
    throw UsageError("--diff within a file compares two cases", "add a second --case");
  if (!cases.empty()) return {case_named(std::move(first), cases.front()), case_named(std::move(second), cases.back())};
  return {std::move(first.front()), std::move(same_file ? second.back() : second.front())};
}

void explain_difference(const Names& files, const po::variables_map& values) {
  const auto [a, b] = two_scenarios(files, texts_of(values, "case"), values);
  const Comparison comparison = compare(explain_scenario(a, values), explain_scenario(b, values));
  if (values.count("json") > 0) {
    write_comparison_json(std::cout, full_name(a), full_name(b), comparison);
  } else {
    write_comparison_text(std::cout, title_of(a), title_of(b), comparison, terminal_width(default_line_width));
  }
}

void write(const Scenario& scenario, const Explanation& explanation, const po::variables_map& values) {
  if (values.count("json") > 0) {
    write_explanation_json(std::cout, full_name(scenario), explanation);
  } else {
    write_explanation_text(std::cout, title_of(scenario), explanation, terminal_width(default_line_width));
  }
}

Scenario choose(std::vector<Scenario> scenarios, const Names& cases) {
  return cases.empty() ? std::move(scenarios.front()) : case_named(std::move(scenarios), cases.front());
}

/// The scenario that the loader refused, if memory is all that it lacks.
std::optional<Scenario> short_of_memory(const ScenarioError& error, const std::string& file, const Names& cases,
                                        const po::variables_map& values) {
  for (const Diagnostic& diagnostic : error.diagnostics())
    if (diagnostic.severity == Severity::error && diagnostic.code != "does-not-fit") return std::nullopt;
  std::vector<Diagnostic> unused;
  Scenario scenario =
      choose(load_scenarios(scenario_file(file), texts_of(values, "set"), unused, Shortage::warned), cases);
  const auto plan = plan_memory_of(scenario);
  // It may be another case that does not fit, or more than memory that is wrong: then blocks that are given do not help.
  Scenario with_blocks = scenario;
  with_blocks.memory.num_gpu_blocks = 1;
  const bool memory_alone = std::holds_alternative<MemoryPlan>(plan_memory_of(with_blocks));
  if (std::holds_alternative<PlanError>(plan) && memory_alone) return scenario;
  return std::nullopt;
}

int explain_one(const Names& files, const po::variables_map& values) {
  const Names cases = texts_of(values, "case");
  if (files.size() > 1 || cases.size() > 1)
    throw UsageError("explain takes one scenario and one case", "two are compared with --diff");
  try {
    const Scenario scenario = choose(load(files.front(), values), cases);
    write(scenario, explain_scenario(scenario, values), values);
    return exit_done;
  } catch (const ScenarioError& error) {
    const auto scenario = short_of_memory(error, files.front(), cases, values);
    if (!scenario) throw;
    write(*scenario, explain_shortage(deployment_of(*scenario), question_of(values)), values);
    return exit_usage;
  }
}

}  // namespace

int explain_command(std::span<const std::string> args) {
  const auto values = parse_options(command_line(), args);
  if (!values) return exit_done;
  const Names files = texts_of(*values, "scenario");
  if (files.empty()) throw UsageError("explain takes a scenario file", "decodesim explain scenarios/context-gap.yaml");
  if ((*values)["diff"].as<bool>()) {
    if ((*values)["fits"].as<bool>())
      throw UsageError("--fits shows one scenario, and --diff compares two", "decodesim explain --fits A");
    explain_difference(files, *values);
    return exit_done;
  }
  return explain_one(files, *values);
}

}  // namespace decodesim
