#include "sim/scenario/layers.hpp"

#include <algorithm>

#include "sim/report/number_text.hpp"
#include "sim/scenario/help_words.hpp"
#include "sim/scenario/merge.hpp"
#include "sim/scenario/scenario_fields.hpp"

namespace decodesim {

namespace fs = std::filesystem;

namespace {

using Shape = DocumentNode::Shape;

// A trace's file alone, laid over a mapping that says more of a trace, would silently drop that: its window, its scale. Nor can
// it be kept unasked, since the file may be another trace, or one that was scaled already.
void refuse_to_drop_settings(Reading& reading, const DocumentNode& under, const DocumentNode& over, bool by_set) {
  const auto trace_of = [](const DocumentNode& tree) -> const DocumentNode* {
    const DocumentNode* workload = tree.shape == Shape::map ? tree.find("workload") : nullptr;
    return workload == nullptr || workload->shape != Shape::map ? nullptr : workload->find("trace");
  };
  const DocumentNode* before = trace_of(under);
  const DocumentNode* after = trace_of(over);
  if (before == nullptr || before->shape != Shape::map || after == nullptr || after->shape != Shape::scalar) return;
  std::string keys;
  std::string nulls;
  for (const DocumentEntry& entry : before->entries) {
    if (entry.key == "file" || entry.key.starts_with("x-")) continue;
    keys += (keys.empty() ? "'" : ", '") + entry.key + "'";
    nulls += ", " + entry.key + ": null";
  }
  if (keys.empty()) return;
  const std::string& file = after->scalar;
  reading.error(after->at, "settings-dropped",
                "'workload.trace' says more than its file, " + keys + ", which a file alone would drop",
                by_set ? "'--set workload.trace.file=" + file +
                             "' keeps that; '--set workload.trace=null --set workload.trace=" + file + "' drops it"
                       : "'trace: {file: " + file + "}' keeps that; 'trace: {file: " + file + nulls + "}' drops it");
}

// Reads a file and its bases, depth first, and refuses a file that is among its own bases.
class BaseReader {
 public:
  explicit BaseReader(Reading& reading) : reading_(reading) {}

  std::optional<DocumentNode> read(const SourceText* source, const fs::path& identity) {
    const fs::path folder = source->folder;
    ++files_;
    std::optional<DocumentNode> own = reading_.parse(*source);
    if (!own) return std::nullopt;
    if (own->shape == Shape::null) own->shape = Shape::map;
    if (own->shape != Shape::map) {
      reading_.error(own->at, "wrong-type", "a scenario is a mapping of keys to values", "begin with 'version: 1'");
      return std::nullopt;
    }
    open_.push_back(identity);
    std::optional<DocumentNode> tree = DocumentNode{};
    if (const std::optional<DocumentNode> base = take(*own, "base")) tree = read_bases(*base, folder);
    open_.pop_back();
    if (!tree) return std::nullopt;
    stamp(*own, layers++);
    refuse_to_drop_settings(reading_, *tree, *own, false);
    return merge(std::move(*tree), std::move(*own));
  }

  int layers = 0;

 private:
  std::optional<DocumentNode> read_bases(const DocumentNode& base, const fs::path& folder) {
    std::vector<const DocumentNode*> names;
    if (base.shape == Shape::list) {
      for (const DocumentNode& item : base.items) names.push_back(&item);
    } else {
      names.push_back(&base);
    }
    std::optional<DocumentNode> tree = DocumentNode{};
    for (const DocumentNode* name : names) {
      std::optional<DocumentNode> one = read_base(*name, folder);
      if (one && tree) {
        refuse_to_drop_settings(reading_, *tree, *one, false);
        tree = merge(std::move(*tree), std::move(*one));
      } else {
        tree.reset();
      }
    }
    return tree;
  }

  std::optional<DocumentNode> read_base(const DocumentNode& name, const fs::path& folder) {
    if (name.shape != Shape::scalar) {
      reading_.error(name.at, "wrong-type", "'base' takes a file name or a list of them",
                     "write 'base: [a.yaml, b.yaml]'");
      return std::nullopt;
    }
    if (name.scalar.empty()) {
      reading_.error(name.at, "empty-value", "'base' names no file", "write 'base: a.yaml', or leave it out");
      return std::nullopt;
    }
    const fs::path file = (folder / name.scalar).lexically_normal();
    std::error_code ignored;
    const fs::path identity = fs::weakly_canonical(file, ignored);
    if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
      reading_.error(name.at, "base-cycle", "'" + name.scalar + "' is a base of itself",
                     "remove one of the 'base' lines between them");
      return std::nullopt;
    }
    if (open_.size() >= longest_chain) {
      reading_.error(name.at, "too-deep",
                     "bases of bases are more than " + std::to_string(longest_chain) + " files deep",
                     "put what they state into fewer files");
      return std::nullopt;
    }
    // Said once: what is left of a diamond would only say it again.
    if (files_ >= most_files) {
      if (!too_many_)
        reading_.error(
            name.at, "too-deep",
            "a scenario is read from at most " + std::to_string(most_files) + " files, bases of bases counted",
            "put what they state into fewer files");
      too_many_ = true;
      return std::nullopt;
    }
    std::string why;
    std::optional<std::string> text = read_file(file, why);
    if (!text) {
      reading_.error(name.at, "unreadable-file", "cannot read the base file " + file.string() + ": " + why,
                     "'base' is relative to the file that names it");
      return std::nullopt;
    }
    return read(reading_.keep_file(file, std::move(*text)), identity);
  }

