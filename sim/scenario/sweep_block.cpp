#include "sim/scenario/sweep_block.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "sim/core/suggest.hpp"
#include "sim/report/number_text.hpp"
#include "sim/scenario/sweep_range.hpp"
#include "sim/scenario/value_list.hpp"

namespace decodesim {

namespace {

using Shape = DocumentNode::Shape;

constexpr const char* list_help = "write 'PATH: [a, b]' or 'PATH: {from: 2, to: 16, step: 2}'";

class BlockReader {
 public:
  explicit BlockReader(Reading& reading) : reading_(reading) {}

  void block(const DocumentNode& node) {
    if (node.shape != Shape::map || node.entries.empty()) {
      reading_.error(node.at, "wrong-type", "'sweep' takes a mapping of what varies",
                     "write 'sweep: {grid: {parallel.tp: [1, 2, 4]}}'");
      return;
    }
    static constexpr std::array<std::string_view, 4> keys{"candidates", "zip", "grid", "exclude"};
    for (const DocumentEntry& entry : node.entries) {
      if (entry.key.starts_with("x-") || std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
      reading_.error(entry.key_at, "unknown-key", "unknown key '" + entry.key + "' in 'sweep'",
                     suggestion(entry.key, keys));
    }
    if (const DocumentNode* part = node.find("candidates")) candidates(*part);
    if (const DocumentNode* part = node.find("zip")) zip(*part);
    if (const DocumentNode* part = node.find("grid")) grid(*part);
    exclude_ = node.find("exclude");
  }

  void option(const std::string& text, std::size_t number) {
    std::error_code ignored;
    const std::size_t equals = text.find('=');
    const std::string path = equals == std::string::npos ? "" : trimmed(text.substr(0, equals));
    const std::string values = equals == std::string::npos ? "" : trimmed(text.substr(equals + 1));
    // A list is read as YAML has it between brackets, so that values may hold commas in quotes and brackets of their own.
    const std::string written = path + "=[" + values + "]";
    const bool is_list = colons_apart(values).empty();
    const SourceText* kept =
        reading_.keep({"--sweep[" + std::to_string(number) + "]", std::filesystem::current_path(ignored),
                       path.empty() || values.empty() || !is_list ? text : written});
    const Position at{kept, 1, 1, std::max(1, static_cast<int>(path.size()))};
    if (path.empty() || values.empty()) {
      reading_.error(at, "set-without-value", "'--sweep' takes PATH=VALUE,VALUE or PATH=FROM:TO:STEP",
                     "write '--sweep parallel.tp=1,2,4'");
      return;
    }
    DocumentNode list;
    if (is_list) {
      const std::vector<std::string> parts = split_values(values);
      if (std::find(parts.begin(), parts.end(), "") != parts.end()) {
        reading_.error(at, "empty-value", "'--sweep " + text + "' has an empty value",
                       "write a value between any two commas; 'null' removes what the file states");
        return;
      }
      std::optional<DocumentNode> parsed = reading_.parse(*kept, path.size() + 1);
      if (!parsed) return;
      list = std::move(*parsed);
      list.at = at;
    } else {
      const std::vector<std::string_view> ends = colons_apart(values);
      list = range(at, ends[0], ends[1], ends[2]);
      if (list.items.empty()) return;  // said already
    }
    add_grid_path({path, at}, list);
  }

  /// No path may vary twice, or vary and be set.
  void check_paths(std::span<const std::string> sets) {
    std::set<std::string> known;
    for (const SweptPath& one : block_.paths()) {
      if (!known.insert(one.path).second) {
        reading_.error(one.at, "duplicate-path", "'" + one.path + "' varies twice", "put all its values into one list");
      }
      const auto set = std::find_if(sets.begin(), sets.end(), [&](const std::string& text) {
        return trimmed(text.substr(0, text.find('='))) == one.path;
      });
      if (set != sets.end()) {
        reading_.error(one.at, "duplicate-path",
                       "'" + one.path + "' varies, so '--set " + *set + "' would have no effect",
                       "leave one of the two out");
      }
    }
  }

  void check_size() {
    if (block_.combinations() <= most_sweep_points) return;
    std::string product;
    for (const SweepDimension& dimension : block_.dimensions)
      product += (product.empty() ? "" : " x ") + grouped(static_cast<std::int64_t>(dimension.rows.size()));
    reading_.error(block_.paths().front().at, "too-many-points",
                   "the sweep has " + product + " points, more than " + grouped(most_sweep_points),
                   "vary fewer paths, take fewer values, or 'zip' those that go together");
  }

  void exclusions() {
    if (exclude_ == nullptr) return;
    if (!is_list_of_mappings(*exclude_, "exclude")) return;
    for (const DocumentNode& item : exclude_->items) exclusion(item);
  }

  SweepBlock take() { return std::move(block_); }

 private:
  /// The three parts of "from:to:step", each of which begins with a digit; else none.
  static std::vector<std::string_view> colons_apart(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
      const std::size_t colon = std::min(text.find(':'), text.size());
      const std::string_view part = text.substr(0, colon);
      const std::size_t first = part.find_first_not_of(" \t");
      if (first == std::string_view::npos || !((part[first] >= '0' && part[first] <= '9') || part[first] == '.'))
        return {};
      if (part.find_first_of(",[]{}'\"") != std::string_view::npos) return {};
      parts.push_back(part);
      if (colon == text.size()) break;
      text.remove_prefix(colon + 1);
    }
    return parts.size() == 3 ? parts : std::vector<std::string_view>{};
  }

