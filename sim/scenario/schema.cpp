#include "sim/scenario/schema.hpp"

#include <cmath>
#include <sstream>

#include "sim/report/json_writer.hpp"
#include "sim/scenario/scenario_fields.hpp"

namespace decodesim {

namespace {

// A number as parse_value() reads it.
constexpr std::string_view number_pattern = "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";

// Text that may stand for a value of this kind: a number and one of the units.
std::string pattern_of(Kind kind) {
  std::string units;
  for (std::string_view unit : unit_names(kind)) units += (units.empty() ? "" : "|") + std::string(unit);
  if (kind == Kind::bytes) units += "|KB";
  if (kind == Kind::bandwidth) units += "|KB/s";
  return "^\\s*" + std::string(number_pattern) + (units.empty() ? "" : "\\s*(" + units + ")") +
         (needs_unit(kind) ? "" : "?") + "\\s*$";
}

class SchemaWriter {
 public:
  std::string document() {
    json_.begin_object();
    json_.member("$schema", "http://json-schema.org/draft-07/schema#");
    json_.member("title", "decodesim scenario");
    json_.member("type", "object");
    json_.member_array("anyOf");
    for (const char* key : {"version", "base"})
      json_.begin_object().member_array("required").value(key).end_array().end_object();
    json_.end_array();
    mapping_body(scenario_fields, Place::file);
    json_.member_object("definitions").member_object("overlay");
    json_.member("type", "object");
    mapping_body(scenario_fields, Place::overlay);
    json_.end_object().end_object().end_object();
    return out_.str() + "\n";
  }

 private:
  enum class Place { file, overlay, record, list };

  void mapping_body(FieldTable fields, Place place, std::string_view like = {}) {
    json_.member("additionalProperties", false);
    json_.member_object("patternProperties").member_object("^x-").end_object().end_object();
    json_.member_object("properties");
    if (place == Place::file) file_keys();
    if (!like.empty())
      json_.member_object(like)
          .member("type", "string")
          .member("description", "a name from the catalog to start from")
          .end_object();
    for (const Field& field : fields) {
      if (place == Place::overlay && field.key == "version") continue;
      json_.member_object(field.key);
      // In a list nothing is merged, so there is nothing that null could remove.
      field_body(field, place != Place::list);
      json_.end_object();
    }
    json_.end_object();
    if (place != Place::list) return;
    json_.member_array("required");
    for (const Field& field : fields) {
      if (field.need == Need::required && field.applies.holds == nullptr) json_.value(field.key);
    }
    json_.end_array();
  }

  void file_keys() {
    json_.member_object("base")
        .member("description", "files that this one is laid over, merged left to right")
        .member_array("type");
    json_.value("string")
        .value("array")
        .end_array()
        .member_object("items")
        .member("type", "string")
        .end_object()
        .end_object();
    json_.member_object("cases")
        .member("description", "several scenarios in one file: what each lays over it")
        .member("type", "object");
    json_.member_object("additionalProperties").member("$ref", "#/definitions/overlay").end_object().end_object();
    sweep_key();
  }

  // Paths are free here: whether they exist is for the loader to say.
  void sweep_key() {
    json_.member_object("sweep")
        .member("description", "what 'decodesim sweep' varies: paths of the scenario and their values")
        .member("type", "object")
        .member("minProperties", 1)
        .member("additionalProperties", false);
    json_.member_object("patternProperties").member_object("^x-").end_object().end_object();
    json_.member_object("properties");
    for (const char* key : {"grid", "zip"}) {
      json_.member_object(key).member("type", "object").member("minProperties", 1);
      json_.member_object("additionalProperties").member_array("anyOf");
      json_.begin_object().member("type", "array").member("minItems", 1).end_object();
      json_.begin_object().member("type", "object").member("additionalProperties", false).member_array("required");
      for (const char* part : {"from", "to", "step"}) json_.value(part);
      json_.end_array().member_object("properties");
      for (const char* part : {"from", "to", "step"}) {
        json_.member_object(part);
        types({"number", "string"}, false);
        json_.end_object();
      }
      json_.end_object().end_object().end_array().end_object().end_object();
    }
    for (const char* key : {"candidates", "exclude"}) {
      json_.member_object(key).member("type", "array").member("minItems", 1);
      json_.member_object("items").member("type", "object").member("minProperties", 1).end_object().end_object();
    }
    json_.end_object().end_object();
  }

