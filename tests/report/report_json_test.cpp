// The JSON document says what the report says.

#include "sim/report/report_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/report/measurements.hpp"
#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;

namespace {

Report two_requests(SloSpec slo = {}) {
  Measurements measurements(header_of(2), {}, slo);
  tell_two_requests(measurements);
  return measurements.report();
}

nlohmann::json parsed(const Report& report) {
  std::ostringstream out;
  write_json(report, out);
  return nlohmann::json::parse(out.str());
}

}  // namespace

TEST_CASE("the document has the vLLM client's keys with the report's numbers") {
  const nlohmann::json json = parsed(two_requests());
  CHECK(json.at("schema_version") == 1);
  CHECK(json.at("duration") == 3);
  CHECK(json.at("completed") == 2);
  CHECK(json.at("failed") == 0);
  CHECK(json.at("total_input_tokens") == 9);
  CHECK(json.at("total_output_tokens") == 4);
  CHECK(json.at("request_throughput").get<double>() == doctest::Approx(2.0 / 3));
  CHECK(json.at("output_throughput").get<double>() == doctest::Approx(4.0 / 3));
  CHECK(json.at("total_token_throughput").get<double>() == doctest::Approx(13.0 / 3));
  CHECK(json.at("request_goodput").is_null());
  for (const std::string metric : {"ttft", "tpot", "itl", "e2el"}) {
    for (const std::string statistic : {"mean", "median", "std", "p90", "p99"}) {
      CHECK(json.at(statistic + "_" + metric + "_ms").is_number());
    }
  }
  CHECK(json.at("std_e2el_ms") == 1000);
  CHECK(json.at("p99_e2el_ms").get<double>() == doctest::Approx(2980));
}

TEST_CASE("the document has what the client cannot know") {
  const nlohmann::json json = parsed(two_requests());
  for (const char* key : {"requests_in", "rejected", "cancelled", "unfinished", "itl_percentile_relative_error"}) {
    CHECK(json.at(key).is_number());
  }
  for (const char* rate : {"decode", "end_to_end"}) {
    for (const char* key : {"mean", "p1", "p10", "p50", "p90", "p99"}) {
      CHECK(json.at("per_user_tokens_per_s").at(rate).at(key) == 1);
    }
  }
  const auto& kv = json.at("kv_cache");
  CHECK(kv.at("num_blocks") == 11);
  CHECK(kv.at("usable_blocks") == 10);
  CHECK(kv.at("block_size") == 4);
  CHECK(kv.at("capacity_tokens") == 40);
  CHECK(kv.at("usage_peak") == 0.3);
  const double shares = kv.at("token_states_mean").get<double>() + kv.at("internal_waste_mean").get<double>() +
                        kv.at("free_mean").get<double>();
  CHECK(shares == doctest::Approx(1).epsilon(1e-14));
  for (const char* key : {"preemptions", "preempted_requests", "max_per_request", "recomputed_tokens",
                          "recompute_time_s", "gpu_time_share"}) {
    CHECK(json.at("evictions").at(key) == 0);
  }
  for (const char* key : {"first_s", "last_s"}) CHECK(json.at("evictions").at(key).is_null());
  const auto& steps = json.at("steps");
  CHECK(steps.at("count") == 3);
  CHECK(steps.at("idle_count") == 0);
  CHECK(steps.at("mean_ms") == 1000);
  CHECK(steps.at("batch_peak") == 2);
  CHECK(steps.at("running_peak") == 2);
  const auto& ledger = json.at("ledger");
  for (std::string_view kind : byte_kind_names) CHECK(ledger.at("bytes").at(std::string(kind)) == 0);
  CHECK(ledger.at("seconds").at("fixed") == 3);
  CHECK(ledger.at("seconds").at("total") == 3);
  CHECK(ledger.at("seconds_by_bound").at("fixed") == 3);
  CHECK(ledger.at("flops") == 0);
  CHECK(json.at("limits").at("admission").at("arrivals") == 1);
  CHECK(json.at("limits").at("step").at("fixed") == 1);
  CHECK(json.at("limits").at("binding").is_string());
  CHECK(json.at("saturation").at("verdict") == "STABLE");
  CHECK(json.at("scenario").at("name") == "told");
  CHECK(json.at("scenario").at("case").is_null());
  CHECK(json.at("scenario").at("hash") == "00c0ffee00c0ffee");
  CHECK(json.at("scenario").at("seed") == 1);
  CHECK(json.at("interrupted") == false);
  CHECK(json.at("watchdog").is_null());
  CHECK(json.at("slo").is_null());
}