  // Bases of bases in a diamond double at every level; no scenario needs so many.
  static constexpr int most_files = 100;
  static constexpr std::size_t longest_chain = 32;

  Reading& reading_;
  int files_ = 0;  // those with mistakes as well
  bool too_many_ = false;
  std::vector<fs::path> open_;
};

void take_cases(Reading& reading, LayeredFile& file) {
  const std::optional<DocumentNode> cases = take(file.tree, "cases");
  if (!cases) return;
  if (cases->shape != Shape::map || cases->entries.empty()) {
    reading.error(cases->at, "wrong-type", "'cases' takes a mapping of names to what differs",
                  "write 'cases: {NAME: {key: value}}'");
    return;
  }
  for (const DocumentEntry& entry : cases->entries) {
    DocumentNode overlay = entry.value;
    if (overlay.shape != Shape::map) {
      reading.error(entry.value.at, "wrong-type", "'cases." + entry.key + "' takes a mapping of what differs",
                    "write '" + entry.key + ": {key: value}'");
      continue;
    }
    for (std::string_view key : {"base", "cases", "sweep", "version"}) {
      const auto found = std::find_if(overlay.entries.begin(), overlay.entries.end(),
                                      [&](const DocumentEntry& own) { return own.key == key; });
      if (found == overlay.entries.end()) continue;
      reading.error(found->key_at, "unknown-key", "'" + std::string(key) + "' belongs to the file, not to a case",
                    "move it out of 'cases'");
      overlay.entries.erase(found);
    }
    stamp(overlay, file.layers);
    refuse_to_drop_settings(reading, file.tree, overlay, false);
    file.cases.emplace_back(entry.key, std::move(overlay));
  }
  ++file.layers;
}

struct PathStep {
  std::string key;
  Position at;
  std::optional<std::size_t> index{};  // of an item, where the key holds a list: `clients[1]`
};

/// `key` or `key[index]`; an index that is none stays in the key.
PathStep path_step(std::string text, Position at) {
  constexpr std::size_t most_digits = 9;
  const std::size_t open = text.find('[');
  const bool indexed = open != std::string::npos && open + 2 < text.size() && text.back() == ']' &&
                       text.size() - open - 2 <= most_digits &&
                       text.find_first_not_of("0123456789", open + 1) == text.size() - 1;
  if (!indexed) return {std::move(text), at};
  return {text.substr(0, open), at, std::stoul(text.substr(open + 1))};
}

// The key that a scalar in place of the mapping states; empty where it is none of the mapping's own.
std::string_view key_of_scalar(const RecordField& record) {
  if (record.name_alone) return record.like;
  for (const Field& field : record.fields) {
    if (record.shorthand != nullptr && field.key == record.shorthand->key) return field.key;
  }
  return {};
}

// A tree with nothing but `value` at the path. On the way it goes on behind scalars that stand for a mapping: names from the
// catalog, files.
DocumentNode tree_of(std::span<const PathStep> path, FieldTable fields, DocumentNode value) {
  if (path.empty()) return value;
  const PathStep& step = path.front();
  FieldTable inner;
  std::string like;
  const Field* field = find_field(fields, step.key);
  if (const RecordField* record = field == nullptr ? nullptr : field->record()) {
    inner = record->fields;
    like = key_of_scalar(*record);
  }
  DocumentNode level;
  level.shape = Shape::map;
  level.layer = value.layer;
  DocumentNode rest = tree_of(path.subspan(1), inner, std::move(value));
  if (rest.shape != Shape::scalar) rest.at = step.at;
  if (path.size() > 1) rest.extends = like;
  level.entries.push_back({step.key, step.at, std::move(rest)});
  return level;
}

FieldTable fields_below(FieldTable fields, const std::string& key) {
  const Field* field = find_field(fields, key);
  if (field == nullptr) return {};
  if (field->record() != nullptr) return field->record()->fields;
  return field->list() != nullptr ? field->list()->fields : FieldTable{};
}

// Lays `value` over what is at the path, which leads through items of lists. These must be there: a list has no gaps.
void lay_into_items(Reading& reading, DocumentNode& tree, std::span<const PathStep> path, DocumentNode value) {
  const auto last =
      std::find_if(path.rbegin(), path.rend(), [](const PathStep& step) { return step.index.has_value(); });
  const auto items_at = static_cast<std::size_t>(path.rend() - last);  // steps up to the last item
  DocumentNode* node = &tree;
  FieldTable fields = scenario_fields;
  std::string walked;
  for (std::size_t i = 0; i < items_at; ++i) {
    const PathStep& step = path[i];
    walked += (walked.empty() ? "" : ".") + step.key;
    node = node->find(step.key);
    fields = fields_below(fields, step.key);
    const std::size_t items = node != nullptr && node->shape == Shape::list ? node->items.size() : 0;
    if (node == nullptr || (step.index && *step.index >= items)) {
      const bool no_list = step.index && node != nullptr && node->shape != Shape::list;
      if (no_list) {
        reading.error(step.at, "unknown-key", "'" + walked + "' is no list, so it has no items", "leave the index out");
      } else if (items == 0) {
        reading.error(step.at, "unknown-key", "the file states no list '" + walked + "'",
                      "write it whole: '--set " + walked + "=[{...}]'");
      } else {
        reading.error(step.at, "unknown-key",
                      "'" + walked + "' has " + counted(static_cast<std::int64_t>(items), "item") + ", counted from 0",
                      items == 1 ? "take [0]" : "take one from [0] to [" + std::to_string(items - 1) + "]");
      }
      return;
    }
    if (!step.index) continue;
    walked += "[" + std::to_string(*step.index) + "]";
    node = &node->items[*step.index];
  }
  if (items_at < path.size()) value = tree_of(path.subspan(items_at), fields, std::move(value));
  *node = merge(std::move(*node), std::move(value));
}

}  // namespace

