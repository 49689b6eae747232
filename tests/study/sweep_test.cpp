#include "sim/study/sweep.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/study/metric.hpp"
#include "sim/study/played_seeds.hpp"
#include "sim/study/side_by_side.hpp"
#include "tests/study/study_files.hpp"

using namespace decodesim;
using namespace decodesim::tests;

namespace {

using Texts = std::vector<std::string>;

const std::atomic<bool> never_stop{false};

SweepPoints points_of(const std::string& text, const Texts& options) {
  const StudyFile file(text);
  std::vector<Diagnostic> warnings;
  return load_sweep(file.path(), options, {}, warnings);
}

Sweep swept(const std::string& text, const Texts& options, std::int64_t jobs = 1) {
  return run_sweep(points_of(text, options), "test", jobs, never_stop, {});
}

template <class Write>
std::string written(const Sweep& sweep, Write write) {
  std::ostringstream out;
  write(sweep, out);
  return out.str();
}

std::string all_of(const Sweep& sweep) {
  const auto text = [](const Sweep& one, std::ostream& out) { write_text(one, out); };
  const auto json = [](const Sweep& one, std::ostream& out) { write_json(one, out); };
  const auto csv = [](const Sweep& one, std::ostream& out) { write_csv(one, out); };
  return written(sweep, text) + written(sweep, json) + written(sweep, csv);
}

double metric_of(const PointResult& result, std::string_view name) {
  for (std::size_t i = 0; i < sweep_metrics().size(); ++i) {
    if (sweep_metrics()[i].name == name) return result.metrics.at(i);
  }
  throw std::out_of_range(std::string(name));
}

const Texts many{"scheduler.max_num_seqs=1,2,3,4,5,6,7,8", "run.seed=1:4:1", "scheduler.never_fits=reject,hang"};

}  // namespace

TEST_CASE("no byte of a sweep depends on how many points are played side by side") {
  const Sweep one = swept(busy_server, many, 1);
  REQUIRE(one.results.size() == 64);
  const std::string expected = all_of(one);
  for (std::int64_t jobs : {2, 7}) CHECK(all_of(swept(busy_server, many, jobs)) == expected);
}

TEST_CASE("a row says what a run of its point says") {
  const Sweep sweep = swept(std::string(busy_server) + "slo: {ttft_p99: 300 ms}\n", {"scheduler.max_num_seqs=2,8"});
  const StudyFile file(std::string(busy_server) + "slo: {ttft_p99: 300 ms}\n");
  std::vector<Diagnostic> diagnostics;
  const Texts sets{"scheduler.max_num_seqs=8"};
  const std::vector<Variant> variants = make_variants(Texts{file.path()}, {}, sets, diagnostics);
  const std::vector<PlayedSeeds> played = play_seeds(variants, {.version = "test"}, never_stop, {});
  const PointResult& row = sweep.results[1];
  CHECK(row.status == PointStatus::done);
  for (const char* name : {"output_throughput", "request_throughput", "request_goodput", "p99_ttft_ms", "p99_tpot_ms",
                           "completed", "running_mean", "kv_usage_mean", "preemptions"}) {
    CAPTURE(name);
    const auto index = static_cast<std::size_t>(find_metric(name) - metric_table().data());
    CHECK(metric_of(row, name) == played[0].seeds[0][index]);
  }
  CHECK(metric_of(row, "completed") == 40);
  CHECK(row.slo_met == false);
  CHECK(!row.batch_limit.empty());
  CHECK(sweep.results[0].batch_limit == "max_num_seqs");
}

TEST_CASE("throughput a GPU is by the GPUs that hold the model") {
  const std::string served =
      "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, gpus: 4}\ncost: {model: roofline}\n"
      "workload: {input_tokens: 256, output_tokens: 8, max_concurrency: 4, num_requests: 8}\n";
  const Sweep sweep = swept(served, {"parallel.tp=1,4,8"});
  for (std::size_t i : {0, 1}) {
    const double gpus = i == 0 ? 1 : 4;
    CHECK(metric_of(sweep.results[i], "gpus") == gpus);
    CHECK(metric_of(sweep.results[i], "output_throughput_per_gpu") ==
          metric_of(sweep.results[i], "output_throughput") / gpus);
  }
  CHECK(sweep.results[2].status == PointStatus::infeasible);
}

TEST_CASE("what cannot be played is a row with its reason, in its place") {
  const std::string hangs =
      "version: 1\nmemory: {num_gpu_blocks: 12, block_size: 4}\n"
      "scheduler: {engine: vllm-v1, max_num_seqs: 8, max_num_batched_tokens: 64, max_model_len: 1000, never_fits: "
      "hang}\n"
      "cost: {model: fixed, step: 10 ms}\n"
      "workload: {num_requests: 3, max_concurrency: 1, input_tokens: 30, output_tokens: 8}\n";
  const Sweep sweep = swept(hangs, {"workload.output_tokens=8,80", "scheduler.startup_check=warn,strict"}, 2);
  REQUIRE(sweep.results.size() == 4);
  CHECK(sweep.results[0].status == PointStatus::done);
  CHECK(sweep.results[1].status == PointStatus::infeasible);
  CHECK(sweep.results[2].status == PointStatus::failed);
  CHECK(sweep.results[3].status == PointStatus::infeasible);
  CHECK(sweep.results[2].why.find("the watchdog ended the run") == 0);
  CHECK(sweep.results[1].metrics.empty());
  const std::string text = all_of(sweep);
  CHECK(text.find("points 2, 4 infeasible: the pool has") != std::string::npos);
  CHECK(text.find("point 3 failed: the watchdog") != std::string::npos);
}

TEST_CASE("points that an interruption left out are told from those that were played") {
  std::atomic<bool> stop{false};
  const Sweep sweep =
      run_sweep(points_of(busy_server, many), "test", 1, stop, [&](std::int64_t done, std::int64_t all) {
        CHECK(all == 64);
        if (done == 3) stop = true;
      });
  CHECK(sweep.interrupted);
  CHECK(sweep.results[2].status == PointStatus::done);
  CHECK(sweep.results[3].status == PointStatus::not_played);
  CHECK(all_of(sweep).find("61 not played; interrupted") != std::string::npos);
}

TEST_CASE("points that are listed have what is known before they are played") {
  const Sweep sweep = listed(points_of(busy_server, {"scheduler.max_num_seqs=2,4"}), "test");
  CHECK(sweep.results[0].status == PointStatus::not_played);
  const std::string text = written(sweep, [](const Sweep& one, std::ostream& out) { write_list(one, out); });
  CHECK(text.find("max_num_seqs") != std::string::npos);
  CHECK(text.find(sweep.points.points[1].hash) != std::string::npos);
}

TEST_CASE("work side by side is done once each, and the fault of the first piece is told") {
  for (std::int64_t jobs : {1, 3, 50}) {
    std::vector<std::atomic<int>> times(40);
    side_by_side(times.size(), jobs, [&](std::size_t index) { ++times[index]; });
    for (const std::atomic<int>& one : times) CHECK(one == 1);
    const auto fails = [](std::size_t index) {
      if (index >= 5) throw std::runtime_error(std::to_string(index));
    };
    CHECK_THROWS_WITH_AS(side_by_side(times.size(), jobs, fails), "5", std::runtime_error);
  }
  side_by_side(0, 2, [](std::size_t) { CHECK(false); });
}
