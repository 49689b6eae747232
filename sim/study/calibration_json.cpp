// A calibration as one JSON document.

#include <ostream>
#include <string_view>

#include "sim/report/json_writer.hpp"
#include "sim/study/calibration.hpp"

namespace decodesim {

namespace {

constexpr int schema_version = 1;
constexpr std::string_view constraint_names[] = {"constrained", "free", "entangled", "undetermined", "at_bound"};

void constant(JsonWriter& json, const Calibration& calibration, std::size_t index) {
  const FittedConstant& one = calibration.constants[index];
  json.begin_object().member("path", one.field.path).member("start", one.field.text(one.start));
  json.member("value", one.field.text(one.value));
  json.member("constraint", constraint_names[static_cast<std::size_t>(one.constraint)]);
  json.member_text("entangled_with", one.entangled_with).member("log_half_width", one.half_width);
  json.member_array("shares");
  const bool known = !calibration.rows.empty() && index < calibration.rows.front().sensitivity.size();
  for (std::size_t r = 0; known && r < calibration.rows.size(); ++r) json.value(calibration.share(r, index));
  json.end_array().end_object();
}

void row(JsonWriter& json, const Calibration& calibration, const CalibratedRow& one) {
  const MeasuredPoint& point = calibration.points[one.point];
  json.begin_object().member("name", point_name(point)).member_text("id", one.measured.id);
  json.member("file", point.file).member("line", one.measured.line);
  json.member("metric", measured_metric_name(one.measured.metric)).member("measured", one.measured.value);
  json.member("before", one.before).member("after", one.after).member("error_before", one.error_before());
  json.member("error_after", one.error_after()).member("leverage", one.leverage).member_array("sensitivity");
  for (double sensitivity : one.sensitivity) json.value(sensitivity);
  json.end_array().end_object();
}

}  // namespace

void write_json(const Calibration& calibration, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", schema_version).member_texts("files", calibration.files);
  json.member_text("base", calibration.base).member("rows_in", calibration.rows_in);
  json.member("rows_not_held", calibration.rows_not_held).member("rows_left_out", calibration.rows_left_out);
  json.member("steps", calibration.steps).member("simulations", calibration.runs);
  json.member("converged", calibration.converged).member_array("constants");
  for (std::size_t i = 0; i < calibration.constants.size(); ++i) constant(json, calibration, i);
  json.end_array().member_array("rows");
  for (const CalibratedRow& one : calibration.rows) row(json, calibration, one);
  json.end_array().member_array("refused");
  for (const RefusedPoint& one : calibration.refused) {
    json.begin_object().member("name", point_name(calibration.points[one.point]));
    json.member("rows", static_cast<std::int64_t>(calibration.points[one.point].values.size()));
    json.member("why", one.why).end_object();
  }
  json.end_array().member("version", calibration.version).member("interrupted", calibration.interrupted).end_object();
  out << '\n';
}

}  // namespace decodesim
