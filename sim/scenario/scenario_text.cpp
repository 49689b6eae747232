// The resolved scenario as canonical YAML, its hash, and the defaults in it.

#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "sim/model/deployment_fields.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/scenario_fields.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

// Paths of files as the scenario holds them, or only their names.
enum class Paths { whole, names };

bool is_word(std::string_view text) {
  if (text.empty() || text == "null" || text == "Null" || text == "NULL") return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(text.front())) return false;
  for (char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

std::string yaml_text(std::string_view text) {
  if (is_word(text)) return std::string(text);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += "\\x";
      result += digits[byte >> 4];
      result += digits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string scalar_text(const ScalarField& scalar, const Value& value, Paths paths) {
  if (scalar.kind == Kind::choice)
    return std::string(scalar.choices[static_cast<std::size_t>(std::get<std::int64_t>(value))]);
  if (scalar.kind == Kind::path && paths == Paths::names)
    return yaml_text(std::filesystem::path(std::get<std::string>(value)).filename().string());
  if (scalar.kind == Kind::path || scalar.kind == Kind::text) return yaml_text(std::get<std::string>(value));
  return value_text(scalar.kind, value);
}

const void* inside(const RecordField& record, const void* spec) {
  // `inside` only finds the member; nothing is written through it here.
  return record.inside(const_cast<void*>(spec));
}

bool is_absent(const Field& field, const void* spec) {
  if (!field.applies_to(spec)) return true;
  if (const ScalarField* scalar = field.scalar()) {
    const Value value = scalar->get(spec);
    return std::holds_alternative<std::monostate>(value) ||
           ((scalar->kind == Kind::text || scalar->kind == Kind::path) && value == Value(std::string()));
  }
  if (const ListField* list = field.list()) return list->size(spec) == 0;
  return false;
}

/// `but` names a field that may be touched.
bool is_untouched(FieldTable fields, const void* spec, std::string_view but = {}) {
  for (const Field& field : fields) {
    if (field.key == but) continue;
    if (const ScalarField* scalar = field.scalar()) {
      if (scalar->get(spec) != scalar->initial()) return false;
    } else if (const RecordField* record = field.record()) {
      if (!is_untouched(record->fields, inside(*record, spec))) return false;
    } else if (field.list()->size(spec) > 0) {
      return false;
    }
  }
  return true;
}

/// The one of the record's own fields that its shorthand states, such as a trace's file; empty: none.
std::string_view key_of_shorthand(const RecordField& record) {
  for (const Field& field : record.fields) {
    if (record.shorthand != nullptr && field.key == record.shorthand->key) return field.key;
  }
  return {};
}

/// Does the shorthand say all that the record says?
bool shorthand_says_all(const RecordField& record, const void* spec) {
  if (record.shorthand == nullptr) return false;
  const std::string_view key = key_of_shorthand(record);
  return key.empty() || (is_untouched(record.fields, spec, key) && !is_untouched(record.fields, spec));
}

class Writer {
 public:
  explicit Writer(Paths paths) : paths_(paths) {}

  void mapping(FieldTable fields, const void* spec, const std::string& indent) {
    for (const Field& field : fields) {
      if (is_absent(field, spec)) continue;
      const std::string start = indent + std::string(field.key) + ":";
      if (const ScalarField* scalar = field.scalar()) {
        text_ += start + " " + scalar_text(*scalar, scalar->get(spec), paths_) + "\n";
      } else if (const RecordField* record = field.record()) {
        write_record(field, *record, inside(*record, spec), start, indent);
      } else if (field.list()->item != nullptr) {
        text_ += start + " " + items(*field.list(), spec) + "\n";
      } else {
        text_ += start + "\n";
        const ListField& list = *field.list();
        for (std::size_t i = 0; i < list.size(spec); ++i)
          text_ += indent + "  - " + braces(list.fields, list.at(spec, i)) + "\n";
      }
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void write_record(const Field& field, const RecordField& record, const void* spec, const std::string& start,
                    const std::string& indent) {
    if (shorthand_says_all(record, spec)) {
      const ScalarField& scalar = *record.shorthand->scalar();
      const Value value = scalar.get(spec);
      if (!std::holds_alternative<std::monostate>(value)) {
        text_ += start + " " + scalar_text(scalar, value, paths_) + "\n";
        return;
      }
    }
    if (field.need == Need::optional && is_untouched(record.fields, spec)) return;
    const std::size_t before = text_.size();
    text_ += start + "\n";
    const std::size_t headed = text_.size();
    mapping(record.fields, spec, indent + "  ");
    if (text_.size() == headed) text_.resize(before);
  }

  std::string braces(FieldTable fields, const void* spec) const {
    std::string text = "{";
    for (const Field& field : fields) {
      if (is_absent(field, spec)) continue;
      const std::string value = in_one_line(field, spec);
      if (value.empty()) continue;
      if (text.size() > 1) text += ", ";
      text += std::string(field.key) + ": " + value;
    }
    return text + "}";
  }

  /// Empty where there is nothing to write.
  std::string in_one_line(const Field& field, const void* spec) const {
    if (const ScalarField* scalar = field.scalar()) return scalar_text(*scalar, scalar->get(spec), paths_);
    if (const ListField* list = field.list()) return items(*list, spec);
    const RecordField& record = *field.record();
    const void* member = inside(record, spec);
    if (record.shorthand != nullptr) {
      const ScalarField& scalar = *record.shorthand->scalar();
      const Value value = scalar.get(member);
      if (!std::holds_alternative<std::monostate>(value)) return scalar_text(scalar, value, paths_);
    }
    // What selects something says so by being there, even where all of it is as it was.
    const bool selects = field.selects.apply != nullptr;
    if (field.need == Need::optional && !selects && is_untouched(record.fields, member)) return {};
    return braces(record.fields, member);
  }

  std::string items(const ListField& list, const void* spec) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(spec); ++i) {
      const void* item = list.at(spec, i);
      if (i > 0) text += ", ";
      text += list.item == nullptr ? braces(list.fields, item)
                                   : scalar_text(*list.item->scalar(), list.item->scalar()->get(item), paths_);
    }
    return text + "]";
  }

  Paths paths_;
  std::string text_;
};

std::string written(const Scenario& scenario, Paths paths) {
  Writer writer(paths);
  writer.mapping(scenario_fields, &scenario, "");
  return writer.take();
}

void collect_defaults(FieldTable fields, const void* spec, const std::string& path, const Scenario& scenario,
                      std::vector<DefaultUsed>& found) {
  for (const Field& field : fields) {
    if (!field.applies_to(spec)) continue;
    const std::string own = path.empty() ? std::string(field.key) : path + "." + std::string(field.key);
    const bool stated = scenario.states(own);
    if (const RecordField* record = field.record()) {
      const void* member = inside(*record, spec);
      if (record->shorthand != nullptr && key_of_shorthand(*record).empty()) {
        const ScalarField& scalar = *record->shorthand->scalar();
        const Value value = scalar.get(member);
        const bool listed =
            !stated && field.source != DefaultSource::unlisted && !std::holds_alternative<std::monostate>(value);
        if (listed)
          found.push_back(
              {own, scalar_text(scalar, value, Paths::whole), std::string(default_source_name(field.source))});
      } else if (field.need != Need::optional || !is_untouched(record->fields, member)) {
        collect_defaults(record->fields, member, own, scenario, found);
      }
      continue;
    }
    if (stated || field.need != Need::defaulted || field.source == DefaultSource::unlisted) continue;
    if (const ScalarField* scalar = field.scalar()) {
      if (std::holds_alternative<std::monostate>(scalar->get(spec))) continue;  // nothing was there to work it out from
      found.push_back(
          {own, scalar_text(*scalar, scalar->get(spec), Paths::whole), std::string(default_source_name(field.source))});
    } else if (field.list()->size(spec) > 0) {
      found.push_back({own, std::string(field.default_words), std::string(default_source_name(field.source))});
    }
  }
}

}  // namespace

std::string fields_text(FieldTable fields, const void* spec, const std::string& indent) {
  Writer writer(Paths::whole);
  writer.mapping(fields, spec, indent);
  return writer.take();
}

std::string scenario_text(const Scenario& scenario) { return written(scenario, Paths::whole); }

std::string scenario_hash(const Scenario& scenario) { return name_of_text(written(scenario, Paths::names)); }

std::string name_of_text(const std::string& text_to_name) {
  std::uint64_t hash = 14695981039346656037U;
  for (char c : text_to_name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
  return text;
}

std::vector<DefaultUsed> defaults_in_effect(const Scenario& scenario) {
  std::vector<DefaultUsed> found;
  collect_defaults(scenario_fields, &scenario, "", scenario, found);
  // What the GPU sustains is for the cost model to ask.
  if (scenario.cost.model != CostKind::calibrated) {
    std::erase_if(found, [](const DefaultUsed& used) {
      return used.path.starts_with("hardware.gpu.sustained.") || used.path == "hardware.gpu.multiprocessors";
    });
  }
  // Nor is every engine's own cache switched by the memory's key.
  if (!engine_reads(scenario.scheduler.engine, "prefix_caching"))
    std::erase_if(found, [](const DefaultUsed& used) { return used.path == "memory.prefix_caching"; });
  // Whether the host's memory is used is for the scheduler to say, so its defaults are listed here where nothing of them
  // is stated.
  if (may_swap(scenario.scheduler) || scenario.memory.host_cache.on()) {
    const MemorySpec& memory = scenario.memory;
    const auto add = [&](FieldTable fields, const void* spec, const std::string& path) {
      if (is_untouched(fields, spec)) collect_defaults(fields, spec, path, scenario, found);
    };
    if (may_swap(scenario.scheduler)) add(host_swap_fields, &memory.host_swap, "memory.host_swap");
    if (scenario.cost.model != CostKind::fixed) add(host_link_fields, &memory.host_link, "memory.host_link");
  }
  return found;
}

}  // namespace decodesim
