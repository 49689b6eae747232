#include "sim/workload/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/core/statistics.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

WorkloadStatistics of(const std::vector<Request>& requests) {
  WorkloadStatistics statistics;
  for (const Request& request : requests) statistics.add(request);
  return statistics;
}

Request at(std::int64_t nanoseconds, std::int64_t input = 10, std::int64_t output = 5) {
  Request request;
  request.arrival = Time(Duration(nanoseconds));
  request.input_tokens = input;
  request.output_tokens = output;
  return request;
}

/// What a table of a public trace says, as it is printed there.
struct Published {
  const char* file;
  const char* format;
  std::int64_t rows;
  double span, rate, gap_cv;
  std::vector<double> input, output;  // mean, p50, p90, p99, max
};

void check_tokens(const TokenCounts& counts, const std::vector<double>& published) {
  // Means below a hundred are printed with a decimal.
  const double grain = published[0] < 100 ? 0.05 : 0.5;
  CHECK(std::abs(counts.mean() - published[0]) <= grain);
  CHECK(std::abs(counts.quantile(0.5) - published[1]) <= 0.5);
  CHECK(std::abs(counts.quantile(0.9) - published[2]) <= 0.5);
  CHECK(std::abs(counts.quantile(0.99) - published[3]) <= 0.5);
  CHECK(static_cast<double>(counts.max()) == published[4]);
}

}  // namespace

TEST_CASE("the public traces have the statistics of their published tables, to the printed digit") {
  const std::vector<Published> table{
      {"AzureLLMInferenceTrace_code.csv",
       "azure",
       8'819,
       3435.948,
       2.567,
       13.15,
       {2048, 1469, 5188, 7436, 7437},
       {27.9, 13, 55, 251, 1899}},
      {"AzureLLMInferenceTrace_conv.csv",
       "azure",
       19'366,
       3501.722,
       5.530,
       1.094,
       {1155, 1020, 2734, 4142, 14050},
       {211, 129, 424, 601, 1000}},
      {"mooncake_conversation_trace.jsonl",
       "mooncake",
       12'031,
       3536.999,
       3.401,
       3.034,
       {12035, 6909, 27367, 85400, 126195},
       {343, 350, 597, 1119, 2000}},
  };
  for (const Published& known : table) {
    CAPTURE(known.file);
    const auto path = shared_file("data/traces/" + std::string(known.file));
    if (!path) return;
    const WorkloadStatistics statistics = of(read_trace(path->string()));
    CHECK(statistics.requests() == known.rows);
    CHECK(std::abs(static_cast<double>(statistics.span().count()) / 1e9 - known.span) <= 0.0005);
    CHECK(std::abs(statistics.rate() - known.rate) <= 0.0005);
    CHECK(std::abs(statistics.gap_cv() - known.gap_cv) <= (known.gap_cv < 10 ? 0.0005 : 0.005));
    check_tokens(statistics.input, known.input);
    check_tokens(statistics.output, known.output);
  }
}

