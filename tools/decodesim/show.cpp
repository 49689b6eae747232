// decodesim show NAME: an entry of the catalog as it is written, with the source of every figure, or an engine or policy.

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/nearest_name.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/report/json_writer.hpp"
#include "sim/report/number_text.hpp"
#include "sim/scenario/catalog_entry.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/vllm_names.hpp"
#include "sim/serving/policy_table.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

// An entry of the catalog, or one of the program's own tables, which has no file.
struct Found {
  std::string kind;
  std::filesystem::path file;
  const EngineRow* engine = nullptr;
  const PolicyRow* policy = nullptr;
};

// Names by kind, a line each, broken where a line grows long.
std::string listed_by_kind(const std::vector<std::pair<std::string, std::vector<std::string>>>& kinds) {
  constexpr std::size_t widest = 100;
  std::string text;
  for (const auto& [kind, names] : kinds) {
    if (names.empty()) continue;
    std::string line = kind + ":";
    for (const std::string& name : names) {
      if (line.size() + 1 + name.size() > widest) {
        text += "\n" + line;
        line = "  ";
      }
      line += " " + name + (&name == &names.back() ? "" : ",");
    }
    text += "\n" + line;
  }
  return text;
}

// A name may be of two kinds, such as a model and a scenario about it; all are shown.
std::vector<Found> find_entries(const Catalog& catalog, const std::string& name) {
  std::vector<Found> found;
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (std::string_view kind : Catalog::kinds()) {
    kinds.emplace_back(kind, catalog.names(kind));
    const std::vector<std::string>& names = kinds.back().second;
    if (std::find(names.begin(), names.end(), name) != names.end())
      found.push_back({std::string(kind), catalog.file(kind, name)});
  }
  kinds.emplace_back("engines", std::vector<std::string>());
  for (const EngineRow& engine : engine_table()) {
    kinds.back().second.emplace_back(engine.name);
    if (engine.name == name) found.push_back({"engines", {}, &engine});
  }
  kinds.emplace_back("policies", std::vector<std::string>());
  for (const PolicyRow& policy : policy_table()) {
    kinds.back().second.emplace_back(policy.name);
    if (policy.name == name) found.push_back({"policies", {}, nullptr, &policy});
  }
  if (!found.empty()) return found;
  if (const std::string objection = catalog.objection(); !objection.empty())
    throw std::runtime_error(objection + "; " + Catalog::remedy);
  std::vector<std::string_view> all;
  for (const auto& [kind, names] : kinds) all.insert(all.end(), names.begin(), names.end());
  std::optional<std::string_view> near = nearest_name(name, all);
  for (std::string_view kind : {"gpus", "nodes"}) {
    if (const std::string_view known = name_of_vllm_value(kind, name); !known.empty() && !near) near = known;
  }
  throw UsageError("there is nothing called '" + name + "' to show",
                   (near ? "did you mean '" + std::string(*near) + "'? These can be shown:" : "these can be shown:") +
                       listed_by_kind(kinds));
}

struct Figure {
  std::string name;  // as a JSON key, its unit at the end
  std::string words;
  double value = 0;
};

// What follows from an entry and is asked for most.
std::vector<Figure> figures_of(const Catalog& catalog, const Found& entry, const std::string& name) {
  std::vector<Figure> figures;
  const auto add = [&](const std::string& key, double value, const std::string& words) {
    figures.push_back({key, words, value});
  };
  if (entry.kind == "models") {
    const ModelSpec model = load_model(catalog, name);
    const double layer = kv_bytes_per_token_per_layer(model, Precision::bf16).value();
    const double token = kv_bytes_per_token(model, Precision::bf16).value();
    const double weights = model.parameters * bytes_per_value(Precision::bf16);
    add("kv_per_token_per_layer_bytes", layer,
        "KV cache in bf16: " + grouped(static_cast<std::int64_t>(layer)) + " bytes a token and layer");
    add("kv_per_token_bytes", token,
        "KV cache in bf16: " + grouped(static_cast<std::int64_t>(token)) + " bytes a token");
    add("weights_bytes", weights, "weights in bf16: " + bytes_text(weights));
  } else if (entry.kind == "gpus") {
    const GpuSpec gpu = load_gpu(catalog, name);
    const double ridge = gpu.peak_bf16.value() / gpu.hbm_bandwidth.value();
    add("ridge_flop_per_byte", ridge, "ridge in bf16: " + significant(ridge, 3) + " FLOP a byte");
  } else if (entry.kind == "nodes") {
    const NodeSpec node = load_node(catalog, name);
    const double memory = node.gpu.memory_reported.value() * node.gpus;
    const double bandwidth = node.gpu.hbm_bandwidth.value() * node.gpus;
    add("memory_reported_bytes", memory, "memory as reported, all GPUs: " + bytes_text(memory));
    add("hbm_bandwidth_bytes_per_s", bandwidth, "HBM bandwidth, all GPUs: " + bytes_text(bandwidth) + "/s");
  }
  return figures;
}

