#include "sim/scenario/record_reader.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/nearest_name.hpp"
#include "sim/core/suggest.hpp"
#include "sim/scenario/named_entry.hpp"

namespace decodesim {

namespace {

using Shape = DocumentNode::Shape;

std::vector<std::string_view> keys_of(FieldTable fields, const std::vector<std::string_view>& extra) {
  std::vector<std::string_view> keys(extra.begin(), extra.end());
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

const Field* find_field(FieldTable fields, std::string_view key) {
  for (const Field& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

// Where a key of this name lies in the scenario; empty where there is none, or more than one.
void find_paths(FieldTable fields, std::string_view key, const std::string& path, std::vector<std::string>& found) {
  for (const Field& field : fields) {
    if (field.key == key) found.push_back(joined(path, key));
    if (const RecordField* record = field.record()) find_paths(record->fields, key, joined(path, field.key), found);
  }
}

std::string range_words(Kind kind, const Range& range) {
  const auto text = [kind](double value) {
    switch (kind) {
      case Kind::count:
      case Kind::tokens:
      case Kind::duration:
        return value_text(kind, Value(static_cast<std::int64_t>(value)));
      default:
        return value_text(kind, Value(value));
    }
  };
  if (range.min == range.max) return "must be " + text(range.min);
  std::string words = "must be " + std::string(range.min_excluded ? "above " : "at least ") + text(range.min);
  if (range.max < 9e18) words += std::string(" and ") + (range.max_excluded ? "below " : "at most ") + text(range.max);
  return words;
}

std::string_view shape_name(Shape shape) {
  switch (shape) {
    case Shape::null:
      return "nothing";
    case Shape::scalar:
      return "a single value";
    case Shape::list:
      return "a list";
    case Shape::map:
      return "a mapping";
  }
  return "";
}

// A value that could stand at a field, for "add 'key: VALUE'".
std::string example(const Field& field) {
  const Field* leaf = &field;
  if (const RecordField* record = field.record()) {
    if (record->name_alone) return "NAME";
    if (record->shorthand == nullptr) return "{...}";
    leaf = record->shorthand;
  }
  const ScalarField* scalar = leaf->scalar();
  if (scalar == nullptr) return "[...]";
  if (!scalar->choices.empty()) return std::string(scalar->choices.front());
  if (scalar->range.min == scalar->range.max) return std::to_string(static_cast<std::int64_t>(scalar->range.min));
  return std::string(kind_example(scalar->kind));
}

}  // namespace

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

void reset_field(const Field& field, void* spec) {
  if (const ScalarField* scalar = field.scalar()) {
    scalar->set(spec, scalar->initial());
  } else if (const RecordField* record = field.record()) {
    for (const Field& inner : record->fields) reset_field(inner, record->inside(spec));
  }
}

void RecordReader::read(const DocumentNode& map, FieldTable fields, void* spec, const std::string& path,
                        std::vector<std::string_view> extra) {
  // Keys that select something exclude each other: the latest wins, and two of one layer contradict each other.
  const DocumentEntry* selected = nullptr;
  for (const DocumentEntry& entry : map.entries) {
    const Field* field = find_field(fields, entry.key);
    if (field == nullptr || field->selects.apply == nullptr) continue;
    if (selected != nullptr && selected->value.layer == entry.value.layer) {
      reading_.error(entry.key_at, "contradiction",
                     "'" + joined(path, selected->key) + "' and '" + joined(path, entry.key) + "' exclude each other",
                     "keep one of them");
    } else if (selected == nullptr || selected->value.layer < entry.value.layer) {
      selected = &entry;
    }
  }
  const std::size_t errors_before = reading_.errors();
  std::vector<std::string_view> near_misses;
  for (const DocumentEntry& entry : map.entries) {
    if (entry.key.starts_with("x-")) continue;
    const Field* field = find_field(fields, entry.key);
    if (field == nullptr) {
      unknown_key(entry, fields, path, extra);
      const auto near = nearest_name(entry.key, keys_of(fields, extra));
      if (near) near_misses.push_back(*near);
      continue;
    }
    if (field->selects.apply != nullptr) {
      if (&entry != selected) {
        // Of one layer they were told to exclude each other already.
        if (entry.value.layer == selected->value.layer) continue;
        reading_.warn(entry.key_at, "superseded",
                      "'" + joined(path, entry.key) + "' is replaced by '" + joined(path, selected->key) +
                          "', which is stated later");
        continue;
      }
      field->selects.apply(spec);
    }
    read_field(*field, entry.value, spec, joined(path, entry.key));
  }
  const bool clean = reading_.errors() == errors_before;
  for (const Field& field : fields) {
    // A predicate says nothing about a record that was read with mistakes.
    if (field.applies.holds != nullptr && !clean) continue;
    const bool applies = field.applies_to(spec);
    const bool present = map.find(field.key) != nullptr;
    if (present && !applies) without_effect(map, field, fields, spec, joined(path, field.key));
    // What was only misspelt is not missing, nor is what a misspelt name from the catalog would have brought.
    const bool near = std::any_of(near_misses.begin(), near_misses.end(), [&](std::string_view key) {
      return key == field.key || find_field(fields, key) == nullptr;
    });
    if (!present && applies && field.need == Need::required && !near) missing_key(map, field, joined(path, field.key));
  }
}

void RecordReader::read_field(const Field& field, const DocumentNode& node, void* spec, const std::string& path) {
  if (const ScalarField* scalar = field.scalar()) {
    read_scalar(*scalar, node, spec, path);
  } else if (const RecordField* record = field.record()) {
    read_record(*record, node, record->inside(spec), path);
  } else if (const ListField* list = field.list()) {
    read_list(*list, node, spec, path);
  }
}

void RecordReader::read_scalar(const ScalarField& scalar, const DocumentNode& node, void* spec,
                               const std::string& path) {
  if (node.shape != Shape::scalar) {
    wrong_shape(node, path, kind_name(scalar.kind),
                "write it like '" +
                    std::string(scalar.choices.empty() ? kind_example(scalar.kind) : scalar.choices.front()) + "'");
    return;
  }
  if (scalar.kind == Kind::choice) {
    const auto choice = std::find(scalar.choices.begin(), scalar.choices.end(), node.scalar);
    if (choice == scalar.choices.end()) {
      reading_.error(node.at, "unknown-value", "'" + path + "' cannot be '" + node.scalar + "'",
                     suggestion(node.scalar, scalar.choices));
      return;
    }
    scalar.set(spec, Value(static_cast<std::int64_t>(choice - scalar.choices.begin())));
  } else {
    ParsedValue parsed = parse_value(scalar.kind, node.scalar);
    if (!parsed.ok()) {
      reading_.error(node.at, parsed.problem.code, "'" + path + "' " + parsed.problem.message, parsed.problem.help);
      return;
    }
    Value value = std::move(parsed.value);
    double number = scalar.range.min;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    const bool is_number = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
    if (is_number && !scalar.range.contains(number)) {
      reading_.error(node.at, "out-of-range", "'" + path + "' is " + value_text(scalar.kind, value),
                     "it " + range_words(scalar.kind, scalar.range));
      return;
    }
    if (scalar.names != nullptr) {
      const std::vector<std::string_view> names = scalar.names();
      if (std::find(names.begin(), names.end(), node.scalar) == names.end()) {
        reading_.error(node.at, "unknown-name", "'" + path + "' names no known one: '" + node.scalar + "'",
                       suggestion(node.scalar, names));
        return;
      }
    }
    if (scalar.kind == Kind::path) {
      const std::filesystem::path file = node.at.source->folder / node.scalar;
      value = file.lexically_normal().string();
    }
    scalar.set(spec, value);
  }
  if (lists_ == 0) stated_.push_back(path);
}

void RecordReader::read_record(const RecordField& record, const DocumentNode& node, void* spec,
                               const std::string& path) {
  if (node.shape == Shape::scalar && record.shorthand != nullptr) {
    // A word of the mapping's own keys cannot stand alone: it needs its number.
    if (const Field* inner = find_field(record.fields, node.scalar)) {
      reading_.error(node.at, "missing-value", "'" + path + "' needs a value for '" + node.scalar + "'",
                     "write '{" + node.scalar + ": " + example(*inner) + "}'");
      return;
    }
    read_scalar(*record.shorthand->scalar(), node, spec, path);
    return;
  }
  if (node.shape == Shape::scalar && !record.name_alone) {
    const std::string help = record.catalog.empty() ? "write its keys below it, or in braces: {key: value}"
                                                    : "write '{" + std::string(record.like) + ": " + node.scalar + "}'";
    wrong_shape(node, path, "a mapping", help);
    return;
  }
  if (node.shape != Shape::scalar && node.shape != Shape::map) {
    wrong_shape(node, path, "a mapping", "write its keys below it, or in braces: {key: value}");
    return;
  }
  if (record.catalog.empty()) {
    read(node, record.fields, spec, path);
    if (record.shorthand != nullptr && lists_ == 0) stated_.push_back(path);
    return;
  }
  if (const std::optional<DocumentNode> whole = open_named_entry(reading_, record, node, path)) {
    read(*whole, record.fields, spec, path, {record.like});
    if (lists_ == 0) stated_.push_back(path);
  }
}

void RecordReader::read_list(const ListField& list, const DocumentNode& node, void* spec, const std::string& path) {
  if (node.shape != Shape::list) {
    wrong_shape(node, path, "a list", "begin each entry with '- ', or write [{...}, {...}]");
    return;
  }
  ++lists_;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string place = path + "[" + std::to_string(i) + "]";
    if (node.items[i].shape != Shape::map) {
      wrong_shape(node.items[i], place, "a mapping", "write '{key: value}'");
      continue;
    }
    read(node.items[i], list.fields, list.append(spec), place);
  }
  --lists_;
  if (lists_ == 0) stated_.push_back(path);
}

void RecordReader::unknown_key(const DocumentEntry& entry, FieldTable fields, const std::string& path,
                               const std::vector<std::string_view>& extra) {
  const std::vector<std::string_view> keys = keys_of(fields, extra);
  std::string help = suggestion(entry.key, keys);
  if (!nearest_name(entry.key, keys)) {
    std::vector<std::string> elsewhere;
    find_paths(whole_, entry.key, "", elsewhere);
    if (elsewhere.size() == 1) help = "it belongs at '" + elsewhere.front() + "'";
  }
  reading_.error(entry.key_at, "unknown-key", "unknown key '" + joined(path, entry.key) + "'", help);
}

void RecordReader::missing_key(const DocumentNode& map, const Field& field, const std::string& path) {
  std::string message = "missing key '" + path + "'";
  if (!field.applies.words.empty()) message += ", which is needed where " + std::string(field.applies.words);
  reading_.error(map.at, "missing-key", message,
                 "add '" + std::string(field.key) + ": " + example(field) + "': " + std::string(field.doc));
}

void RecordReader::without_effect(const DocumentNode& map, const Field& field, FieldTable fields, void* spec,
                                  const std::string& path) {
  const auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const DocumentEntry& own) { return own.key == field.key; });
  // Who took its effect: the key that decides, or the one that selected something else.
  int decided = -1;
  std::string decider;
  for (const DocumentEntry& other : map.entries) {
    const Field* known = find_field(fields, other.key);
    const bool decides = other.key == field.applies.decider || (known != nullptr && known->selects.apply != nullptr);
    if (known == nullptr || !decides || other.value.layer <= decided) continue;
    decided = other.value.layer;
    decider = other.key;
  }
  const std::string message = "'" + path + "' has an effect only where " + std::string(field.applies.words);
  if (decided > entry->value.layer) {
    reading_.warn(entry->key_at, "superseded", message,
                  "'" + decider + "' is stated later and wins; this value is dropped");
    reset_field(field, spec);
    std::erase_if(stated_, [&](const std::string& stated) { return stated == path || stated.starts_with(path + "."); });
    return;
  }
  std::string help = "remove it";
  if (decided >= 0 && decided < entry->value.layer)
    help += ", or remove what a base file states with '" + decider + ": null'";
  reading_.error(entry->key_at, "no-effect", message, help);
}

void RecordReader::wrong_shape(const DocumentNode& node, const std::string& path, std::string_view wanted,
                               const std::string& help) {
  reading_.error(node.at, "wrong-type",
                 "'" + path + "' takes " + std::string(wanted) + ", not " + std::string(shape_name(node.shape)), help);
}

}  // namespace decodesim