TEST_CASE("an unbounded cache finds 105,710 of the 288,500 blocks of Mooncake's conversations") {
  const auto path = shared_file("data/traces/mooncake_conversation_trace.jsonl");
  if (!path) return;
  const WorkloadStatistics statistics = of(read_trace(path->string()));
  CHECK(statistics.prefix.blocks() == 288'500);
  CHECK(statistics.prefix.found_blocks() == 105'710);
  CHECK(std::abs(ratio(static_cast<double>(statistics.prefix.found_tokens()),
                       static_cast<double>(statistics.input.total())) -
                 0.374) <= 0.0005);
  CHECK(statistics.distinct_arrivals() == 1'180);
}

TEST_CASE("tokens are counted as sorting them would") {
  Stream draws(7, "test");
  for (int round = 0; round < 50; ++round) {
    TokenCounts counts;
    std::vector<double> values;
    const std::int64_t largest = round % 2 == 0 ? 100 : 3'000'000;
    const std::int64_t n = draws.integer(1, 60);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t tokens = draws.integer(1, largest);
      counts.add(tokens);
      values.push_back(static_cast<double>(tokens));
    }
    for (const double q : {0.0, 0.1, 0.5, 0.9, 0.99, 1.0})
      CHECK(counts.quantile(q) == doctest::Approx(quantile(values, q)));
    CHECK(counts.mean() == doctest::Approx(mean(values)));
    const std::int64_t from = draws.integer(0, largest), to = draws.integer(0, largest);
    CHECK(counts.between(from, to) == std::count_if(values.begin(), values.end(), [&](double value) {
            return value >= static_cast<double>(from) && value < static_cast<double>(to);
          }));
  }
}

TEST_CASE("gaps and windows are those of the arrivals one by one") {
  Stream draws(11, "test");
  std::vector<Request> requests;
  std::int64_t time = 5'000'000'000;
  for (int i = 0; i < 4000; ++i) {
    requests.push_back(at(time));
    time += draws.integer(0, 3) == 0 ? 0 : draws.integer(1, 400'000'000);
  }
  const WorkloadStatistics statistics = of(requests);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < requests.size(); ++i)
    gaps.push_back(static_cast<double>((requests[i].arrival - requests[i - 1].arrival).count()));
  CHECK(statistics.gap_cv() == doctest::Approx(standard_deviation(gaps) / mean(gaps)).epsilon(1e-9));
  for (const std::int64_t window : {1, 10, 60}) {
    const std::int64_t length = window * 1'000'000'000;
    const auto first = requests.front().arrival.time_since_epoch().count();
    const std::int64_t whole = (requests.back().arrival.time_since_epoch().count() - first) / length;
    std::vector<double> counts(static_cast<std::size_t>(whole), 0);
    for (const Request& request : requests) {
      const auto number = static_cast<std::size_t>((request.arrival.time_since_epoch().count() - first) / length);
      if (number < counts.size()) counts[number] += 1;
    }
    const double spread = standard_deviation(counts);
    const Dispersion& found = window == 1    ? statistics.dispersion_1s
                              : window == 10 ? statistics.dispersion_10s
                                             : statistics.dispersion_60s;
    CHECK(found.index() == doctest::Approx(spread * spread / mean(counts)).epsilon(1e-9));
  }
}

TEST_CASE("the curve of arrivals keeps all of them in at most 256 parts, however long it grows") {
  ArrivalCurve curve;
  std::int64_t added = 0;
  for (std::int64_t time = 0; time < std::int64_t{4} << 60; time = time * 2 + 12'345) {
    curve.add(time);
    ++added;
    std::int64_t kept = 0;
    for (const std::int64_t count : curve.counts()) kept += count;
    CHECK(kept == added);
    CHECK(curve.counts().size() <= ArrivalCurve::most);
    if (time > std::int64_t{1} << 60) break;
  }
}

TEST_CASE("a prefix is found as far as an earlier prompt begins alike, and no further") {
  const auto blocks = [](std::vector<std::int64_t> ids, std::int64_t tokens) {
    Request request = at(0, tokens);
    for (const std::int64_t id : ids) request.content.push_back({static_cast<std::uint64_t>(id), 0});
    request.hash_block_size = 256;
    state_content(request);
    return request;
  };
  WorkloadStatistics statistics = of({blocks({1, 2, 3}, 600), blocks({1, 2, 3}, 680), blocks({1, 2, 3, 4}, 780)});
  CHECK(statistics.prefix.found_tokens() == 600 + 680);
  CHECK(statistics.prefix.found_blocks() == 2 + 2);
  CHECK(statistics.prefix.sharing_requests() == 2);
  // The same block behind another is another.
  statistics = of({blocks({1, 2}, 512), blocks({3, 2}, 512), blocks({1, 4}, 512)});
  CHECK(statistics.prefix.found_tokens() == 256);
  // Another salt, another cache.
  Request salted = blocks({1, 2}, 512);
  salted.cache_salt = "a";
  statistics = of({blocks({1, 2}, 512), salted, salted});
  CHECK(statistics.prefix.found_tokens() == 512);
  // A group's prefix is no block of ids.
  Request grouped = at(0, 100);
  grouped.prefix_group = "g";
  grouped.prefix_tokens = 40;
  state_content(grouped);
  statistics = of({grouped, grouped});
  CHECK(statistics.prefix.found_tokens() == 40);
  CHECK(statistics.prefix.blocks() == 0);
}

TEST_CASE("a session's next turn finds the prompt and the answer before it, and is no arrival of its own") {
  Request first = at(1'000, 100, 20);
  first.session = "s";
  first.turn = 1;
  Request second = at(0, 150, 30);
  second.index = 1;
  second.session = "s";
  second.turn = 2;
  second.think_time = std::chrono::seconds(4);
  continue_session(first, second);
  const WorkloadStatistics statistics = of({first, second});
  CHECK(statistics.prefix.found_tokens() == 120);
  CHECK(statistics.arrivals() == 1);
  CHECK(statistics.requests() == 2);
  CHECK(statistics.sessions.at("s") == 2);
  CHECK(statistics.think_time_mean() == 4);
}

}  // namespace decodesim::tests
