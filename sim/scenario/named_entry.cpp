#include "sim/scenario/named_entry.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/core/suggest.hpp"
#include "sim/scenario/merge.hpp"
#include "sim/scenario/vllm_names.hpp"

namespace decodesim {

namespace {

using Shape = DocumentNode::Shape;

// A name that ends so is a file of the user's own, as `decodesim import` writes them; no name of the catalog does.
bool is_file_name(const std::string& name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

std::optional<DocumentNode> read_entry_file(Reading& reading, const std::string& kind, const DocumentNode& name,
                                            const std::filesystem::path& file) {
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) {
    reading.error(name.at, "unreadable-file", "cannot read the " + kind + " " + file.string() + ": " + why,
                  "a file is relative to the one that names it, and in '--set' to where you are");
    return std::nullopt;
  }
  std::optional<DocumentNode> entry = reading.parse(*reading.keep_file(file, std::move(*text)));
  if (!entry) return std::nullopt;
  if (entry->shape != Shape::map) {
    reading.error(entry->at, "wrong-type", "a " + kind + " is a mapping of keys to values");
    return std::nullopt;
  }
  stamp(*entry, -1);
  return entry;
}

// The entry that `name` asks for, of the catalog or of a file, below every layer of the scenario.
std::optional<DocumentNode> read_entry(Reading& reading, const RecordField& record, const DocumentNode& name,
                                       const std::string& path) {
  // The kind is the catalog's folder in the singular.
  const std::string kind(record.catalog.substr(0, record.catalog.size() - 1));
  if (name.shape != Shape::scalar) {
    reading.error(name.at, "wrong-type", "'" + path + "." + std::string(record.like) + "' takes the name of a " + kind,
                  "'decodesim list " + std::string(record.catalog) + "' shows them");
    return std::nullopt;
  }
  if (is_file_name(name.scalar)) return read_entry_file(reading, kind, name, name.at.source->folder / name.scalar);
  const Catalog& catalog = reading.catalog();
  if (const std::string objection = catalog.objection(record.catalog); !objection.empty()) {
    reading.error(name.at, "no-catalog", objection + ", so '" + name.scalar + "' names no " + kind, Catalog::remedy);
    return std::nullopt;
  }
  // Only listed names are opened, so no name can lead out of the catalog.
  const std::vector<std::string> names = catalog.names(record.catalog);
  if (std::find(names.begin(), names.end(), name.scalar) == names.end()) {
    std::string help = vllm_value_help(record.catalog, name.scalar);
    if (help.empty()) {
      const std::string bare = record.catalog == "models" ? bare_model_name(name.scalar) : name.scalar;
      help = suggestion(bare, std::vector<std::string_view>(names.begin(), names.end()));
    }
    reading.error(name.at, "unknown-name", "there is no " + kind + " '" + name.scalar + "'", help);
    return std::nullopt;
  }
  return read_entry_file(reading, kind, name, catalog.file(record.catalog, name.scalar));
}

std::int64_t count_of(const DocumentNode& node) {
  const ParsedValue parsed = parse_value(Kind::count, node.scalar);
  return parsed.ok() ? std::get<std::int64_t>(parsed.value) : 0;
}

// A node of which only some GPUs are taken.
void take_part(Reading& reading, DocumentNode& entry, const DocumentNode& own, const std::string& path) {
  const DocumentNode* whole = entry.find("gpus");
  const DocumentNode* part = own.find("gpus");
  if (whole == nullptr || part == nullptr || own.find("links") != nullptr) return;
  const std::int64_t most = count_of(*whole);
  const std::int64_t wanted = count_of(*part);
  if (wanted > most) {
    reading.error(part->at, "out-of-range",
                  "'" + path + ".gpus' is " + part->scalar + ", but the node has " + whole->scalar + " GPUs",
                  "take at most " + whole->scalar + ", or describe the node with its links");
  } else if (wanted < most && entry.find("gpus_installed") == nullptr) {
    DocumentNode installed = *whole;
    entry.entries.push_back({"gpus_installed", whole->at, std::move(installed)});
  }
}

// Does it say more than how many GPUs it takes?
bool changes_entry(const DocumentNode& own) {
  return std::any_of(own.entries.begin(), own.entries.end(),
                     [](const DocumentEntry& entry) { return entry.key != "gpus" && !entry.key.starts_with("x-"); });
}

}  // namespace

std::optional<DocumentNode> open_named_entry(Reading& reading, const RecordField& record, DocumentNode node,
                                             const std::string& path) {
  std::vector<std::string> seen;
  for (;;) {
    DocumentNode own;
    std::optional<DocumentNode> name;
    if (node.shape == Shape::map) {
      own = std::move(node);
      name = take(own, record.like);
      if (!name) return own;
    } else {
      own.shape = Shape::map;
      own.at = node.at;
      own.layer = node.layer;
      name = std::move(node);
    }
    std::optional<DocumentNode> entry = read_entry(reading, record, *name, path);
    if (!entry) return std::nullopt;
    if (std::find(seen.begin(), seen.end(), name->scalar) != seen.end()) {
      reading.error(name->at, "cycle", "'" + name->scalar + "' is like itself",
                    "remove one of the '" + std::string(record.like) + "' lines");
      return std::nullopt;
    }
    take_part(reading, *entry, own, path);
    DocumentNode* entry_name = entry->find("name");
    if (seen.empty() && changes_entry(own) && entry_name != nullptr) entry_name->scalar = "like " + entry_name->scalar;
    seen.push_back(name->scalar);
    const Position at = own.at;
    node = merge(std::move(*entry), std::move(own));
    node.at = at;
  }
}

}  // namespace decodesim
