// decodesim list KIND: the names that a scenario may use.

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "sim/core/suggest.hpp"
#include "sim/report/json_writer.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/catalog_entry.hpp"
#include "sim/serving/policy_table.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace {

namespace po = boost::program_options;

constexpr std::string_view kinds[] = {"gpus", "nodes", "models", "workloads", "engines", "policies", "scenarios"};

struct Row {
  std::string name;
  std::string axis;  // of a policy
  std::string doc;
};

std::vector<Row> rows_of(const std::string& kind) {
  std::vector<Row> rows;
  if (kind == "engines") {
    for (const EngineRow& engine : engine_table())
      rows.push_back({std::string(engine.name), "", std::string(engine.doc)});
  } else if (kind == "policies") {
    for (const PolicyRow& policy : policy_table())
      rows.push_back({std::string(policy.name), std::string(policy.axis), std::string(policy.doc)});
  } else {
    const Catalog catalog = find_catalog();
    for (const std::string& name : catalog.names(kind))
      rows.push_back({name, "", first_comment(catalog.file(kind, name))});
  }
  return rows;
}

void write_json(const std::string& kind, const std::vector<Row>& rows) {
  JsonWriter json(std::cout);
  json.begin_object().member("schema_version", 1).member("kind", kind).member_array("entries");
  for (const Row& row : rows) {
    json.begin_object().member("name", row.name);
    if (!row.axis.empty()) json.member("axis", row.axis);
    json.member("doc", row.doc).end_object();
  }
  json.end_array().end_object();
  std::cout << "\n";
}

void write_table(const std::vector<Row>& rows) {
  std::size_t name_width = 0;
  std::size_t axis_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    axis_width = std::max(axis_width, row.axis.size());
  }
  for (const Row& row : rows) {
    std::string line;
    if (axis_width > 0) line += row.axis + std::string(axis_width + 2 - row.axis.size(), ' ');
    line += row.name + std::string(name_width + 2 - row.name.size(), ' ') + row.doc;
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << "\n";
  }
}

}  // namespace

int list_command(std::span<const std::string> args) {
  CommandLine line{"decodesim list gpus|nodes|models|workloads|engines|policies|scenarios [options]",
                   "Lists the names that a scenario may use, a line each.", po::options_description("options"), "kind"};
  line.options.add_options()("json", "one JSON document on stdout");
  const auto options = parse_options(line, args);
  if (!options) return exit_done;
  if (options->count("kind") == 0) throw UsageError("list what?", "usage: " + line.usage);
  const auto wanted = (*options)["kind"].as<std::vector<std::string>>();
  if (wanted.size() > 1) throw UsageError("one kind at a time", "usage: " + line.usage);
  if (std::find(std::begin(kinds), std::end(kinds), wanted[0]) == std::end(kinds)) {
    throw UsageError("there is no list of '" + wanted[0] + "'", suggestion(wanted[0], kinds));
  }
  const std::vector<Row> rows = rows_of(wanted[0]);
  if (rows.empty()) throw std::runtime_error(find_catalog().objection(wanted[0]) + "; " + Catalog::remedy);
  if (options->count("json") > 0) {
    write_json(wanted[0], rows);
  } else {
    write_table(rows);
  }
  return exit_done;
}

}  // namespace decodesim
