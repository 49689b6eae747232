#pragma once
// From scenario files to scenarios.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/core/field.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/shortage.hpp"
#include "sim/scenario/source_text.hpp"

namespace decodesim {

/// The text of a scenario file. Throws UnreadableFile, which names the scenario that may have been meant.
SourceText readable_source(const std::filesystem::path& file);

/// The scenarios of a file: one, or one for each entry of `cases` in the order written. Bases merge first, then the
/// file, then the case, then `sets` ("path=value", the value in YAML). Every Spec is complete and checked.
///
/// Warnings go to `warnings`. Throws ScenarioError with every mistake found, UnreadableFile where `file` cannot be read. What
/// memory does not hold is a mistake, or under `shortage` a warning: then the scenario can be explained, not played.
std::vector<Scenario> load_scenarios(const std::filesystem::path& file, std::span<const std::string> sets,
                                     std::vector<Diagnostic>& warnings, Shortage shortage = Shortage::refused);

/// The same for a text that `name` names in diagnostics; relative paths in it are relative to `folder`.
std::vector<Scenario> load_scenarios_text(const std::string& text, const std::string& name,
                                          const std::filesystem::path& folder, std::span<const std::string> sets,
                                          std::vector<Diagnostic>& warnings);

/// The resolved scenario: canonical YAML with every value in effect, which loads to the same scenario anywhere.
std::string scenario_text(const Scenario& scenario);

/// The fields of one Spec as canonical YAML lines, each behind `indent`; those without effect are left out.
std::string fields_text(FieldTable fields, const void* spec, const std::string& indent);

/// FNV-1a-64 of a text, as 16 hexadecimal digits.
std::string name_of_text(const std::string& text);

/// The same of the canonical text as 16 hexadecimal digits; of a trace file only its name counts, since where it lies
/// differs between machines.
std::string scenario_hash(const Scenario& scenario);

/// Every default in effect that the scenario did not state, in the order of the reference page.
std::vector<DefaultUsed> defaults_in_effect(const Scenario& scenario);

}  // namespace decodesim
