// The summary, word for word.

#include "sim/report/summary_text.hpp"

#include <doctest/doctest.h>

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
  Report report = measurements.report();
  report.header.defaults = {{"memory.utilization", "0.92", "assumed"}, {"scheduler.max_num_seqs", "1024", "assumed"}};
  return report;
}

std::string text_of(const Report& report) {
  std::ostringstream out;
  write_text(report, out);
  return out.str();
}

std::string first_line(const Report& report) {
  const std::string text = text_of(report);
  return text.substr(0, text.find('\n'));
}

/// A report of a context as the whiteboard has it.
Report ideal_case(const std::string& name, double batch, double step_ms, double throughput) {
  Report report = two_requests();
  report.header.case_name = name;
  report.header.cost_model = "ideal";
  report.header.usable_blocks = 82'339;
  report.header.block_size = 16;
  report.steps.running_mean = batch;
  report.steps.batch_mean = batch / 2;  // what a step computes is another number than what runs
  report.steps.mean_ms = step_ms;
  report.output_throughput = throughput;
  report.user_decode.mean = 1e3 / step_ms;
  report.kv.usage_mean = 0.9824;
  report.limits.batch_limit = "KV capacity";
  return report;
}

}  // namespace

TEST_CASE("the summary is the client's block between a verdict and what explains it") {
  CHECK(text_of(two_requests()) == R"(NO SLO SET  1.33 tok/s  1.00 tok/s a user  arrivals bound  STABLE
told: llama-3-70b with bf16 weights and bf16 KV cache, tp 8 on hgx-h100, engine vllm-v1

============ Serving Benchmark Result ============
Successful requests:                     2
Failed requests:                         0
Benchmark duration (s):                  3.00
Total input tokens:                      9
Total generated tokens:                  4
Request throughput (req/s):              0.67
Output token throughput (tok/s):         1.33
Total token throughput (tok/s):          4.33
---------------Time to First Token----------------
Mean TTFT (ms):                          1000.00
Median TTFT (ms):                        1000.00
P90 TTFT (ms):                           1000.00
P99 TTFT (ms):                           1000.00
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          1000.00
Median TPOT (ms):                        1000.00
P90 TPOT (ms):                           1000.00
P99 TPOT (ms):                           1000.00
---------------Inter-token Latency----------------
Mean ITL (ms):                           1000.00
Median ITL (ms):                         1000.00
P90 ITL (ms):                            1000.00
P99 ITL (ms):                            1000.00
----------------End-to-end Latency----------------
Mean E2EL (ms):                          2000.00
Median E2EL (ms):                        2000.00
P90 E2EL (ms):                           2800.00
P99 E2EL (ms):                           2980.00
==================================================

Tokens/s a user               mean        p1       p10       p50       p90       p99
  decoding, 1/TPOT           1.000     1.000     1.000     1.000     1.000     1.000
  in all, output/E2E         1.000     1.000     1.000     1.000     1.000     1.000
KV cache              10 usable blocks of 4 tokens = 40 tokens (11 blocks as a server prints them)
  in use              mean 23.3 %  peak 30.0 %
  holds               token states 20.0 %  internal waste 3.33 %  free 76.7 %
  a sequence          6.000 tokens on average, of prompts of 4.500
Evictions             none
Steps                 3, mean 1.000 s
  batch, per step     mean 1.333  peak 2
  running, over time  mean 1.333  peak 2
Time in steps            3.000 s
  fixed                  3.000 s    100 %
Bound by              arrivals held the batch at 1.333 sequences; the scenario fixes the length of a step
  admission           arrivals 100 %
  steps               fixed 100 %
Saturation            STABLE: the server keeps up with what comes
  queue               mean 0  peak 0  not empty 0 % of the time  while requests come +0.000 requests/s
Warning               only 2 requests ended in the window: fewer than 100, so percentiles rest on single requests; raise workload.num_requests
Warning               the window is 1.5 times as long as a request lives on average: below 10, results still depend on how the run began; raise workload.num_requests
Cost                  fixed: every step takes the time that the scenario gives, whatever it computes

Defaults              memory.utilization = 0.92 [assumed]
                      scheduler.max_num_seqs = 1024 [assumed]
TPOT=(E2E-TTFT)/(out-1) per request, outputs of one token left out; ITL=all gaps pooled, percentiles within 0.10 %; percentiles interpolate at q(n-1)
decodesim 0.1.0  scenario 00c0ffee00c0ffee  seed 1  cost fixed
)");
}