std::optional<LayeredFile> read_layers(Reading& reading, SourceText source) {
  LayeredFile file;
  BaseReader reader(reading);
  std::error_code ignored;
  const fs::path identity = fs::weakly_canonical(source.name, ignored);
  std::optional<DocumentNode> tree = reader.read(reading.keep(std::move(source)), identity);
  if (!tree) return std::nullopt;
  file.tree = std::move(*tree);
  file.layers = reader.layers;
  take_cases(reading, file);
  file.sweep = take(file.tree, "sweep");
  return file;
}

void lay_value(Reading& reading, DocumentNode& tree, const std::string& text, const Position& at, DocumentNode value) {
  std::vector<PathStep> path;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('.', start), text.size());
    Position step = at;
    step.column += static_cast<int>(start);
    step.length = static_cast<int>(std::max<std::size_t>(1, end - start));
    path.push_back(path_step(text.substr(start, end - start), step));
    start = end + 1;
  }
  if (path.size() > deepest_nesting) {
    reading.error(path[deepest_nesting].at, "too-deep",
                  "the path has more than " + std::to_string(deepest_nesting) + " keys",
                  "no value of a scenario lies so deep");
    return;
  }
  for (std::string_view key : {"base", "cases", "sweep"}) {
    if (path.front().key != key) continue;
    reading.error(path.front().at, "unknown-key", "'" + path.front().key + "' can only stand in a file",
                  "write it into a file, and lay single values over it with '--set'");
    return;
  }
  const auto bracket = std::find_if(
      path.begin(), path.end(), [](const PathStep& step) { return step.key.find_first_of("[]") != std::string::npos; });
  if (bracket != path.end()) {
    reading.error(bracket->at, "unknown-key", "'" + bracket->key + "' names no item of a list",
                  "items are counted from 0, such as 'workload.clients[0].share=3'");
    return;
  }
  if (std::any_of(path.begin(), path.end(), [](const PathStep& step) { return step.index.has_value(); })) {
    lay_into_items(reading, tree, path, std::move(value));
    return;
  }
  DocumentNode over = tree_of(path, scenario_fields, std::move(value));
  refuse_to_drop_settings(reading, tree, over, true);
  tree = merge(std::move(tree), std::move(over));
}

void lay_sets(Reading& reading, DocumentNode& tree, std::span<const std::string> sets, int layer) {
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string& text = sets[i];
    std::error_code ignored;
    SourceText source{"--set[" + std::to_string(i + 1) + "]", fs::current_path(ignored), text};
    const std::size_t equals = text.find('=');
    const SourceText* kept = reading.keep(std::move(source));
    if (equals == std::string::npos || equals == 0) {
      reading.error({kept, 1, 1, static_cast<int>(std::max<std::size_t>(1, text.size()))}, "set-without-value",
                    "'--set' takes path=value", "write '--set cost.model=ideal'");
      continue;
    }
    if (text.find_first_not_of(" \t\n", equals + 1) == std::string::npos) {
      reading.error({kept, 1, static_cast<int>(equals) + 1, 1}, "empty-value", "nothing follows '='",
                    "write a value, or 'null' to remove what the file states");
      continue;
    }
    std::optional<DocumentNode> value = reading.parse(*kept, equals + 1);
    if (!value) continue;
    stamp(*value, layer + static_cast<int>(i));
    lay_value(reading, tree, text.substr(0, equals), {kept, 1, 1, 1}, std::move(*value));
  }
}

std::vector<std::string> files_of_layers(const std::filesystem::path& file) {
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) throw UnreadableFile("cannot read " + file.string() + ": " + why);
  Reading reading(find_catalog());
  read_layers(reading, {file.string(), file.parent_path(), std::move(*text)});
  std::vector<std::string> files = reading.files();
  files.push_back(file.string());
  return files;
}

}  // namespace decodesim
