#include "sim/scenario/trace_settings.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "sim/scenario/catalog.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/layers.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/record_reader.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

TraceSpec read_trace_settings(const std::string& file, std::span<const std::string> settings) {
  Reading reading(find_catalog());
  std::error_code ignored;
  const SourceText* source = reading.keep({"the command line", std::filesystem::current_path(ignored), file});
  const Position at{source, 1, 1, static_cast<int>(file.size())};
  DocumentNode name;
  name.shape = DocumentNode::Shape::scalar;
  name.scalar = file;
  name.at = at;
  name.quoted = true;
  DocumentNode tree;
  tree.shape = DocumentNode::Shape::map;
  tree.at = at;
  tree.entries.push_back({"file", at, name});
  lay_sets(reading, tree, settings, 1);
  TraceSpec spec;
  std::vector<std::string> stated;
  RecordReader(reading, trace_fields, stated).read(tree, trace_fields, &spec, "");
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  return spec;
}

}  // namespace decodesim
