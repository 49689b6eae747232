// A sweep as one JSON document, and its points as CSV.

#include <cmath>
#include <ostream>
#include <string>

#include "sim/report/json_writer.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/study/sweep.hpp"

namespace decodesim {

namespace {

constexpr int schema_version = 1;

std::string_view status_name(const PointResult& result) {
  return point_status_names[static_cast<std::size_t>(result.status)];
}

void metric(JsonWriter& json, const SweepMetric& column, const PointResult& result, std::size_t index) {
  json.key(column.name);
  if (result.metrics.empty()) {
    json.null();
  } else if (column.count) {
    json.value(static_cast<std::int64_t>(result.metrics[index]));
  } else {
    json.value(result.metrics[index]);
  }
}

void point(JsonWriter& json, const Sweep& sweep, std::size_t index) {
  const SweepPoint& one = sweep.points.points[index];
  const PointResult& result = sweep.results[index];
  json.begin_object().member("point", static_cast<std::int64_t>(index + 1));
  json.member_text("case", one.scenario.case_name).member_array("values");
  for (const std::string& value : one.values) value.empty() ? json.null() : json.value(value);
  json.end_array().member("hash", one.hash).member("seed", one.scenario.run.seed);
  json.member("status", status_name(result)).member_text("why", result.why);
  for (std::size_t i = 0; i < sweep_metrics().size(); ++i) metric(json, sweep_metrics()[i], result, i);
  json.member_text("batch_limit", result.batch_limit).member_text("binding", result.binding);
  json.member("slo_met", result.slo_met).member_texts("oracles", result.oracles);
  json.member_texts("warnings", result.warnings).end_object();
}

std::string number_cell(const SweepMetric& column, double number) {
  return std::isfinite(number) ? fixed_text(number, column.count ? 0 : 6) : "";
}

}  // namespace

void write_json(const Sweep& sweep, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", schema_version).member("file", sweep.file);
  json.member_texts("paths", sweep.points.paths).member("excluded", sweep.points.excluded).member_array("points");
  for (std::size_t i = 0; i < sweep.points.points.size(); ++i) point(json, sweep, i);
  json.end_array().member("version", sweep.version).member("interrupted", sweep.interrupted).end_object();
  out << '\n';
}

void write_csv(const Sweep& sweep, std::ostream& out) {
  out << "point,case";
  for (const std::string& path : sweep.points.paths) out << ',' << csv_cell(path);
  out << ",hash,seed,status,why";
  for (const SweepMetric& column : sweep_metrics()) out << ',' << column.name;
  out << ",batch_limit,slo_met\n";
  for (std::size_t i = 0; i < sweep.points.points.size(); ++i) {
    const SweepPoint& one = sweep.points.points[i];
    const PointResult& result = sweep.results[i];
    out << i + 1 << ',' << csv_cell(one.scenario.case_name);
    for (const std::string& value : one.values) out << ',' << csv_cell(value);
    out << ',' << one.hash << ',' << one.scenario.run.seed << ',' << status_name(result) << ',' << csv_cell(result.why);
    for (std::size_t m = 0; m < sweep_metrics().size(); ++m)
      out << ',' << (result.metrics.empty() ? "" : number_cell(sweep_metrics()[m], result.metrics[m]));
    out << ',' << csv_cell(result.batch_limit) << ',';
    if (result.slo_met) out << (*result.slo_met ? "true" : "false");
    out << '\n';
  }
}

}  // namespace decodesim
