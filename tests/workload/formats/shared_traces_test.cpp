// The public traces beside the repository, held to what was counted of them with other tools.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/support/read_text.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

struct Counted {
  std::int64_t rows;
  std::int64_t input_tokens;
  std::int64_t output_tokens;
  std::int64_t first;  // ns
  std::int64_t last;   // ns
  std::int64_t distinct_arrivals;
};

/// Nothing where the file is not there.
std::vector<Request> read_shared(const std::string& name, TraceFormat format = TraceFormat::told) {
  const auto path = shared_file("data/traces/" + name);
  if (!path) return {};
  TraceSpec spec;
  spec.format = format;
  return read_trace(path->string(), spec);
}

void check_counts(const std::vector<Request>& requests, const Counted& counted) {
  if (requests.empty()) return;
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::set<Time> arrivals;
  for (const Request& request : requests) {
    input += request.input_tokens;
    output += request.output_tokens;
    arrivals.insert(request.arrival);
  }
  CHECK(static_cast<std::int64_t>(requests.size()) == counted.rows);
  CHECK(input == counted.input_tokens);
  CHECK(output == counted.output_tokens);
  CHECK(requests.front().arrival == Time(Duration(counted.first)));
  CHECK(requests.back().arrival == Time(Duration(counted.last)));
  CHECK(static_cast<std::int64_t>(arrivals.size()) == counted.distinct_arrivals);
}

std::int64_t blocks(const std::vector<Request>& requests) {
  std::int64_t sum = 0;
  for (const Request& request : requests) sum += static_cast<std::int64_t>(request.content.size());
  return sum;
}

}  // namespace

TEST_CASE("the Azure traces have the rows, tokens, spans and arrivals that were counted") {
  check_counts(read_shared("AzureLLMInferenceTrace_code.csv"),
               {8'819, 18'059'974, 245'896, 0, 3'435'948'056'000, 8'819});
  check_counts(read_shared("AzureLLMInferenceTrace_conv.csv"),
               {19'366, 22'361'870, 4'088'665, 0, 3'501'721'937'000, 19'366});
}

TEST_CASE("the Mooncake traces have the rows, tokens, spans, arrivals and blocks that were counted") {
  const std::vector<Request> conversation = read_shared("mooncake_conversation_trace.jsonl");
  check_counts(conversation, {12'031, 144'793'823, 4'122'048, 0, 3'536'999'000'000, 1'180});
  const std::vector<Request> excerpt = read_shared("mooncake_arxiv_trace_excerpt.jsonl");
  check_counts(excerpt, {25, 90'582, 6'245, 1'178'625'000'000, 1'190'840'000'000, 5});
  if (conversation.empty() || excerpt.empty()) return;
  CHECK(blocks(conversation) == 288'500);
  CHECK(blocks(excerpt) == 189);
  CHECK(std::count_if(conversation.begin(), conversation.end(),
                      [](const Request& request) { return request.input_tokens % 512 == 0; }) == 22);
  CHECK(conversation[0].input_tokens == 6'758);
}

TEST_CASE("vidur's conversation trace is Azure's, from time zero, to the digits that it prints") {
  const std::vector<Request> vidur = read_shared("vidur_splitwise_conv.csv", TraceFormat::vidur);
  const std::vector<Request> azure = read_shared("AzureLLMInferenceTrace_conv.csv");
  check_counts(vidur, {19'366, 22'361'870, 4'088'665, 0, 3'501'721'937'000, 19'366});
  if (vidur.empty() || azure.empty()) return;
  REQUIRE(vidur.size() == azure.size());
  CHECK(vidur == azure);
}

TEST_CASE("the code trace cut to fewer decimals would lose the arrivals that were counted as lost") {
  const std::vector<Request> code = read_shared("AzureLLMInferenceTrace_code.csv");
  if (code.empty()) return;
  // The first row stands at .979960 of its second, which cutting counts from.
  const auto kept = [&](std::int64_t unit) {
    std::set<std::int64_t> ticks;
    for (const Request& request : code) ticks.insert((request.arrival.time_since_epoch().count() + 979'960'000) / unit);
    return ticks.size();
  };
  CHECK(kept(1'000'000'000) == 914);
  CHECK(kept(100'000'000) == 4'694);
  CHECK(kept(10'000'000) == 6'129);
  CHECK(kept(1'000'000) == 7'807);
}

}  // namespace decodesim::tests
