// The reference of all keys in Markdown, from the field tables.

#include <cmath>
#include <string>

#include "sim/scenario/scenario_fields.hpp"
#include "sim/scenario/schema.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

namespace {

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view word : words) text += (text.empty() ? "`" : ", `") + std::string(word) + "`";
  return text;
}

std::string scalar_text(const ScalarField& scalar, const Value& value) {
  if (const auto* place = std::get_if<std::int64_t>(&value); place != nullptr && scalar.kind == Kind::choice) {
    return std::string(scalar.choices[static_cast<std::size_t>(*place)]);
  }
  return value_text(scalar.kind, value);
}

std::string bound_text(Kind kind, double bound) {
  const bool whole = kind == Kind::count || kind == Kind::tokens || kind == Kind::duration;
  return value_text(kind, whole ? Value(static_cast<std::int64_t>(bound)) : Value(bound));
}

std::string range_text(const ScalarField& scalar) {
  const Range& range = scalar.range;
  if (scalar.kind == Kind::choice) return listed(scalar.choices);
  if (scalar.kind == Kind::flag) return "`true`, `false`";
  if (scalar.kind == Kind::path) return "a file, relative to the file that names it";
  if (scalar.kind == Kind::text) {
    if (scalar.names == nullptr) return "a text";
    const std::vector<std::string_view> names = scalar.names();
    return listed(names);
  }
  std::string text(kind_name(scalar.kind));
  if (scalar.range.min == scalar.range.max) return text + ": " + bound_text(scalar.kind, range.min);
  if (range.min_excluded) {
    text += ", above " + bound_text(scalar.kind, range.min);
  } else if (range.min > 0) {
    text += std::string(range.or_zero ? ", 0 or at least " : ", at least ") + bound_text(scalar.kind, range.min);
  }
  if (std::isfinite(range.max))
    text += std::string(range.max_excluded ? ", below " : ", at most ") + bound_text(scalar.kind, range.max);
  return text;
}

class PageWriter {
 public:
  std::string page() {
    text_ =
        "# Reference of scenario files\n\n"
        "Written by `decodesim schema --markdown` from the field tables that the loader itself reads.\n\n"
        "- Quantities carry units: `80 GB`, `80 GiB`, `3.35 TB/s`, `989.5 TFLOP/s`, `21 ms`, `5 req/s`, `25 %`. A bare "
        "number where a unit\n"
        "  belongs is an error. For tokens `k` is 1,024 and `M` is 1,024 k; everywhere else prefixes are decimal "
        "unless written\n"
        "  `KiB`, `MiB`, `GiB` or `TiB`.\n"
        "- `base:` names a file, or a list of them, relative to the file that names it. Bases merge left to right, "
        "then the file, then the\n"
        "  case, then `--set path=value`. Mappings merge, lists and scalars replace, and `key: null` removes.\n"
        "- `cases:` holds several scenarios in one file: a mapping of names to what each lays over the rest.\n"
        "- `sweep:` says what `decodesim sweep` varies; other commands read past it. `grid:` maps paths to lists of "
        "values "
        "or to ranges\n"
        "  (`{from: 2 req/s, to: 16 req/s, step: 2 req/s}`), of which all combinations are points; lists of `zip:` go "
        "together value by value;\n"
        "  `candidates:` is a list of mappings of paths to one value each, which take turns; `exclude:`, such a list "
        "too, "
        "leaves points out.\n"
        "  All that are there are combined: candidates take turns slowest, then `zip`, then `grid`. Values lie over "
        "`--set`.\n"
        "- Where a name of the catalog stands (`model: llama-3-70b`), a file may: `model: my-model.yaml`, as "
        "`decodesim "
        "import` writes it,\n"
        "  relative to the file that names it.\n"
        "- Keys that begin with `x-` are free for notes. Any other unknown key, a key stated twice and a key without "
        "effect are errors.\n"
        "- Defaults are tagged with their source: *spec* is what the server or a datasheet documents, *measured* what "
        "real servers show,\n"
        "  *assumed* a choice of ours. Reports list every tagged default that a scenario did not state.\n";
    section("Top level", "", scenario_fields);
    engines();
    return std::move(text_);
  }

 private:
  void engines() {
    text_ += "\n## Engines\n\n| `scheduler.engine` | what it follows |\n|---|---|\n";
    for (const EngineRow& engine : engine_table())
      text_ += "| `" + std::string(engine.name) + "` | " + escaped(std::string(engine.doc)) + " |\n";
  }

  void section(const std::string& title, const std::string& path, FieldTable fields) {
    text_ += "\n## " + title + "\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : fields) row(field, path);
    for (const Field& field : fields) {
      const std::string own = path.empty() ? std::string(field.key) : path + "." + std::string(field.key);
      if (const RecordField* record = field.record()) section("`" + own + "`", own, record->fields);
      if (const ListField* list = field.list(); list != nullptr && list->item == nullptr)
        section("`" + own + "[]`", own + "[]", list->fields);
    }
  }

  void row(const Field& field, const std::string& path) {
    std::string meaning(field.doc);
    if (!field.applies.words.empty()) meaning += "; only where " + applies_words(field);
    text_ += "| `" + std::string(field.key) + "` | " + escaped(value_of(field)) + " | " +
             escaped(default_of(field, path)) + " | " + escaped(meaning) + " |\n";
  }

  // With the engines that read a field in place of "one that has it".
  static std::string applies_words(const Field& field) {
    std::string words(field.applies.words);
    for (const std::string_view phrase : {"one that has it", "one that leaves it open"}) {
      const std::size_t at = words.find(phrase);
      if (at == std::string::npos) continue;
      SchedulerSpec scheduler;
      scheduler.async = true;  // two fields ask for it besides
      std::string engines;
      for (const EngineRow& engine : engine_table()) {
        scheduler.engine = engine.name;
        if (field.applies_to(&scheduler)) engines += (engines.empty() ? "`" : ", `") + std::string(engine.name) + "`";
      }
      words.replace(at, phrase.size(), (engines.find(',') == std::string::npos ? "" : "one of ") + engines);
    }
    return words;
  }

  static std::string value_of(const Field& field) {
    if (const ScalarField* scalar = field.scalar()) return range_text(*scalar);
    const RecordField* record = field.record();
    if (const ListField* list = field.list())
      return list->item == nullptr ? "a list of mappings" : "a list; each " + range_text(*list->item->scalar());
    if (record->name_alone) return "a name, or a mapping";
    if (record->shorthand != nullptr) return range_text(*record->shorthand->scalar()) + ", or a mapping";
    if (!record->like.empty()) return "a mapping; `" + std::string(record->like) + ": NAME` starts from the catalog";
    return "a mapping";
  }

  static std::string default_of(const Field& field, const std::string&) {
    if (field.need == Need::required) return "required";
    if (field.need == Need::optional) return "absent";
    std::string text(field.default_words);
    if (const ScalarField* scalar = field.scalar(); text.empty() && scalar != nullptr)
      text = scalar_text(*scalar, scalar->initial());
    if (field.source != DefaultSource::unlisted) text += " (*" + std::string(default_source_name(field.source)) + "*)";
    return text;
  }

  // A bar would end the cell.
  static std::string escaped(const std::string& text) {
    std::string result;
    for (char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
  }

  std::string text_;
};

}  // namespace

std::string reference_page() { return PageWriter().page(); }

}  // namespace decodesim
