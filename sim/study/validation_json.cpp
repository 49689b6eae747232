// A validation as one JSON document, and its rows as CSV.

#include <ostream>
#include <string>

#include "sim/report/json_writer.hpp"
#include "sim/report/number_text.hpp"
#include "sim/study/validation.hpp"

namespace decodesim {

namespace {

constexpr int schema_version = 1;

void deployment(JsonWriter& json, const PointDeployment& on) {
  json.member_text("setup", on.setup).member_text("gpu", on.gpu).member_text("engine", on.engine);
  json.member_text("cost", on.cost).key("tp");
  on.tp > 0 ? json.value(on.tp) : json.null();
}

void row(JsonWriter& json, const Validation& validation, const ValidatedRow& one) {
  const MeasuredPoint& point = validation.points[one.point];
  json.begin_object().member("point", static_cast<std::int64_t>(one.point)).member_text("id", one.measured.id);
  json.member("file", point.file).member("line", one.measured.line);
  json.member("metric", measured_metric_name(one.measured.metric)).member("derived", one.derived);
  json.member("measured", one.measured.value).member("predicted", one.predicted).member("error", one.error());
  json.member("held", one.held()).member_text("why_not_held", one.why_not_held).end_object();
}

void point(JsonWriter& json, const Validation& validation, std::size_t index) {
  const MeasuredPoint& one = validation.points[index];
  json.begin_object().member("name", point_name(one)).member("file", one.file).member("line", one.line);
  json.member_text("model", one.model);
  deployment(json, validation.deployments[index]);
  json.member("input_tokens", one.input_tokens).member("output_tokens", one.output_tokens);
  json.member("load", load_text(one)).end_object();
}

void group(JsonWriter& json, const ErrorGroup& one) {
  json.begin_object();
  deployment(json, one.of);
  json.member("metric", measured_metric_name(one.metric)).member("rows", one.rows);
  json.member("median_error", one.median_error).member("p90_error", one.p90_error);
  json.member("median_signed_error", one.median_signed_error).end_object();
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

void write_json(const Validation& validation, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", schema_version).member_texts("files", validation.files);
  json.member("rows_in", validation.rows_in).member("rows_predicted", validation.rows_predicted());
  json.member("rows_not_held", validation.rows_not_held()).member("rows_refused", validation.rows_refused());
  json.member("rows_left_out", validation.rows_left_out);
  json.member_array("points");
  for (std::size_t i = 0; i < validation.points.size(); ++i) point(json, validation, i);
  json.end_array().member_array("rows");
  for (const ValidatedRow& one : validation.rows) row(json, validation, one);
  json.end_array().member_array("refused");
  for (const RefusedPoint& one : validation.refused) {
    json.begin_object().member("point", static_cast<std::int64_t>(one.point));
    json.member("rows", static_cast<std::int64_t>(validation.points[one.point].values.size()));
    json.member("why", one.why).end_object();
  }
  json.end_array().member_array("groups");
  for (const ErrorGroup& one : error_groups(validation, GroupBy::deployment_and_tp)) group(json, one);
  json.end_array().member_array("groups_over_tp");
  for (const ErrorGroup& one : error_groups(validation, GroupBy::deployment)) group(json, one);
  json.end_array().member_texts("warnings", validation.warnings);
  json.member("version", validation.version).member("interrupted", validation.interrupted).end_object();
  out << '\n';
}

void write_csv(const Validation& validation, std::ostream& out) {
  out << "id,file,line,setup,model,gpu,engine,cost,tp,input_tokens,output_tokens,load,metric,measured,predicted,error,"
         "status,why\n";
  const auto write = [&](std::size_t index, const MeasuredValue& value, const std::string& numbers,
                         const std::string& status, const std::string& why) {
    const MeasuredPoint& point = validation.points[index];
    const PointDeployment& on = validation.deployments[index];
    out << csv_text(value.id) << ',' << csv_text(point.file) << ',' << value.line << ',' << csv_text(on.setup) << ','
        << csv_text(point.model) << ',' << csv_text(on.gpu) << ',' << csv_text(on.engine) << ',' << on.cost << ','
        << on.tp << ',' << point.input_tokens << ',' << point.output_tokens << ',' << csv_text(load_text(point)) << ','
        << measured_metric_name(value.metric) << ',' << fixed_text(value.value, 6) << ',' << numbers << ',' << status
        << ',' << csv_text(why) << '\n';
  };
  for (const ValidatedRow& one : validation.rows) {
    const std::string status = !one.held() ? "not_held" : one.derived ? "derived" : "held";
    write(one.point, one.measured, fixed_text(one.predicted, 6) + "," + fixed_text(one.error(), 6), status,
          one.why_not_held);
  }
  for (const RefusedPoint& one : validation.refused) {
    for (const MeasuredValue& value : validation.points[one.point].values)
      write(one.point, value, ",", "refused", one.why);
  }
}

}  // namespace decodesim
