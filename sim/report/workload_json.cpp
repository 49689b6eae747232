// A workload's description as JSON.

#include "sim/report/json_writer.hpp"
#include "sim/report/workload_report.hpp"

namespace decodesim {

namespace {

void write_tokens(JsonWriter& json, std::string_view name, const TokenCounts& counts) {
  json.member_object(name).member("total", counts.total()).member("mean", counts.mean());
  json.member("p50", counts.quantile(0.5)).member("p90", counts.quantile(0.9)).member("p99", counts.quantile(0.99));
  json.member("max", counts.max()).end_object();
}

void write_counts(JsonWriter& json, std::string_view name, const std::map<std::string, std::int64_t>& counts) {
  json.member_object(name);
  for (const auto& [one, count] : counts) json.member(one, count);
  json.end_object();
}

}  // namespace

void write_account(const TraceAccount& account, JsonWriter& json) {
  json.begin_object().member("file", account.file).member("format", account.format);
  json.member_text("time_unit", account.time_unit);
  json.key("block_size");
  if (account.block_size > 0) {
    json.value(account.block_size);
  } else {
    json.null();
  }
  json.member("spread", account.spread).member("time_scale", account.time_scale);
  json.member("rows", account.rows).member("kept", account.kept).member("dropped", account.dropped);
  json.member_array("exceptions");
  for (const TraceException& one : account.exceptions) {
    json.begin_object().member("reason", one.reason).member("action", one.action).member("rows", one.rows);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_json(const WorkloadReport& report, std::ostream& out) {
  const WorkloadStatistics& s = report.statistics;
  JsonWriter json(out);
  json.begin_object().member("schema_version", 1).member("name", report.name).key("trace");
  if (report.account != nullptr) {
    write_account(*report.account, json);
  } else {
    json.null();
  }
  json.member("requests", s.requests()).member("max_concurrency", report.concurrency);
  json.member_object("arrivals").member("count", s.arrivals()).key("span_s").seconds(s.span());
  json.member("rate", s.rate()).member("gap_cv", s.gap_cv()).member("distinct", s.distinct_arrivals());
  json.key("smallest_gap_s");
  if (s.smallest_gap()) {
    json.seconds(*s.smallest_gap());
  } else {
    json.null();
  }
  json.member("dispersion_1s", s.dispersion_1s.index()).member("dispersion_10s", s.dispersion_10s.index());
  json.member("dispersion_60s", s.dispersion_60s.index()).end_object();
  write_tokens(json, "input_tokens", s.input);
  write_tokens(json, "output_tokens", s.output);
  json.member_object("prefix").member("found_tokens", s.prefix.found_tokens());
  json.member("token_share", ratio(static_cast<double>(s.prefix.found_tokens()), static_cast<double>(s.input.total())));
  json.member("requests", s.prefix.sharing_requests()).member("blocks", s.prefix.blocks());
  json.member("found_blocks", s.prefix.found_blocks()).end_object();
  json.member_object("sessions").member("count", static_cast<std::int64_t>(s.sessions.size()));
  json.member("turns_longest", s.turns_longest()).member("think_time_mean_s", s.think_time_mean()).end_object();
  write_counts(json, "tenants", s.tenants);
  write_counts(json, "classes", s.classes);
  json.end_object();
  out << '\n';
}

}  // namespace decodesim