  DocumentNode range(const Position& at, std::string_view from, std::string_view to, std::string_view step) {
    DocumentNode list;
    list.shape = Shape::list;
    list.at = at;
    SweepRange values = sweep_range(from, to, step, most_sweep_points);
    if (!values.problem.empty()) reading_.error(at, "wrong-range", values.problem, values.help);
    for (std::string& value : values.values) {
      DocumentNode node;
      node.shape = Shape::scalar;
      node.scalar = std::move(value);
      node.at = at;
      list.items.push_back(std::move(node));
    }
    return list;
  }

  /// The values that a path of `grid` or `zip` takes: those of a list, or of a mapping with from, to and step.
  std::optional<DocumentNode> values_of(const std::string& path, const DocumentNode& node) {
    if (node.shape == Shape::list) return node;
    const auto part = [&node](std::string_view key) {
      const DocumentNode* found = node.find(key);
      return found != nullptr && found->shape == Shape::scalar ? found : nullptr;
    };
    const bool ends = node.shape == Shape::map && part("from") != nullptr && part("to") != nullptr &&
                      part("step") != nullptr && node.entries.size() == 3;
    if (!ends) {
      reading_.error(node.at, "wrong-type", "'" + path + "' takes a list of values, or a range", list_help);
      return std::nullopt;
    }
    DocumentNode list = range(node.at, part("from")->scalar, part("to")->scalar, part("step")->scalar);
    if (list.items.empty()) return std::nullopt;  // said already
    return list;
  }

  /// The rows of a list that vary one path.
  bool check_values(const SweptPath& path, const DocumentNode& list) {
    if (list.items.empty()) {
      reading_.error(path.at, "empty-value", "'" + path.path + "' has no values to take", list_help);
      return false;
    }
    std::set<std::string> seen;
    for (const DocumentNode& item : list.items) {
      if (seen.insert(flow_text(item)).second) continue;
      reading_.error(item.at, "duplicate-value", "'" + path.path + "' has the value " + flow_text(item) + " twice",
                     "keep one of them");
      return false;
    }
    return true;
  }

  void add_grid_path(SweptPath path, const DocumentNode& node) {
    const std::optional<DocumentNode> list = values_of(path.path, node);
    if (!list || !check_values(path, *list)) return;
    SweepDimension dimension;
    dimension.paths.push_back(std::move(path));
    for (const DocumentNode& item : list->items) dimension.rows.push_back({item});
    block_.dimensions.push_back(std::move(dimension));
  }

  bool is_mapping_of_paths(const DocumentNode& node, const std::string& key) {
    if (node.shape == Shape::map && !node.entries.empty()) return true;
    reading_.error(node.at, "wrong-type", "'sweep." + key + "' takes a mapping of paths to their values", list_help);
    return false;
  }

  bool is_list_of_mappings(const DocumentNode& node, const std::string& key) {
    const auto fits = [](const DocumentNode& item) { return item.shape == Shape::map && !item.entries.empty(); };
    const DocumentNode* wrong = node.shape == Shape::list && !node.items.empty() ? nullptr : &node;
    for (const DocumentNode& item : node.items) {
      if (wrong == nullptr && !fits(item)) wrong = &item;
    }
    if (wrong == nullptr) return true;
    reading_.error(wrong->at, "wrong-type", "'sweep." + key + "' takes a list of mappings of paths to one value each",
                   "write '" + key + ": [{parallel.tp: 1, model: llama-3-70b}]'");
    return false;
  }

  void grid(const DocumentNode& node) {
    if (!is_mapping_of_paths(node, "grid")) return;
    for (const DocumentEntry& entry : node.entries) add_grid_path({entry.key, entry.key_at}, entry.value);
  }

