#include "sim/study/variant.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sim/scenario/catalog.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/value_list.hpp"
#include "sim/workload/request_source.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

namespace {

using Choice = std::vector<std::size_t>;  // one value of each varied field

/// Every combination, the first field slowest.
std::vector<Choice> choices(std::span<const VariedField> varied) {
  std::vector<Choice> all{{}};
  for (const VariedField& field : varied) {
    std::vector<Choice> longer;
    for (const Choice& choice : all) {
      for (std::size_t i = 0; i < field.values.size(); ++i) {
        longer.push_back(choice);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Words that say nothing without the field that has them.
bool is_answer(std::string_view word) {
  constexpr std::string_view answers[] = {"true", "false", "null", "none"};
  return std::find(std::begin(answers), std::end(answers), word) != std::end(answers);
}

/// A word alone says enough where one field varies ("sglang"); numbers, answers, and several fields, are told apart by
/// the last part of their paths ("watermark=0.02", "async=true").
std::string words_of(std::span<const VariedField> varied, const Choice& choice) {
  std::string words;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const std::string& value = varied[i].values[choice[i]];
    const bool word = (value[0] >= 'a' && value[0] <= 'z') || (value[0] >= 'A' && value[0] <= 'Z');
    if (i > 0) words += ' ';
    if (choice.size() > 1 || !word || is_answer(value))
      words += varied[i].path.substr(varied[i].path.rfind('.') + 1) + '=';
    words += value;
  }
  return words;
}

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

/// The first mistake, and how many more there are.
std::string objection_of(const std::vector<Diagnostic>& mistakes) {
  std::vector<const Diagnostic*> errors;
  for (const Diagnostic& one : mistakes) {
    if (one.severity == Severity::error) errors.push_back(&one);
  }
  if (errors.empty()) return "it does not load";
  const std::size_t more = errors.size() - 1;
  return "it does not load: " + errors.front()->message + (more > 0 ? ", and " + std::to_string(more) + " more" : "");
}

/// Names that several variants have get their file behind them.
void tell_apart(std::vector<Variant>& variants) {
  std::map<std::string, int> uses;
  for (const Variant& variant : variants) ++uses[variant.name];
  for (Variant& variant : variants) {
    if (uses[variant.name] > 1) variant.name += " (" + variant.file + ")";
  }
  std::set<std::string> names;
  for (const Variant& variant : variants) {
    if (!names.insert(variant.name).second)
      throw std::invalid_argument("'" + variant.name + "' would be compared with itself");
  }
}

}  // namespace

VariedField parse_varied_field(const std::string& text) {
  const std::size_t equals = text.find('=');
  VariedField field;
  field.path = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || field.path.empty())
    throw std::invalid_argument("'" + text + "' is not PATH=VALUE,VALUE");
  field.values = split_values(std::string_view(text).substr(equals + 1));
  std::set<std::string> seen;
  for (const std::string& value : field.values) {
    if (value.empty()) throw std::invalid_argument("'" + text + "' has an empty value");
    if (!seen.insert(value).second) throw std::invalid_argument("'" + text + "' has the value '" + value + "' twice");
  }
  return field;
}

std::vector<Variant> make_variants(std::span<const std::string> files, std::span<const VariedField> varied,
                                   std::span<const std::string> sets, std::vector<Diagnostic>& diagnostics) {
  std::vector<Variant> variants;
  for (const std::string& file : files) {
    const std::filesystem::path path = scenario_file(file);
    for (const Choice& choice : choices(varied)) {
      Variant variant;
      variant.file = file;
      const std::string words = words_of(varied, choice);
      for (std::size_t i = 0; i < choice.size(); ++i)
        variant.sets.push_back(varied[i].path + "=" + varied[i].values[choice[i]]);
      std::vector<std::string> laid(sets.begin(), sets.end());
      laid.insert(laid.end(), variant.sets.begin(), variant.sets.end());
      std::vector<Scenario> loaded;
      try {
        loaded = load_scenarios(path, laid, diagnostics);
      } catch (const ScenarioError& error) {
        diagnostics.insert(diagnostics.end(), error.diagnostics().begin(), error.diagnostics().end());
        variant.objection = objection_of(error.diagnostics());
      } catch (const UnreadableFile& error) {
        variant.objection = error.what();
      }
      const std::string stem = path.stem().string();
      if (loaded.empty()) {
        variant.name = words.empty() || files.size() > 1 ? joined({stem, words}) : words;
        variants.push_back(variant);
      }
      for (Scenario& scenario : loaded) {
        const std::string name = joined({files.size() > 1 ? scenario.name : "", scenario.case_name, words});
        variant.name = name.empty() ? scenario.name : name;
        variant.scenario = std::move(scenario);
        variants.push_back(variant);
      }
    }
  }
  tell_apart(variants);
  return variants;
}

std::string difference_of_requests(const Scenario& first, const Scenario& other, std::uint64_t seed) {
  // Most variants ask for the same in the same words, which is quicker to see than a million requests.
  const auto words = [](const Scenario& scenario) { return fields_text(workload_fields, &scenario.workload, ""); };
  if (words(first) == words(other)) return {};
  const std::unique_ptr<RequestSource> expected = make_request_source(first.workload, seed);
  const std::unique_ptr<RequestSource> found = make_request_source(other.workload, seed);
  if (expected->count() != found->count()) {
    return "has " + std::to_string(found->count()) + " requests instead of " + std::to_string(expected->count());
  }
  if (expected->concurrency() != found->concurrency()) return "keeps another number of requests in flight";
  for (std::int64_t index = 0;; ++index) {
    const std::optional<Request> one = expected->next();
    const std::optional<Request> two = found->next();
    if (one != two) return "differs from request " + std::to_string(index) + " on";
    if (!one) return {};
  }
}

}  // namespace decodesim
