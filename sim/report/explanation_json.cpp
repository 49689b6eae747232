#include "sim/report/explanation_json.hpp"

#include "sim/report/explanation_values.hpp"
#include "sim/report/json_writer.hpp"

namespace decodesim {

namespace {

void write_term(JsonWriter& json, const Term& term) {
  json.begin_object();
  json.member("section", term.section).member("key", term.key).member("label", term.label);
  json.member("value", term.value).member("unit", unit_name(term.unit)).member("source", source_name(term.source));
  json.member_text("formula", term.formula).member_object("inputs");
  for (const Figure& input : term.inputs) json.member(input.name, input.value);
  json.end_object();
  if (term.context) json.member("context", *term.context);
  if (term.share) json.member("share", *term.share);
  json.end_object();
}

/// Each row is a context with a cell for each batch.
void write_fits(JsonWriter& json, const FitMap& map) {
  json.member_object("fits").member_array("rows");
  for (std::size_t i = 0; i < map.contexts.size(); ++i) {
    json.begin_object().member("context", map.contexts[i]).member("most_sequences", map.most[i]);
    json.member_array("cells");
    for (std::size_t j = 0; j < map.batches.size(); ++j) {
      const FitMap::Cell& cell = map.cells[i][j];
      json.begin_object().member("batch", map.batches[j]).member("verdict", fit_name(cell.verdict));
      json.member("pool_use", cell.pool_use).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void write_explanation_json(std::ostream& out, const std::string& scenario, const Explanation& explanation) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", 1).member("scenario", scenario);
  json.member_array("terms");
  for (const Term& term : explanation.terms) write_term(json, term);
  json.end_array();
  json.member_array("remarks");
  for (const Remark& remark : explanation.remarks)
    json.begin_object().member("key", remark.key).member("text", remark_text(remark)).end_object();
  json.end_array();
  if (explanation.fits) write_fits(json, *explanation.fits);
  json.end_object();
  out << '\n';
}

void write_comparison_json(std::ostream& out, const std::string& scenario_a, const std::string& scenario_b,
                           const Comparison& comparison) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", 1).member("a", scenario_a).member("b", scenario_b);
  json.member("scope", remark_text(comparison.scope));
  json.member("ratio",
              comparison.causes.empty() ? std::optional<double>() : std::optional(comparison.causes.front().factor));
  json.member_array("causes");
  for (const Cause& cause : comparison.causes) {
    json.begin_object().member("depth", cause.depth).member("key", cause.key).member("label", cause.label);
    json.member("a", cause.a).member("b", cause.b).member("unit", unit_name(cause.unit)).member("factor", cause.factor);
    json.end_object();
  }
  json.end_array().member_array("differences");
  for (const Difference& one : comparison.differences) {
    const bool both = one.a && one.b && *one.a != 0;
    json.begin_object().member("key", one.key).member("label", one.label).member("unit", unit_name(one.unit));
    json.member("a", one.a).member("b", one.b).member("factor", both ? std::optional(*one.b / *one.a) : std::nullopt);
    json.end_object();
  }
  json.end_array().end_object();
  out << '\n';
}

}  // namespace decodesim
