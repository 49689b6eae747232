#include "sim/scenario/catalog_entry.hpp"

#include <fstream>

#include "sim/hardware/hardware_fields.hpp"
#include "sim/model/model_fields.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/record_reader.hpp"

namespace decodesim {

namespace {

// A scenario that holds nothing but `key: {like: name}`; what the key's own table makes of it is the entry.
template <class Spec>
Spec load_entry(const Catalog& catalog, FieldTable fields, const std::string& key, const std::string& like,
                const std::string& name) {
  Reading reading(catalog);
  const Position nowhere{reading.keep({name, {}, name}), 1, 1, static_cast<int>(name.size())};
  DocumentNode value;
  value.shape = DocumentNode::Shape::scalar;
  value.scalar = name;
  value.at = nowhere;
  DocumentNode entry;
  entry.shape = DocumentNode::Shape::map;
  entry.at = nowhere;
  entry.entries.push_back({like, nowhere, value});
  DocumentNode tree = entry;
  tree.entries = {{key, nowhere, entry}};
  Spec spec;
  std::vector<std::string> stated;
  RecordReader(reading, fields, stated).read(tree, fields, &spec, "");
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  return spec;
}

struct GpuEntry {
  GpuSpec gpu;
};
struct NodeEntry {
  NodeSpec node;
};
struct ModelEntry {
  ModelSpec model;
};
constexpr Field gpu_entry_fields[] = {record<&GpuEntry::gpu>("gpu", gpu_fields, {.catalog = "gpus", .like = "like"})};
constexpr Field node_entry_fields[] = {
    record<&NodeEntry::node>("node", node_fields, {.catalog = "nodes", .like = "like"})};
constexpr Field model_entry_fields[] = {
    record<&ModelEntry::model>("model", model_fields, {.catalog = "models", .like = "like"})};

}  // namespace

GpuSpec load_gpu(const Catalog& catalog, const std::string& name) {
  return load_entry<GpuEntry>(catalog, gpu_entry_fields, "gpu", "like", name).gpu;
}

NodeSpec load_node(const Catalog& catalog, const std::string& name) {
  return load_entry<NodeEntry>(catalog, node_entry_fields, "node", "like", name).node;
}

ModelSpec load_model(const Catalog& catalog, const std::string& name) {
  return load_entry<ModelEntry>(catalog, model_entry_fields, "model", "like", name).model;
}

std::string first_comment(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  if (line.empty() || line.front() != '#') return "";
  const std::size_t start = line.find_first_not_of("# ");
  return start == std::string::npos ? "" : line.substr(start);
}

}  // namespace decodesim