std::string text_of(const Found& entry) {
  std::string why;
  const auto text = read_file(entry.file, why);
  if (!text) throw std::runtime_error("cannot read " + entry.file.string() + ": " + why);
  return *text;
}

std::vector<std::string> engines_with(const PolicyRow& policy) {
  std::vector<std::string> names;
  for (const EngineRow& engine : engine_table()) {
    if (own_policy(engine, policy.axis) == policy.name) names.emplace_back(engine.name);
  }
  return names;
}

// The axes on which an engine chooses, in the order of the policy table.
std::vector<const PolicyRow*> choices_of(const EngineRow& engine) {
  std::vector<const PolicyRow*> choices;
  for (const PolicyRow& policy : policy_table()) {
    if (own_policy(engine, policy.axis) == policy.name) choices.push_back(&policy);
  }
  return choices;
}

// What a scenario may choose on an axis in place of the engine's own.
std::vector<std::string> alternatives(const EngineRow& engine, std::string_view axis) {
  std::vector<std::string> names;
  for (const PolicyRow& policy : policy_table()) {
    if (policy.axis == axis && engine_takes(engine, policy) && own_policy(engine, axis) != policy.name)
      names.emplace_back(policy.name);
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void write_engine(const EngineRow& engine) {
  std::cout << "# engine " << engine.name << ": " << engine.doc << "\n";
  std::size_t axis_width = 0;
  std::size_t name_width = 0;
  for (const PolicyRow* policy : choices_of(engine)) {
    axis_width = std::max(axis_width, policy->axis.size());
    name_width = std::max(name_width, policy->name.size());
  }
  for (const PolicyRow* policy : choices_of(engine)) {
    std::cout << policy->axis << std::string(axis_width + 2 - policy->axis.size(), ' ') << policy->name
              << std::string(name_width + 2 - policy->name.size(), ' ') << policy->doc << "\n";
    const std::string others = joined(alternatives(engine, policy->axis));
    if (!others.empty()) std::cout << std::string(axis_width + 2, ' ') << "or: " << others << "\n";
  }
}

void write_policy(const PolicyRow& policy) {
  std::cout << "# policy " << policy.name << ", a choice on the axis '" << policy.axis << "'\n" << policy.doc << "\n";
  const std::string engines = joined(engines_with(policy));
  if (!engines.empty()) std::cout << "default of: " << engines << "\n";
}

void write_entry(const Catalog& catalog, const Found& entry, const std::string& name) {
  if (entry.engine != nullptr) return write_engine(*entry.engine);
  if (entry.policy != nullptr) return write_policy(*entry.policy);
  std::cout << "# " << entry.file.string() << "\n" << text_of(entry);
  const std::vector<Figure> figures = figures_of(catalog, entry, name);
  if (!figures.empty()) std::cout << "\n";
  for (const Figure& figure : figures) std::cout << "# " << figure.words << "\n";
}

void write_entry_json(JsonWriter& json, const Catalog& catalog, const Found& entry, const std::string& name) {
  json.begin_object().member("kind", entry.kind);
  if (entry.engine != nullptr) {
    json.member("doc", entry.engine->doc).member_array("policies");
    for (const PolicyRow* policy : choices_of(*entry.engine)) {
      json.begin_object().member("axis", policy->axis).member("name", policy->name).member("doc", policy->doc);
      json.member_texts("alternatives", alternatives(*entry.engine, policy->axis)).end_object();
    }
    json.end_array();
  } else if (entry.policy != nullptr) {
    json.member("axis", entry.policy->axis).member("doc", entry.policy->doc);
    json.member_texts("default_of", engines_with(*entry.policy));
  } else {
    json.member("file", entry.file.string()).member("text", text_of(entry)).member_object("figures");
    for (const Figure& figure : figures_of(catalog, entry, name)) json.member(figure.name, figure.value);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

int show_command(std::span<const std::string> args) {
  CommandLine line{
      "decodesim show NAME [options]",
      "Prints what a name of 'decodesim list' stands for: an entry of the catalog with the source of every "
      "figure and what\nfollows from it, a scenario's file, an engine's choice on every axis, a policy.",
      po::options_description("options"), "name"};
  line.options.add_options()("json", "one JSON document on stdout");
  const auto options = parse_options(line, args);
  if (!options) return exit_done;
  if (options->count("name") == 0) throw UsageError("show what?", "usage: " + line.usage);
  const auto names = (*options)["name"].as<std::vector<std::string>>();
  if (names.size() > 1) throw UsageError("one name at a time", "usage: " + line.usage);

  const Catalog catalog = find_catalog();
  const std::vector<Found> found = find_entries(catalog, names[0]);
  if (options->count("json") > 0) {
    JsonWriter json(std::cout);
    json.begin_object().member("schema_version", 1).member("name", names[0]).member_array("entries");
    for (const Found& entry : found) write_entry_json(json, catalog, entry, names[0]);
    json.end_array().end_object();
    std::cout << "\n";
    return exit_done;
  }
  for (const Found& entry : found) {
    if (&entry != &found.front()) std::cout << "\n";
    write_entry(catalog, entry, names[0]);
  }
  return exit_done;
}

}  // namespace decodesim
