// decodesim compare: which variant is better, by how much, and is that more than noise?

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <stdexcept>

#include "sim/scenario/policy_notes.hpp"
#include "sim/study/variant_comparison.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/messages.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/progress_line.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

constexpr std::int64_t usual_seeds = 5;
constexpr std::int64_t most_seeds = 1'000'000;

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim compare SCENARIO... [--vary PATH=VALUE,VALUE...] [options]";
  line.summary =
      "Plays variants of a scenario on the same requests and the same seeds, and prints their means, the paired\n"
      "differences to the first with 95 % confidence intervals, and what is within noise. Variants are the files\n"
      "named, their cases, and every combination of the values varied.";
  line.positional = "scenario";
  auto add = line.options.add_options();
  add("scenario", po::value<std::vector<std::string>>(), "scenario files, or names of 'decodesim list scenarios'");
  add("vary", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE,VALUE...: values that take turns; may be repeated");
  add("set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: overrides one value of every variant; may be repeated");
  add("seeds", po::value<std::string>(), "N: seeds to play each variant on, from the first one's run.seed up (5)");
  add_jobs(line.options);
  add("fail-above", po::value<std::vector<std::string>>()->composing(),
      "METRIC=PERCENT%: exit code 4 where a variant is worse than the first by more; may be repeated");
  add("json", "prints one JSON document instead of the table");
  return line;
}

/// What the variants of the command line are; mistakes in it become usage errors.
std::vector<Variant> variants_of(const po::variables_map& values, std::vector<Diagnostic>& diagnostics) {
  const std::vector<std::string> files = texts_of(values, "scenario");
  std::vector<VariedField> varied;
  std::set<std::string> paths;
  for (const std::string& text : texts_of(values, "vary")) {
    varied.push_back(parse_varied_field(text));
    if (varied.back().path == "run.seed")
      throw UsageError("seeds are not variants: every variant is played on all of them", "--seeds N");
    if (!paths.insert(varied.back().path).second)
      throw UsageError("--vary has '" + varied.back().path + "' twice", "put all its values behind one of them");
  }
  return make_variants(files, varied, texts_of(values, "set"), diagnostics);
}

int exit_code(const VariantComparison& comparison) {
  if (comparison.interrupted) return exit_interrupted;
  if (!comparison.first) return exit_failure;
  return comparison.regressions.empty() ? exit_done : exit_regression;
}

/// The same mistake of several variants is told once. Where no variant loads, that is a mistake of the scenario and no
/// comparison.
void tell_mistakes(const std::vector<Variant>& variants, const std::vector<Diagnostic>& diagnostics) {
  std::vector<Diagnostic> told;
  for (const Diagnostic& one : diagnostics) {
    if (std::find(told.begin(), told.end(), one) == told.end()) told.push_back(one);
  }
  const bool loaded = std::any_of(variants.begin(), variants.end(),
                                  [](const Variant& variant) { return variant.scenario.has_value(); });
  if (!loaded && told.empty()) throw UnreadableFile(variants.front().objection);
  if (!loaded) throw ScenarioError(told);
  if (!told.empty()) std::cerr << diagnostics_text(told);
}

}  // namespace

int compare_command(std::span<const std::string> args) {
  const CommandLine line = command_line();
  const auto values = parse_options(line, args);
  if (!values) return exit_done;
  if (texts_of(*values, "scenario").empty()) {
    throw UsageError("which scenario?",
                     "decodesim compare scenarios/chat-on-hgx-h100.yaml --vary scheduler.max_num_seqs=8,64,256");
  }
  std::vector<Diagnostic> diagnostics;
  std::vector<Variant> variants;
  std::vector<RegressionLimit> limits;
  try {
    variants = variants_of(*values, diagnostics);
    for (const std::string& text : texts_of(*values, "fail-above")) limits.push_back(parse_regression_limit(text));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what(), "usage: " + line.usage);
  }
  tell_mistakes(variants, diagnostics);
  if (variants.size() < 2)
    throw UsageError("there is nothing to compare with", "name a second scenario, or vary a value: --vary PATH=A,B");

  StudySpec study;
  study.version = DECODESIM_VERSION;
  study.seeds = number_of(*values, "seeds", usual_seeds, most_seeds);
  study.jobs = jobs_of(*values);
  for (const Variant& variant : variants) {
    if (!variant.scenario) continue;
    study.first_seed = variant.scenario->run.seed;
    break;
  }
  const bool watched = isatty(STDERR_FILENO) != 0;
  listen_to_signals();
  const VariantComparison comparison = compare_variants(std::move(variants), study, limits, stop_requested(),
                                                        [watched](std::int64_t done, std::int64_t all) {
                                                          if (watched) show_progress(done, all);
                                                        });
  if (comparison.interrupted && watched) clear_progress();
  std::set<std::string> warnings;
  for (const PlayedSeeds& played : comparison.played) {
    warnings.insert(played.warnings.begin(), played.warnings.end());
    for (const std::string& oracle : played.oracles) warnings.insert(oracle_warning(oracle));
  }
  for (const std::string& warning : warnings) warn(warning);
  if (values->count("json") > 0) {
    write_json(comparison, std::cout);
  } else {
    write_text(comparison, std::cout);
  }
  for (const Regression& regression : comparison.regressions) complain(regression.why);
  return exit_code(comparison);
}

}  // namespace decodesim
