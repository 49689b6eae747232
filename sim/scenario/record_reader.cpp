#include "sim/scenario/record_reader.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/suggest.hpp"
#include "sim/scenario/help_words.hpp"
#include "sim/scenario/named_entry.hpp"
#include "sim/scenario/vllm_names.hpp"

namespace decodesim {

namespace {

using Shape = DocumentNode::Shape;

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

// Does a key that takes one of several words hold another one?
bool holds_unknown_choice(const DocumentNode& map, FieldTable fields) {
  return std::any_of(map.entries.begin(), map.entries.end(), [&](const DocumentEntry& entry) {
    const Field* field = find_field(fields, entry.key);
    const ScalarField* scalar = field == nullptr ? nullptr : field->scalar();
    if (scalar == nullptr || scalar->kind != Kind::choice || entry.value.shape != Shape::scalar) return false;
    return std::find(scalar->choices.begin(), scalar->choices.end(), entry.value.scalar) == scalar->choices.end();
  });
}

}  // namespace

// What was dropped, by the entry that was stated later.
struct RecordReader::Superseded {
  std::vector<std::pair<const DocumentEntry*, std::vector<std::string>>> by_winner;

  void add(const DocumentEntry& winner, std::string path) {
    auto place =
        std::find_if(by_winner.begin(), by_winner.end(), [&](const auto& known) { return known.first == &winner; });
    if (place == by_winner.end()) place = by_winner.insert(place, {&winner, {}});
    place->second.push_back(std::move(path));
  }
};

void reset_field(const Field& field, void* spec) {
  if (const ScalarField* scalar = field.scalar()) {
    scalar->set(spec, scalar->initial());
  } else if (const RecordField* record = field.record()) {
    for (const Field& inner : record->fields) reset_field(inner, record->inside(spec));
  }
}

void RecordReader::read(const DocumentNode& map, FieldTable fields, void* spec, const std::string& path,
                        const std::vector<std::string_view>& extra) {
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
  const bool unknown_choice = holds_unknown_choice(map, fields);
  std::vector<std::string_view> near_misses;
  Superseded superseded;
  for (const DocumentEntry& entry : map.entries) {
    if (entry.key.starts_with("x-")) continue;
    const Field* field = find_field(fields, entry.key);
    if (field == nullptr) {
      const std::optional<std::string_view> near = key_meant(entry.key, fields, path, extra);
      // What belongs to a choice that is not known cannot be known either.
      if (unknown_choice && !near) continue;
      unknown_key(entry, fields, path, extra);
      if (near) near_misses.push_back(*near);
      continue;
    }
    if (field->selects.apply != nullptr) {
      if (&entry != selected) {
        // Of one layer they were told to exclude each other already.
        if (entry.value.layer == selected->value.layer) continue;
        superseded.add(*selected, joined(path, entry.key));
        continue;
      }
      field->selects.apply(spec);
    }
    read_field(*field, entry.value, spec, joined(path, entry.key));
  }
  if (unknown_choice) return;
  const std::vector<std::string_view> settled = settle_names(map, fields, spec, path, superseded);
  const bool clean = reading_.errors() == errors_before;
  // Where a choice is missing, what hangs on it cannot be judged.
  std::vector<std::string_view> missing_choices;
  for (const Field& field : fields) {
    const bool choice = field.scalar() != nullptr && field.scalar()->kind == Kind::choice;
    if (choice && field.need == Need::required && map.find(field.key) == nullptr && field.applies_to(spec))
      missing_choices.push_back(field.key);
  }
  const auto is_undecided = [&](const Field& field) {
    return std::any_of(missing_choices.begin(), missing_choices.end(),
                       [&](std::string_view key) { return field.applies.decided_by(key); });
  };
  for (const Field& field : fields) {
    if (std::find(settled.begin(), settled.end(), field.key) != settled.end()) continue;
    // A predicate says nothing about a record that was read with mistakes.
    if (field.applies.holds != nullptr && (!clean || is_undecided(field))) continue;
    const bool applies = field.applies_to(spec);
    const bool present = map.find(field.key) != nullptr;
    if (present && !applies) without_effect(map, field, fields, spec, joined(path, field.key), superseded);
    // What was only misspelt is not missing, nor is what a misspelt name from the catalog would have brought.
    const bool near = std::any_of(near_misses.begin(), near_misses.end(), [&](std::string_view key) {
      return key == field.key || find_field(fields, key) == nullptr;
    });
    if (!present && applies && field.need == Need::required && !near) missing_key(map, field, joined(path, field.key));
  }
  for (const auto& [winner, dropped] : superseded.by_winner)
    warn_of_dropped(*winner, joined(path, winner->key), dropped);
}

// Where a field is stated by two names, the later layer counts and the other is dropped; one layer contradicts itself.
// Returns the keys of which that was said.
std::vector<std::string_view> RecordReader::settle_names(const DocumentNode& map, FieldTable fields, void* spec,
                                                         const std::string& path, Superseded& superseded) {
  std::vector<std::string_view> settled;
  const auto entry_of = [&](std::string_view key) {
    return std::find_if(map.entries.begin(), map.entries.end(),
                        [&](const DocumentEntry& entry) { return entry.key == key; });
  };
  for (const Field& field : fields) {
    if (field.stands_for.empty() || !field.applies_to(spec)) continue;
    const auto one = entry_of(field.key);
    const auto other = entry_of(field.stands_for);
    if (one == map.entries.end() || other == map.entries.end()) continue;
    const bool one_is_later =
        one->value.layer == other->value.layer ? other < one : other->value.layer < one->value.layer;
    const DocumentEntry& later = one_is_later ? *one : *other;
    const DocumentEntry& earlier = one_is_later ? *other : *one;
    if (one->value.layer == other->value.layer) {
      reading_.error(later.key_at, "contradiction",
                     "'" + joined(path, earlier.key) + "' and '" + joined(path, later.key) +
                         "' are two names of one field, and both are stated",
                     "keep one of them");
    } else {
      superseded.add(later, joined(path, earlier.key));
      drop(*find_field(fields, earlier.key), spec, joined(path, earlier.key));
    }
    settled.insert(settled.end(), {field.key, field.stands_for});
  }
  return settled;
}

// As if it had not been stated.
void RecordReader::drop(const Field& field, void* spec, const std::string& path) {
  reset_field(field, spec);
  std::erase_if(stated_, [&](const std::string& stated) { return stated == path || stated.starts_with(path + "."); });
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
      const std::string known = path.starts_with("precision.") ? vllm_value_help("formats", node.scalar) : "";
      reading_.error(node.at, "unknown-value", "'" + path + "' cannot be '" + node.scalar + "'",
                     known.empty() ? suggestion(node.scalar, scalar.choices) : known);
      return;
    }
    scalar.set(spec, Value(static_cast<std::int64_t>(choice - scalar.choices.begin())));
  } else {
    ParsedValue parsed = parse_value(scalar.kind, node.scalar);
    if (!parsed.ok()) {
      const bool of_arrivals = path.ends_with(".burstiness") || path.ends_with(".request_rate");
      const std::string known = of_arrivals ? vllm_value_help("numbers", node.scalar) : "";
      reading_.error(node.at, parsed.problem.code, "'" + path + "' " + parsed.problem.message,
                     known.empty() ? parsed.problem.help : known);
      return;
    }
    Value value = std::move(parsed.value);
    double number = scalar.range.min;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    const bool is_number = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
    if (is_number && !scalar.range.contains(number)) {
      // Nobody means 90 wholes.
      const bool percents = scalar.kind == Kind::fraction && number >= 2 && scalar.range.contains(number / 100) &&
                            node.scalar.find('%') == std::string::npos;
      reading_.error(
          node.at, "out-of-range", "'" + path + "' is " + value_text(scalar.kind, value),
          (percents ? "write '" + node.scalar + " %': it " : "it ") + range_words(scalar.kind, scalar.range));
      return;
    }
    if (scalar.names != nullptr) {
      const std::vector<std::string_view> names = scalar.names();
      if (std::find(names.begin(), names.end(), node.scalar) == names.end()) {
        const std::string known = vllm_value_help("engines", node.scalar);
        reading_.error(node.at, "unknown-name", "'" + path + "' names no known one: '" + node.scalar + "'",
                       known.empty() ? suggestion(node.scalar, names) : known);
        return;
      }
    }
    if (scalar.kind == Kind::path) {
      if (node.scalar.empty()) {
        reading_.error(node.at, "missing-value", "'" + path + "' is empty, and names a file", "write its name");
        return;
      }
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
    const std::string help = record.catalog.empty()
                                 ? "write its keys below it, or in braces: {key: value}"
                                 : "write '" + mapping_for(reading_.catalog(), record, node.scalar) + "'";
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
    wrong_shape(node, path, "a list",
                list.item != nullptr ? "write it like [1, 2]" : "begin each entry with '- ', or write [{...}, {...}]");
    return;
  }
  ++lists_;
  for (std::size_t i = 0; i < node.items.size() && !reading_.is_full(); ++i) {
    const std::string place = path + "[" + std::to_string(i) + "]";
    if (list.item != nullptr) {
      read_scalar(*list.item->scalar(), node.items[i], list.append(spec), place);
      continue;
    }
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
  reading_.error(entry.key_at, "unknown-key", "unknown key '" + joined(path, entry.key) + "'",
                 unknown_key_help(entry.key, fields, extra, whole_));
}

void RecordReader::missing_key(const DocumentNode& map, const Field& field, const std::string& path) {
  std::string message = "missing key '" + path + "'";
  if (!field.applies.words.empty()) message += ", which is needed where " + std::string(field.applies.words);
  reading_.error(map.at, "missing-key", message,
                 "add '" + std::string(field.key) + ": " + example(field) + "': " + std::string(field.doc));
}

void RecordReader::without_effect(const DocumentNode& map, const Field& field, FieldTable fields, void* spec,
                                  const std::string& path, Superseded& superseded) {
  const auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const DocumentEntry& own) { return own.key == field.key; });
  // Who took its effect: the key that decides, or the one that selected something else.
  const DocumentEntry* decider = nullptr;
  for (const DocumentEntry& other : map.entries) {
    const Field* known = find_field(fields, other.key);
    const bool decides = field.applies.decided_by(other.key) || (known != nullptr && known->selects.apply != nullptr);
    if (known == nullptr || !decides || (decider != nullptr && other.value.layer <= decider->value.layer)) continue;
    decider = &other;
  }
  if (decider != nullptr && decider->value.layer > entry->value.layer) {
    superseded.add(*decider, path);
    drop(field, spec, path);
    return;
  }
  std::string help = "remove it";
  const std::string choices = choices_with_effect(field, fields, spec);
  if (decider == nullptr) {
    if (!choices.empty()) help = "add " + choices + ", or remove it";
  } else if (decider->key == field.applies.first_decider() && !choices.empty()) {
    help += ", or choose " + choices;
  } else if (decider->value.layer < entry->value.layer) {
    help += ", or remove what a base file states with '" + decider->key + ": null'";
  }
  reading_.error(entry->key_at, "no-effect",
                 "'" + path + "' has an effect only where " + std::string(field.applies.words), help);
}

void RecordReader::warn_of_dropped(const DocumentEntry& winner, const std::string& path,
                                   const std::vector<std::string>& dropped) {
  std::string names;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (i > 0) names += i + 1 == dropped.size() ? " and " : ", ";
    names += "'" + dropped[i] + "'";
  }
  reading_.warn(winner.key_at, "superseded",
                "'" + path + "' is stated later than " + names +
                    ", which it leaves without effect: " + (dropped.size() == 1 ? "it is" : "they are") + " dropped");
}

void RecordReader::wrong_shape(const DocumentNode& node, const std::string& path, std::string_view wanted,
                               const std::string& help) {
  reading_.error(node.at, "wrong-type",
                 "'" + path + "' takes " + std::string(wanted) + ", not " + std::string(shape_name(node.shape)), help);
}

}  // namespace decodesim
