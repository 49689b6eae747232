#include "sim/scenario/help_words.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/nearest_name.hpp"
#include "sim/core/suggest.hpp"
#include "sim/scenario/vllm_names.hpp"

namespace decodesim {

namespace {

std::vector<std::string_view> keys_of(FieldTable fields, const std::vector<std::string_view>& extra) {
  std::vector<std::string_view> keys(extra.begin(), extra.end());
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

// Where keys of this name lie in the scenario: outside the entries of lists, or in them too.
void find_paths(FieldTable fields, std::string_view key, const std::string& path, bool in_lists,
                std::vector<std::string>& found) {
  for (const Field& field : fields) {
    if (field.key == key) found.push_back(joined(path, key));
    const std::string own = joined(path, field.key);
    if (const RecordField* record = field.record()) find_paths(record->fields, key, own, in_lists, found);
    if (const ListField* list = field.list(); list != nullptr && in_lists)
      find_paths(list->fields, key, own + "[]", in_lists, found);
  }
}

}  // namespace

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

const Field* find_field(FieldTable fields, std::string_view key) {
  for (const Field& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
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
  std::string words = std::string("must be ") + (range.or_zero ? "0, or " : "") +
                      std::string(range.min_excluded ? "above " : "at least ") + text(range.min);
  if (std::isfinite(range.max))
    words += std::string(" and ") + (range.max_excluded ? "below " : "at most ") + text(range.max);
  return words;
}

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

std::optional<std::string_view> key_meant(std::string_view key, FieldTable fields, const std::string& path,
                                          const std::vector<std::string_view>& extra) {
  const std::string_view known = path_of_vllm_key(key);
  for (const Field& field : fields) {
    if (joined(path, field.key) == known) return field.key;
  }
  if (!known.empty()) return std::nullopt;
  return nearest_name(key, keys_of(fields, extra));
}

std::string unknown_key_help(std::string_view key, FieldTable fields, const std::vector<std::string_view>& extra,
                             FieldTable whole) {
  const std::vector<std::string_view> keys = keys_of(fields, extra);
  std::string help = suggestion(key, keys);
  if (const std::string known = vllm_key_help(key); !known.empty()) {
    help = known;
  } else if (!nearest_name(key, keys)) {
    std::vector<std::string> elsewhere;
    find_paths(whole, key, "", false, elsewhere);
    if (elsewhere.empty()) find_paths(whole, key, "", true, elsewhere);
    if (elsewhere.size() == 1) help = "it belongs at '" + elsewhere.front() + "'";
  }
  return help;
}

std::string mapping_for(const Catalog& catalog, const RecordField& record, const std::string& name) {
  const auto listed = [&](std::string_view kind, std::string_view wanted) {
    const std::vector<std::string> names = catalog.names(kind);
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  const auto entry = [&](std::string_view kind) {
    return std::string(listed(kind, name) ? std::string_view(name) : name_of_vllm_value(kind, name));
  };
  const std::string whole = entry(record.catalog);
  if (!whole.empty() && listed(record.catalog, name)) return "{" + std::string(record.like) + ": " + whole + "}";
  for (const Field& field : record.fields) {
    const RecordField* part = field.record();
    if (part == nullptr || part->catalog.empty() || !listed(part->catalog, name)) continue;
    return "{" + std::string(field.key) + ": " + name + ", gpus: N}";
  }
  if (!whole.empty()) return "{" + std::string(record.like) + ": " + whole + "}";
  const std::vector<std::string> names = catalog.names(record.catalog);
  const auto near = nearest_name(name, std::vector<std::string_view>(names.begin(), names.end()));
  return "{" + std::string(record.like) + ": " + std::string(near ? *near : std::string_view(name)) + "}";
}

std::string choices_with_effect(const Field& field, FieldTable fields, void* spec) {
  const Field* decider = find_field(fields, field.applies.first_decider());
  const ScalarField* scalar = decider == nullptr ? nullptr : decider->scalar();
  if (scalar == nullptr) return "";
  const Value before = scalar->get(spec);
  std::string words;
  const auto try_choice = [&](const Value& value, std::string_view name) {
    scalar->set(spec, value);
    if (!field.applies_to(spec)) return;
    words += (words.empty() ? "'" : " or '") + std::string(decider->key) + ": " + std::string(name) + "'";
  };
  // The last of them come first: they are the richest.
  for (std::size_t i = scalar->choices.size(); i-- > 0;) {
    try_choice(Value(static_cast<std::int64_t>(i)), scalar->choices[i]);
  }
  if (scalar->kind == Kind::flag) try_choice(Value(true), "true");
  if (scalar->names != nullptr) {
    for (std::string_view name : scalar->names()) try_choice(Value(std::string(name)), name);
  }
  scalar->set(spec, before);
  return words;
}

}  // namespace decodesim