  void field_body(const Field& field, bool or_null) {
    json_.member("description", field.doc);
    if (const ScalarField* scalar = field.scalar()) {
      scalar_body(*scalar, or_null);
    } else if (const RecordField* record = field.record()) {
      record_body(*record, or_null);
    } else {
      types({"array"}, or_null);
      json_.member_object("items");
      if (const Field* item = field.list()->item) {
        scalar_body(*item->scalar(), false);
      } else {
        json_.member("type", "object");
        mapping_body(field.list()->fields, Place::list);
      }
      json_.end_object();
    }
  }

  void types(std::initializer_list<const char*> names, bool or_null) {
    json_.member_array("type");
    for (const char* name : names) json_.value(name);
    if (or_null) json_.value("null");
    json_.end_array();
  }

  void names(const std::vector<std::string_view>& list, bool or_null) {
    json_.member_array("enum");
    for (std::string_view name : list) json_.value(name);
    if (or_null) json_.null();
    json_.end_array();
  }

  void scalar_body(const ScalarField& scalar, bool or_null) {
    switch (scalar.kind) {
      case Kind::flag:
        types({"boolean"}, or_null);
        return;
      case Kind::choice:
        names({scalar.choices.begin(), scalar.choices.end()}, or_null);
        return;
      case Kind::text:
        if (scalar.names != nullptr) {
          names(scalar.names(), or_null);
        } else {
          // A name such as 405 is a number to YAML and a text to the loader.
          types({"string", "number", "boolean"}, or_null);
        }
        return;
      case Kind::path:
        types({"string"}, or_null);
        json_.member("minLength", std::int64_t{1});
        return;
      case Kind::count:
        types({"integer"}, or_null);
        break;
      case Kind::tokens:
        types({"integer", "string"}, or_null);
        json_.member("pattern", pattern_of(scalar.kind));
        break;
      // YAML 1.1 takes 70.55e9 for a text, since its exponent has no sign.
      case Kind::fraction:
      case Kind::number:
        types({"number", "string"}, or_null);
        json_.member("pattern", pattern_of(scalar.kind));
        break;
      default:
        types({"string"}, or_null);
        json_.member("pattern", pattern_of(scalar.kind));
        json_.member_array("examples").value(kind_example(scalar.kind)).end_array();
        return;
    }
    json_.member(scalar.range.min_excluded ? "exclusiveMinimum" : "minimum", scalar.range.min);
    if (std::isfinite(scalar.range.max))
      json_.member(scalar.range.max_excluded ? "exclusiveMaximum" : "maximum", scalar.range.max);
  }

  void record_body(const RecordField& record, bool or_null) {
    const bool alternatives = record.shorthand != nullptr || record.name_alone;
    if (!alternatives) {
      types({"object"}, or_null);
      mapping_body(record.fields, Place::record, record.like);
      return;
    }
    json_.member_array("anyOf").begin_object();
    if (record.shorthand != nullptr) {
      scalar_body(*record.shorthand->scalar(), or_null);
    } else {
      types({"string"}, or_null);
    }
    json_.end_object().begin_object();
    types({"object"}, false);
    mapping_body(record.fields, Place::record, record.like);
    json_.end_object().end_array();
  }

  std::ostringstream out_;
  JsonWriter json_{out_};
};

}  // namespace

std::string scenario_schema() { return SchemaWriter().document(); }

}  // namespace decodesim