TEST_CASE("defaults, warnings, outcomes and the SLO are listed") {
  SloSpec slo;
  slo.tpot_p99 = Duration(900'000'000);
  Report report = two_requests(slo);
  report.header.defaults = {{"memory.utilization", "0.92", "assumed"}};
  report.warnings = {"a \"quoted\" warning"};
  report.outcomes = {{Outcome::rejected, "never fits the KV pool", 3}};
  report.evictions.first = Time(Duration(1'500'000'000));
  report.evictions.last = at(2);
  const nlohmann::json json = parsed(report);
  CHECK(json.at("defaults_used").at(0).at("path") == "memory.utilization");
  CHECK(json.at("defaults_used").at(0).at("source") == "assumed");
  CHECK(json.at("warnings").at(0) == "a \"quoted\" warning");
  CHECK(json.at("outcomes").at(0).at("count") == 2);
  CHECK(json.at("outcomes").at(1).at("outcome") == "rejected");
  CHECK(json.at("outcomes").at(1).at("reason") == "never fits the KV pool");
  CHECK(json.at("evictions").at("first_s") == 1.5);
  CHECK(json.at("evictions").at("last_s") == 2);
  CHECK(json.at("slo").at("met") == false);
  CHECK(json.at("slo").at("limits").at(0).at("name") == "TPOT");
  CHECK(json.at("slo").at("limits").at(0).at("limit_p99_ms") == 900);
  CHECK(json.at("request_goodput").get<double>() == doctest::Approx(1.0 / 3));  // only B, which has one token
}

TEST_CASE("what was not measured is null and the document stays valid") {
  Measurements measurements(header_of(0), {}, {});
  measurements.run_ended({});
  const nlohmann::json json = parsed(measurements.report());
  CHECK(json.at("duration") == 0);
  CHECK(json.at("output_throughput").is_null());
  CHECK(json.at("p99_ttft_ms").is_null());
  CHECK(json.at("kv_cache").at("usage_mean").is_null());
  CHECK(json.at("limits").at("admission").at("arrivals").is_null());
}

TEST_CASE("several cases are one document that holds each case's own") {
  std::vector<Report> reports{two_requests(), two_requests()};
  reports[1].header.case_name = "128k";
  std::ostringstream out;
  write_json(reports, out);
  const nlohmann::json json = nlohmann::json::parse(out.str());
  CHECK(json.at("schema_version") == 1);
  REQUIRE(json.at("cases").size() == 2);
  CHECK(json.at("cases").at(0) == parsed(reports[0]));
  CHECK(json.at("cases").at(1).at("scenario").at("case") == "128k");

  // A run of several that was interrupted in the first keeps the form.
  std::ostringstream single;
  write_json(std::span(reports).first(1), single);
  CHECK(nlohmann::json::parse(single.str()).at("cases") == nlohmann::json::array({parsed(reports[0])}));
}

TEST_CASE("drafts are told of where there are any, with the part of the time that proposing them takes") {
  Report report = two_requests();
  const nlohmann::json without = parsed(report);
  CHECK_FALSE(without.contains("speculation"));
  CHECK_FALSE(without.at("ledger").at("seconds").contains("draft"));
  report.header.draft_tokens = 3;
  report.speculation = {30, 12, 0.4, 2.2};
  const nlohmann::json with = parsed(report);
  CHECK(with.at("speculation").at("draft_tokens") == 3);
  CHECK(with.at("speculation").at("drafted_tokens") == 30);
  CHECK(with.at("speculation").at("accepted_tokens") == 12);
  CHECK(with.at("speculation").at("acceptance_rate") == 0.4);
  CHECK(with.at("speculation").at("tokens_per_step") == 2.2);
  CHECK(with.at("ledger").at("seconds").at("draft") == 0);
}
