#include "sim/report/policy_json.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace decodesim {

namespace {

void moment_member(JsonWriter& json, std::string_view name, const std::optional<Time>& time) {
  json.key(name);
  if (time) {
    json.seconds(*time);
  } else {
    json.null();
  }
}

/// How many evictions one class or all suffered, and what they cost.
void totals(JsonWriter& json, const EvictionSummary& summary, const Report& report) {
  const EvictionAccount& sum = summary.account;
  json.member("preemptions", sum.preemptions).member("preempted_requests", summary.preempted);
  json.member("max_per_request", summary.most).member("recomputed_tokens", sum.recomputed_tokens);
  json.key("recompute_time_s").seconds(sum.recompute_time);
  json.member("gpu_time_share", ratio(to_seconds(sum.recompute_time), to_seconds(report.busy)));
}

void transfer_time(JsonWriter& json, const std::string& prefix, const TransferTime& time) {
  json.key(prefix + "time_s").seconds(time.total).key(prefix + "waited_s").seconds(time.waited);
  json.key(prefix + "overlapped_s").seconds(time.overlapped());
}

/// What they were for and what became of their KV.
void account(JsonWriter& json, const EvictionSummary& summary, const Report& report) {
  const EvictionAccount& sum = summary.account;
  json.member_object("by_reason");
  for (std::size_t i = 0; i < EvictionAccount::reasons; ++i) {
    json.member_object(eviction_reason_names[i]).member("preemptions", sum.by_reason[i]);
    json.member("blocks", sum.blocks_by_reason[i]).end_object();
  }
  json.end_object().member_object("by_fate");
  for (std::size_t i = 0; i < EvictionAccount::fates; ++i) json.member(kv_fate_names[i], sum.by_fate[i]);
  json.end_object().member("of_themselves", sum.of_itself);
  json.member("blocks_freed", sum.blocks).member("blocks_for_themselves", sum.blocks_for_itself);
  json.member("blocks_for_others", sum.blocks - sum.blocks_for_itself - sum.blocks_for_nobody);
  json.member("blocks_for_all", sum.blocks_for_nobody).member("blocks_received", summary.blocks_received);
  const auto usable = static_cast<double>(report.header.usable_blocks);
  const auto count = static_cast<double>(sum.preemptions);
  const auto used = [&](std::int64_t free) { return 1 - ratio(static_cast<double>(free), count * usable); };
  json.member("usage_before_mean", used(sum.free_before))
      .member("usage_after_mean", used(sum.free_before + sum.blocks));
  json.member("discarded_tokens", sum.discarded_tokens).member("found_again_tokens", sum.found_again_tokens);
  json.member("swapped_out_tokens", sum.swapped_out_tokens);
  const auto bytes = [&](std::int64_t blocks) {
    return report.header.moved_block.value() * static_cast<double>(blocks);
  };
  json.member("swapped_out_bytes", bytes(sum.swapped_out_blocks));
  json.member("swapped_in_bytes", bytes(sum.swapped_in_blocks));
  transfer_time(json, "transfer_", sum.transfers);
  json.key("away_s").seconds(sum.away);
  json.member_array("per_request");
  for (const PreemptionHistogram::Bin& bin : summary.histogram) {
    json.begin_object().member("from", bin.from).member("to", bin.to).member("requests", bin.requests).end_object();
  }
  json.end_array();
}

void goodput_lost(JsonWriter& json, const std::optional<GoodputLost>& lost) {
  json.key("goodput_lost");
  if (!lost) {
    json.null();
    return;
  }
  json.begin_object().member("missed", lost->missed).member("missed_preempted", lost->missed_preempted);
  json.member("missed_by_recompute", lost->missed_by_recompute).member("requests_per_s", lost->per_second).end_object();
}

void latency(JsonWriter& json, const std::string& name, const Summary& summary) {
  json.member("mean_" + name + "_ms", summary.mean).member("median_" + name + "_ms", summary.p50);
  json.member("p90_" + name + "_ms", summary.p90).member("p99_" + name + "_ms", summary.p99);
}

/// The limits of a class that has its own.
void own_limits(JsonWriter& json, const SloSpec& slo) {
  json.member_object("slo");
  const auto limit = [&](const char* name, const std::optional<Duration>& time) {
    if (time) json.member(name, to_milliseconds(*time));
  };
  limit("ttft_p99_ms", slo.ttft_p99);
  limit("tpot_p99_ms", slo.tpot_p99);
  limit("e2el_p99_ms", slo.e2el_p99);
  json.end_object();
}

void groups(JsonWriter& json, std::string_view name, const std::vector<GroupReport>& list) {
  json.member_array(name);
  for (const GroupReport& one : list) {
    if (list.size() < 2) break;
    json.begin_object().member("name", one.name).member("requests", one.requests).member("completed", one.completed);
    json.member("preemptions", one.preemptions).member("recomputed_tokens", one.recomputed_tokens);
    json.member("with_deadline", one.with_deadline).member("deadlines_met", one.deadlines_met);
    json.member("service_tok_per_s", one.service).key("longest_wait_s").seconds(one.longest_wait);
    json.member("completed_in_window", one.measured).member("output_throughput", one.output_throughput);
    json.member("request_goodput", one.request_goodput);
    if (one.slo) own_limits(json, *one.slo);
    latency(json, "ttft", one.ttft);
    latency(json, "tpot", one.tpot);
    latency(json, "e2el", one.e2el);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_evictions(JsonWriter& json, const Report& report) {
  const EvictionReport& evictions = report.evictions;
  json.member_object("evictions");
  totals(json, evictions.run, report);
  moment_member(json, "first_s", evictions.first);
  moment_member(json, "last_s", evictions.last);
  json.member_text("victim_rule", report.header.victim_rule);
  account(json, evictions.run, report);
  goodput_lost(json, evictions.run.goodput_lost);
  json.member_array("classes");
  for (const EvictionSummary& one : evictions.classes) {
    if (evictions.classes.size() < 2) break;
    json.begin_object().member("name", one.name);
    totals(json, one, report);
    account(json, one, report);
    goodput_lost(json, one.goodput_lost);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_transfers(JsonWriter& json, const TransferReport& transfers) {
  json.member_object("transfers").member("out_bytes", transfers.out.value()).member("in_bytes", transfers.in.value());
  transfer_time(json, "", transfers.time);
  json.member_object("host_cache").member("stored_bytes", transfers.stored.value());
  json.member("loaded_bytes", transfers.loaded.value());
  json.member("loaded_beside_bytes", transfers.loaded_beside.value());
  transfer_time(json, "", transfers.host_tier);
  json.end_object().end_object();
}

void write_prefix(JsonWriter& json, const PrefixReport& prefix) {
  json.member_object("prefix_cache").member("prompt_tokens", prefix.prompt_tokens);
  json.member("found_tokens", prefix.found_tokens).member("hit_rate", prefix.hit_rate);
  json.member("from_host_tokens", prefix.from_host_tokens);
  json.member("from_elsewhere_tokens", prefix.from_elsewhere_tokens);
  json.member("loads", prefix.loads).key("loading_s").seconds(prefix.loading);
  json.member("found_again_tokens", prefix.found_again_tokens).member("found_again_share", prefix.found_again_share);
  json.member("cached_blocks_evicted", prefix.cached_blocks_evicted).end_object();
}

void write_groups(JsonWriter& json, const Report& report) {
  groups(json, "by_class", report.classes);
  groups(json, "by_tenant", report.tenants);
  groups(json, "by_priority", report.priorities);
  json.member_object("fairness").member("tenants", static_cast<std::int64_t>(report.tenants.size()));
  json.member("jain_index", report.jain_index).end_object().member_object("starvation");
  json.key("longest_wait_s").seconds(report.starvation.longest_wait);
  json.key("oldest_waiting_s").seconds(report.starvation.oldest_waiting);
  json.key("longest_gap_s").seconds(report.starvation.longest_gap).end_object();
}

}  // namespace decodesim
