#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/request_source.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim {

namespace {

/// What is published or counted by hand about a file, in the units of its own columns.
struct Known {
  std::int64_t rows;
  std::int64_t input_tokens;
  std::int64_t output_tokens;
  double span;                      // seconds, to the millisecond
  double gap_cv;                    // coefficient of variation of the gaps
  double smallest_gap;              // ns
  std::vector<std::int64_t> input;  // p50, p90, p99, max
  std::vector<std::int64_t> output;
};

/// Linear interpolation between order statistics.
double percentile(std::vector<std::int64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = place - std::floor(place);
  return static_cast<double>(values[below]) * (1 - share) + static_cast<double>(values[above]) * share;
}

/// The published table is rounded to whole tokens, a half to either side.
void check_percentiles(const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& known) {
  constexpr double shares[] = {0.50, 0.90, 0.99, 1};
  for (std::size_t i = 0; i < known.size(); ++i) {
    CHECK(std::abs(percentile(values, shares[i]) - static_cast<double>(known[i])) <= 0.5);
  }
}

void check_trace(const std::vector<Request>& requests, const Known& known) {
  REQUIRE(static_cast<std::int64_t>(requests.size()) == known.rows);
  std::vector<std::int64_t> inputs, outputs;
  std::set<Time> arrivals;
  std::int64_t input_sum = 0, output_sum = 0;
  double gap_sum = 0, gap_squares = 0, smallest = 1e18;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    REQUIRE(request.index == static_cast<std::int64_t>(i));
    REQUIRE(request.max_tokens == request.output_tokens);
    REQUIRE(request.id.empty());
    inputs.push_back(request.input_tokens);
    outputs.push_back(request.output_tokens);
    arrivals.insert(request.arrival);
    input_sum += request.input_tokens;
    output_sum += request.output_tokens;
    if (i == 0) continue;
    const auto gap = static_cast<double>((request.arrival - requests[i - 1].arrival).count());
    gap_sum += gap;
    gap_squares += gap * gap;
    smallest = std::min(smallest, gap);
  }
  CHECK(input_sum == known.input_tokens);
  CHECK(output_sum == known.output_tokens);
  CHECK(requests.front().arrival == Time{});
  CHECK(std::abs(to_seconds(requests.back().arrival) - known.span) < 0.0005);
  // To the microsecond that the files resolve, no two requests arrive together.
  CHECK(static_cast<std::int64_t>(arrivals.size()) == known.rows);
  CHECK(smallest == known.smallest_gap);
  const double gaps = static_cast<double>(requests.size() - 1);
  const double mean = gap_sum / gaps;
  CHECK(std::sqrt(gap_squares / gaps - mean * mean) / mean == doctest::Approx(known.gap_cv).epsilon(0.0005));
  check_percentiles(inputs, known.input);
  check_percentiles(outputs, known.output);
}

}  // namespace

TEST_CASE("the Azure conversation trace is read to the last row, token and microsecond") {
  const auto path = tests::shared_file("data/traces/AzureLLMInferenceTrace_conv.csv");
  if (!path) return;
  const std::vector<Request> requests = read_trace(path->string());
  check_trace(requests, {.rows = 19'366,
                         .input_tokens = 22'361'870,
                         .output_tokens = 4'088'665,
                         .span = 3501.722,
                         .gap_cv = 1.094,
                         .smallest_gap = 2'000,
                         .input = {1020, 2734, 4142, 14050},
                         .output = {129, 424, 601, 1000}});
  CHECK(requests[0].input_tokens == 374);
  CHECK(requests[0].output_tokens == 44);
}

TEST_CASE("the Azure code trace is read to the last row, token and microsecond") {
  const auto path = tests::shared_file("data/traces/AzureLLMInferenceTrace_code.csv");
  if (!path) return;
  const std::vector<Request> requests = read_trace(path->string());
  check_trace(requests, {.rows = 8'819,
                         .input_tokens = 18'059'974,
                         .output_tokens = 245'896,
                         .span = 3435.948,
                         .gap_cv = 13.15,
                         .smallest_gap = 6'000,
                         .input = {1469, 5188, 7436, 7437},
                         .output = {13, 55, 251, 1899}});
  CHECK(requests.back().input_tokens == 549);
  CHECK(requests.back().output_tokens == 173);
}

TEST_CASE("as a source, a trace tells its count before the first request and gives the same rows") {
  const auto path = tests::shared_file("data/traces/AzureLLMInferenceTrace_code.csv");
  if (!path) return;
  WorkloadSpec workload;
  workload.kind = WorkloadKind::trace;
  workload.trace.file = path->string();
  const auto source = make_request_source(workload, 1);
  CHECK(source->count() == 8'819);
  CHECK(!source->concurrency());
  for (const Request& wanted : read_trace(path->string())) {
    const auto given = source->next();
    REQUIRE(given);
    REQUIRE(*given == wanted);
  }
  CHECK(!source->next());
  CHECK(!source->next());
}

}  // namespace decodesim