  void zip(const DocumentNode& node) {
    if (!is_mapping_of_paths(node, "zip")) return;
    SweepDimension dimension;
    for (const DocumentEntry& entry : node.entries) {
      const std::optional<DocumentNode> list = values_of(entry.key, entry.value);
      if (!list) return;
      // Values of one path may come again beside others of another.
      if (list->items.empty()) {
        check_values({entry.key, entry.key_at}, *list);
        return;
      }
      if (dimension.paths.empty()) dimension.rows.resize(list->items.size());
      if (list->items.size() != dimension.rows.size()) {
        reading_.error(entry.key_at, "unequal-lists",
                       "'" + entry.key + "' has " + counted(static_cast<std::int64_t>(list->items.size()), "value") +
                           ", but '" + dimension.paths.front().path + "' has " +
                           grouped(static_cast<std::int64_t>(dimension.rows.size())),
                       "lists in 'zip' go together value by value; what is to be combined belongs into 'grid'");
        return;
      }
      dimension.paths.push_back({entry.key, entry.key_at});
      for (std::size_t i = 0; i < list->items.size(); ++i) dimension.rows[i].emplace_back(list->items[i]);
    }
    block_.dimensions.push_back(std::move(dimension));
  }

  void candidates(const DocumentNode& node) {
    if (!is_list_of_mappings(node, "candidates")) return;
    SweepDimension dimension;
    for (const DocumentNode& item : node.items) {
      std::vector<std::optional<DocumentNode>> row(dimension.paths.size());
      for (const DocumentEntry& entry : item.entries) {
        const auto known = std::find_if(dimension.paths.begin(), dimension.paths.end(),
                                        [&](const SweptPath& path) { return path.path == entry.key; });
        const auto column = static_cast<std::size_t>(known - dimension.paths.begin());
        if (known == dimension.paths.end()) {
          dimension.paths.push_back({entry.key, entry.key_at});
          row.emplace_back();
        }
        row[column] = entry.value;
      }
      dimension.rows.push_back(std::move(row));
    }
    for (std::vector<std::optional<DocumentNode>>& row : dimension.rows) row.resize(dimension.paths.size());
    block_.dimensions.push_back(std::move(dimension));
  }

  void exclusion(const DocumentNode& item) {
    SweepExclusion exclusion;
    exclusion.at = item.entries.front().key_at;
    std::vector<SweptPath> paths = block_.paths();
    for (const DocumentEntry& entry : item.entries) {
      const auto known =
          std::find_if(paths.begin(), paths.end(), [&](const SweptPath& path) { return path.path == entry.key; });
      if (known == paths.end()) {
        std::vector<std::string_view> names;
        names.reserve(paths.size());
        for (const SweptPath& path : paths) names.emplace_back(path.path);
        reading_.error(entry.key_at, "unknown-key", "'" + entry.key + "' in 'sweep.exclude' does not vary",
                       suggestion(entry.key, names));
        return;
      }
      exclusion.paths.push_back({entry.key, entry.key_at});
      exclusion.values.push_back(entry.value);
    }
    block_.exclusions.push_back(std::move(exclusion));
  }

  Reading& reading_;
  SweepBlock block_;
  const DocumentNode* exclude_ = nullptr;
};

}  // namespace

std::vector<SweptPath> SweepBlock::paths() const {
  std::vector<SweptPath> all;
  for (const SweepDimension& dimension : dimensions)
    all.insert(all.end(), dimension.paths.begin(), dimension.paths.end());
  return all;
}

std::size_t SweepBlock::combinations() const {
  std::size_t count = 1;
  for (const SweepDimension& dimension : dimensions) {
    // Neither factor is above the limit and one, so the product cannot pass 64 bits.
    count = std::min(count * std::min(dimension.rows.size(), most_sweep_points + 1), most_sweep_points + 1);
  }
  return count;
}

SweepBlock read_sweep_block(Reading& reading, const DocumentNode* block, std::span<const std::string> options,
                            std::span<const std::string> sets) {
  BlockReader reader(reading);
  const std::size_t before = reading.errors();
  if (block != nullptr) reader.block(*block);
  for (std::size_t i = 0; i < options.size(); ++i) reader.option(options[i], i + 1);
  if (reading.errors() > before) return reader.take();
  reader.check_paths(sets);
  reader.check_size();
  reader.exclusions();
  return reader.take();
}

std::string flow_text(const DocumentNode& node) {
  std::string text;
  switch (node.shape) {
    case Shape::null:
      return "null";
    case Shape::scalar:
      return node.scalar.empty() ? "''" : node.scalar;
    case Shape::list:
      for (const DocumentNode& item : node.items) text += (text.empty() ? "" : ", ") + flow_text(item);
      return "[" + text + "]";
    case Shape::map:
      for (const DocumentEntry& entry : node.entries)
        text += (text.empty() ? "" : ", ") + entry.key + ": " + flow_text(entry.value);
      return "{" + text + "}";
  }
  return text;
}

}  // namespace decodesim