TEST_CASE("the verdict names every limit, and those that were missed first") {
  SloSpec slo;
  slo.ttft_p99 = seconds(2);
  slo.tpot_p99 = Duration(1'000'000'000);
  CHECK(first_line(two_requests(slo)) ==
        "SLO MET  p99 TTFT 1.00 s <= 2 s  p99 TPOT 1.00 s <= 1 s  goodput 0.667 of 0.667 req/s completed");
  slo.tpot_p99 = Duration(900'000'000);
  slo.e2el_p99 = Duration(500'000'000);
  CHECK(
      first_line(two_requests(slo)) ==
      "SLO MISSED (TPOT, E2EL)  p99 TTFT 1.00 s <= 2 s  p99 TPOT 1.00 s > 900 ms  p99 E2EL 2.98 s > 500 ms  goodput 0 "
      "of 0.667 req/s completed");
  slo = {};
  slo.e2el_p99 = Duration(2'979'999'999);
  CHECK(first_line(two_requests(slo)) ==
        "SLO MISSED (E2EL)  p99 E2EL 2.980000000 s > 2.979999999 s  goodput 0.333 of 0.667 req/s completed");
}

TEST_CASE("goodput appears with an SLO only, as in the client") {
  SloSpec slo;
  slo.e2el_p99 = seconds(2);
  CHECK(text_of(two_requests(slo)).find("\nRequest goodput (req/s):                 0.33\n") != std::string::npos);
  CHECK(text_of(two_requests()).find("goodput") == std::string::npos);
}

TEST_CASE("a window, failures, evictions, bytes and a watchdog are all told") {
  Report report = two_requests();
  report.run.window = {0.25, 0.25};
  report.window = {false, true, at(1), at(3), 1, 1};
  report.outcomes = {{Outcome::rejected, "never fits the KV pool", 12}};
  EvictionReport& evictions = report.evictions;
  report.busy = seconds(300);
  evictions.run.preempted = 400;
  evictions.run.most = 5;
  evictions.first = Time(Duration(12'500'000'000));
  evictions.last = at(340);
  EvictionAccount& account = evictions.run.account;
  account.preemptions = 1065;
  account.recomputed_tokens = 1'234'567;
  account.recompute_time = Duration(12'300'000'000);
  account.by_reason = {1000, 65, 0, 0};
  account.of_itself = 7;
  account.blocks = 3195;
  account.free_before = 1065;
  account.discarded_tokens = 2'000'000;
  account.found_again_tokens = 765'433;
  account.away = seconds(2130);
  evictions.run.histogram = {{0, 0, 600}, {1, 1, 200}, {2, 2, 0}, {3, 3, 0}, {4, 4, 0}, {5, 8, 200}};
  evictions.run.goodput_lost = GoodputLost{30, 20, 4, 0.1};
  report.header.victim_rule = "last-admitted";
  report.ledger.of(ByteKind::weights) = Bytes(141.1e9);
  report.ledger.of(ByteKind::kv_read) = Bytes(47.0e9);
  report.steps.idle_count = 1;
  report.watchdog = "request 3 waits for 9 blocks";
  report.interrupted = true;
  const std::string text = text_of(report);
  for (const std::string line :
       {"ENDED BY THE WATCHDOG  INTERRUPTED  NO SLO SET  1.33 tok/s",
        "\nrates, means and use from 1.000 s to 3.000 s, in which 1 of 2 requests ended; counts and tokens of the "
        "whole run\n",
        "\nwatchdog: request 3 waits for 9 blocks\n", "\nRejected              12: never fits the KV pool\n",
        "\nEvictions             1,065 preemptions of 400 requests, at most 5 of one\n"
        "  when                from 12.50 s to 340.0 s of the run\n"
        "  recomputed          1,234,567 tokens in 12.30 s, 4.10 % of GPU time\n"
        "  for                 decode 1,000  prefill 65; victim: last-admitted, who needed the room itself 7 times\n"
        "  freed               3,195 blocks; KV use 90.0 % before and 60.0 % after, on average\n"
        "  spared              765,433 tokens found in place by victims that came back, of 2,000,000 they had lost\n"
        "  away                2.000 s without a place, on average\n"
        "  of one request      0: 600  1: 200  5-8: 200\n"
        "  goodput             30 requests missed a limit, 20 of them preempted; 4 would have kept it without "
        "recompute\n",
        "\nBytes moved             188.1 GB\n  weights               141.1 GB   75.0 %\n  kv_read               47.00 "
        "GB   25.0 %\n",
        "\nSteps                 3, 1 of them idle, mean 1.000 s\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("a run that measured nothing says n/a and no number") {
  Measurements measurements(header_of(0), {}, {});
  measurements.run_ended({});
  const Report report = measurements.report();
  CHECK(first_line(report) == "NOTHING SERVED  no request came");
  CHECK(text_of(report).find("nan") == std::string::npos);
}

TEST_CASE("shared blocks leave no waste to tell, and prompts that arrive computed are not a prefix cache's") {
  Report report = two_requests();
  report.kv.token_states_mean = 0.368;
  report.kv.internal_waste_mean = -0.075;
  report.prefix.prompt_tokens = 9;
  report.prefix.found_tokens = 7;
  CHECK(text_of(report).find("token states 36.8 %, those of shared blocks once for each sequence  free ") !=
        std::string::npos);
  CHECK(text_of(report).find("\nPrefix cache          7 tokens of 9 of prompts found in place") != std::string::npos);
  report.header.prompts_arrive_computed = true;
  CHECK(text_of(report).find("\nPrompts               7 tokens of 9 arrived computed or were found in place") !=
        std::string::npos);
}

TEST_CASE("names cannot steer the terminal") {
  Report report = two_requests();
  report.header.scenario = "evil\x1b[2J";
  report.outcomes = {{Outcome::rejected, "a\nb", 1}};
  const std::string text = text_of(report);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("a\\x0ab") != std::string::npos);
}

TEST_CASE("several cases end with a table and the gap between the first and the last in words") {
  const std::vector<Report> reports{ideal_case("4k", 319.6, 21.28, 15018), ideal_case("32k", 40, 21.28, 1880),
                                    ideal_case("128k", 10, 21.3, 469.5)};
  std::ostringstream out;
  write_text(reports, out);
  const std::string text = out.str();
  CHECK(text.substr(text.rfind("case  ")) ==
        R"(case       running       step ms         tok/s  tok/s a user        KV use  bound by
4k           319.6         21.28        15,018         46.99        98.2 %  KV capacity
32k          40.00         21.28         1,880         46.99        98.2 %  KV capacity
128k         10.00         21.30         469.5         46.95        98.2 %  KV capacity

The gap between 4k and 128k is 32x (31.99x): 320 sequences decode at once in 4k and 10.0 in 128k (32.0x), with steps of 21.3 and 21.3 ms (1.00x).
In both the KV cache is full: it holds 1,317,424 tokens, and the longer a sequence is, the fewer fit.
Cost is ideal: bytes move at the full bandwidth and nothing else takes time; a tuned stack reaches about half of the ideal figure.

Defaults              memory.utilization = 0.92 [assumed]
                      scheduler.max_num_seqs = 1024 [assumed]
TPOT=(E2E-TTFT)/(out-1) per request, outputs of one token left out; ITL=all gaps pooled, percentiles within 0.10 %; percentiles interpolate at q(n-1)
)");
  const std::string second = text_of(reports[1]);
  CHECK(text.find(second.substr(0, second.find("\nCost  "))) != std::string::npos);
}

TEST_CASE("where drafts are verified, tokens a step are a factor of the gap between cases") {
  std::vector<Report> reports{ideal_case("plain", 10, 20, 500), ideal_case("drafts", 10, 25, 1000)};
  reports[1].header.draft_tokens = 3;
  reports[1].speculation.tokens_per_step = 2.5;
  std::ostringstream out;
  write_text(reports, out);
  CHECK(out.str().find("with steps of 25.0 and 20.0 ms (0.800x), each of 2.50 and 1.00 tokens a sequence (2.50x).") !=
        std::string::npos);
}

TEST_CASE("defaults that differ between cases stand with their case") {
  std::vector<Report> reports{two_requests(), two_requests()};
  reports[1].header.defaults.pop_back();
  std::ostringstream out;
  write_text(reports, out);
  const std::string text = out.str();
  CHECK(text.find("Defaults") < text.find("decodesim 0.1.0"));
  CHECK(text.find("Defaults", text.find("decodesim 0.1.0")) < text.rfind("decodesim 0.1.0"));
  CHECK(text.find("Defaults", text.rfind("decodesim 0.1.0")) == std::string::npos);
}

TEST_CASE("a gap below ten keeps a decimal, and one in favour of the last case is told as such") {
  std::vector<Report> reports{ideal_case("slow", 10, 20, 500), ideal_case("fast", 20, 20, 1200)};
  reports[0].header.cost_model = "roofline";
  std::ostringstream out;
  write_text(reports, out);
  CHECK(
      out.str().find("The gap between slow and fast is 2.4x: 20.0 sequences decode at once in fast and 10.0 in slow") !=
      std::string::npos);
  CHECK(out.str().find("ideal figure") == std::string::npos);
}
