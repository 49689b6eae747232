#include "sim/report/report_json.hpp"

#include <string>
#include <string_view>

#include "sim/core/histogram.hpp"
#include "sim/report/cost_note.hpp"
#include "sim/report/json_writer.hpp"
#include "sim/report/policy_json.hpp"
#include "sim/report/slo_verdict.hpp"
#include "sim/report/workload_report.hpp"

namespace decodesim {

namespace {

constexpr int schema_version = 1;

void latency(JsonWriter& json, const std::string& name, const Summary& summary) {
  json.member("mean_" + name + "_ms", summary.mean);
  json.member("median_" + name + "_ms", summary.p50);
  json.member("std_" + name + "_ms", summary.std);
  json.member("p90_" + name + "_ms", summary.p90);
  json.member("p99_" + name + "_ms", summary.p99);
}

void user_rate(JsonWriter& json, std::string_view name, const Summary& summary) {
  json.member_object(name);
  json.member("mean", summary.mean).member("p1", summary.p1).member("p10", summary.p10);
  json.member("p50", summary.p50).member("p90", summary.p90).member("p99", summary.p99);
  json.end_object();
}

void window(JsonWriter& json, const Report& report) {
  json.member_object("window");
  json.member("skip_first", report.run.window.skip_first).member("skip_last", report.run.window.skip_last);
  json.key("open_s").seconds(report.window.open).key("close_s").seconds(report.window.close);
  json.member("requests", report.window.requests).member("completed", report.window.completed);
  json.member("excluded", report.requests_in - report.window.requests);
  json.end_object();
}

void slo(JsonWriter& json, const Report& report) {
  json.key("slo");
  if (!slo_is_set(report)) {
    json.null();
    return;
  }
  json.begin_object().member("met", slo_met(report)).member_array("limits");
  for (const SloCheck& check : slo_checks(report)) {
    json.begin_object().member("name", check.name);
    if (check.slo_class) json.member("slo_class", *check.slo_class);
    json.member("limit_p99_ms", check.limit_ms);
    json.member("p99_ms", check.measured_ms).member("met", check.met).end_object();
  }
  json.end_array().member("min_goodput", report.slo.min_goodput.value_or(not_measured));
  json.member("good_share", report.good_share).end_object();
}

void kv_cache(JsonWriter& json, const Report& report) {
  const RunHeader& header = report.header;
  json.member_object("kv_cache");
  json.member("num_blocks", header.num_blocks).member("usable_blocks", header.usable_blocks);
  json.member("block_size", header.block_size).member("capacity_tokens", header.usable_blocks * header.block_size);
  json.member("usage_mean", report.kv.usage_mean).member("usage_peak", report.kv.usage_peak);
  json.member("token_states_mean", report.kv.token_states_mean);
  json.member("internal_waste_mean", report.kv.internal_waste_mean).member("free_mean", report.kv.free_mean);
  json.member("tokens_per_sequence_mean", report.kv.tokens_per_sequence_mean);
  const WasteReport& waste = report.waste;
  json.member_object("while_waiting").member("time_s", waste.seconds).member("running_mean", waste.running_mean);
  json.member("token_states", waste.token_states).member("reservation", waste.reservation);
  json.member("internal", waste.internal).member("other", waste.other).end_object();
  json.end_object();
}

void steps(JsonWriter& json, const StepReport& steps) {
  json.member_object("steps");
  json.member("count", steps.count).member("idle_count", steps.idle_count).member("mean_ms", steps.mean_ms);
  json.member("batch_mean", steps.batch_mean).member("batch_peak", steps.batch_peak);
  json.member("running_mean", steps.running_mean).member("running_peak", steps.running_peak);
  json.end_object();
}

void speculation(JsonWriter& json, const Report& report) {
  const SpeculationReport& s = report.speculation;
  json.member_object("speculation").member("draft_tokens", report.header.draft_tokens);
  json.member("drafted_tokens", s.drafted_tokens).member("accepted_tokens", s.accepted_tokens);
  json.member("acceptance_rate", s.acceptance_rate).member("tokens_per_step", s.tokens_per_step);
  json.end_object();
}

// The time of drafts is told where there are any, as `speculation` is.
void ledger(JsonWriter& json, const Ledger& ledger, bool drafts) {
  json.member_object("ledger").member_object("bytes");
  for (std::size_t i = 0; i < byte_kind_names.size(); ++i) json.member(byte_kind_names[i], ledger.bytes[i].value());
  json.member("total", ledger.total_bytes().value()).end_object();
  json.member("flops", ledger.flops.value()).member_object("seconds");
  for (std::size_t i = 0; i < time_part_names.size(); ++i) {
    if (drafts || i != static_cast<std::size_t>(TimePart::draft)) json.key(time_part_names[i]).seconds(ledger.time[i]);
  }
  json.key("total").seconds(ledger.duration()).end_object();
  json.key("hidden_host_seconds").seconds(ledger.hidden_host);
  json.key("hidden_transfer_seconds").seconds(ledger.hidden_transfers).member_object("seconds_by_bound");
  for (std::size_t i = 0; i < bound_by_names.size(); ++i) json.key(bound_by_names[i]).seconds(ledger.bound[i]);
  json.end_object().end_object();
}

void limits(JsonWriter& json, const LimitReport& limits) {
  json.member_object("limits").member_object("admission");
  for (std::size_t i = 0; i < admission_limit_names.size(); ++i) {
    json.member(admission_limit_names[i], limits.admission[i]);
  }
  json.end_object().member_object("step");
  for (std::size_t i = 0; i < bound_by_names.size(); ++i) json.member(bound_by_names[i], limits.step[i]);
  json.end_object().member("binding", limits.binding).end_object();
}

void saturation(JsonWriter& json, const SaturationReport& saturation) {
  json.member_object("saturation");
  json.member_text("verdict", saturation.verdict
                                  ? std::string(saturation_names[static_cast<std::size_t>(*saturation.verdict)])
                                  : "");
  json.member("queue_slope_per_s", saturation.queue_slope_per_s).member("mean_waiting", saturation.mean_waiting);
  json.member("peak_waiting", saturation.peak_waiting).member("waiting_share", saturation.waiting_share);
  json.end_object();
}

void outcomes(JsonWriter& json, const Report& report) {
  json.member_array("outcomes");
  json.begin_object()
      .member("outcome", "completed")
      .member("reason", "")
      .member("count", report.completed)
      .end_object();
  for (const OutcomeCount& row : report.outcomes) {
    json.begin_object().member("outcome", outcome_names[static_cast<std::size_t>(row.outcome)]);
    json.member("reason", row.reason).member("count", row.count).end_object();
  }
  json.end_array();
  if (report.unanswered_tokens == 0) return;
  // What was generated for clients that left before the end of it.
  json.member_object("unanswered").member("output_tokens", report.unanswered_tokens);
  json.member("share",
              ratio(static_cast<double>(report.unanswered_tokens), static_cast<double>(report.emitted_tokens)));
  json.end_object();
}

void provenance(JsonWriter& json, const Report& report) {
  const RunHeader& header = report.header;
  json.member_array("defaults_used");
  for (const DefaultUsed& used : header.defaults) {
    json.begin_object().member("path", used.path).member("value", used.value).member("source", used.source);
    json.end_object();
  }
  json.end_array().member_texts("warnings", report.warnings).key("trace");
  if (header.trace) {
    write_account(*header.trace, json);
  } else {
    json.null();
  }
  json.member_object("scenario").member("name", header.scenario);
  json.member_text("case", header.case_name);
  json.member("hash", header.hash).member("seed", header.seed);
  json.member_text("model", header.model);
  json.member_text("weights", header.weights);
  json.member_text("kv_cache", header.kv_cache);
  json.member("tp", header.tp);
  json.member_text("node", header.node);
  json.member_text("engine", header.engine);
  json.member_texts("oracles", header.oracles).member("cost_model", header.cost_model).end_object();
  json.member_object("cost").member("model", header.cost_model).member("note", cost_note(header.cost_model));
  json.member_text("trust", header.trust);
  json.end_object().member("cost_model", header.cost_model).member("version", header.version);
  json.member("interrupted", report.interrupted);
  json.member_text("watchdog", report.watchdog);
}

void document(JsonWriter& json, const Report& report) {
  json.begin_object().member("schema_version", schema_version);
  json.key("duration").seconds(report.duration).member("completed", report.completed);
  json.member("failed", report.rejected + report.cancelled);
  json.member("total_input_tokens", report.total_input_tokens);
  json.member("total_output_tokens", report.total_output_tokens);
  json.member("request_throughput", report.request_throughput);
  json.member("request_goodput", report.request_goodput);
  json.member("output_throughput", report.output_throughput);
  json.member("total_token_throughput", report.total_token_throughput);
  latency(json, "ttft", report.ttft);
  latency(json, "tpot", report.tpot);
  latency(json, "itl", report.itl);
  latency(json, "e2el", report.e2el);
  json.member("itl_percentile_relative_error", Histogram::relative_error);
  json.member("requests_in", report.requests_in).member("rejected", report.rejected);
  json.member("cancelled", report.cancelled).member("unfinished", report.unfinished);
  outcomes(json, report);
  window(json, report);
  slo(json, report);
  json.member_object("per_user_tokens_per_s");
  user_rate(json, "decode", report.user_decode);
  user_rate(json, "end_to_end", report.user_end_to_end);
  json.end_object();
  kv_cache(json, report);
  write_evictions(json, report);
  write_transfers(json, report.transfers);
  write_prefix(json, report.prefix);
  write_groups(json, report);
  steps(json, report.steps);
  const bool drafts = report.header.draft_tokens > 0;
  if (drafts) speculation(json, report);
  ledger(json, report.ledger, drafts);
  limits(json, report.limits);
  saturation(json, report.saturation);
  json.member_object("run_totals").member("passes", report.passes).key("busy_s").seconds(report.busy);
  json.key("end_s").seconds(report.end).member("emitted_tokens", report.emitted_tokens).end_object();
  provenance(json, report);
  json.end_object();
}

}  // namespace

void write_json(const Report& report, std::ostream& out) {
  JsonWriter json(out);
  document(json, report);
  out << '\n';
}

void write_json(std::span<const Report> reports, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", schema_version).member_array("cases");
  for (const Report& report : reports) document(json, report);
  json.end_array().end_object();
  out << '\n';
}

}  // namespace decodesim
