// decodesim show NAME: an entry of the catalog as it is written, with the source of every figure.

#include <iostream>
#include <string>
#include <vector>

#include "sim/core/suggest.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/report/json_writer.hpp"
#include "sim/report/number_text.hpp"
#include "sim/scenario/catalog_entry.hpp"
#include "sim/scenario/reading.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

struct Found {
  std::string kind;
  std::filesystem::path file;
};

// A name may be of two kinds, such as a model and a scenario about it; all are shown.
std::vector<Found> find_entries(const Catalog& catalog, const std::string& name) {
  std::vector<Found> found;
  std::vector<std::string> all;
  for (std::string_view kind : Catalog::kinds()) {
    for (const std::string& known : catalog.names(kind)) {
      all.push_back(known);
      if (known == name) found.push_back({std::string(kind), catalog.file(kind, known)});
    }
  }
  if (found.empty() && all.empty()) {
    throw std::runtime_error(
        "the catalog was not found; set DECODESIM_HOME to the folder that holds hardware/ and workloads/");
  }
  if (found.empty())
    throw UsageError("the catalog has no '" + name + "'",
                     suggestion(name, std::vector<std::string_view>(all.begin(), all.end())));
  return found;
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

}  // namespace

int show_command(std::span<const std::string> args) {
  CommandLine line{"decodesim show NAME [options]",
                   "Prints an entry of the catalog with the source of every figure, and what follows from it.",
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
    for (const Found& entry : found) {
      json.begin_object().member("kind", entry.kind).member("file", entry.file.string()).member("text", text_of(entry));
      json.member_object("figures");
      for (const Figure& figure : figures_of(catalog, entry, names[0])) json.member(figure.name, figure.value);
      json.end_object().end_object();
    }
    json.end_array().end_object();
    std::cout << "\n";
    return exit_done;
  }
  for (const Found& entry : found) {
    if (&entry != &found.front()) std::cout << "\n";
    std::cout << "# " << entry.file.string() << "\n" << text_of(entry);
    const std::vector<Figure> figures = figures_of(catalog, entry, names[0]);
    if (!figures.empty()) std::cout << "\n";
    for (const Figure& figure : figures) std::cout << "# " << figure.words << "\n";
  }
  return exit_done;
}

}  // namespace decodesim
