#include <doctest/doctest.h>

#include <algorithm>

#include "sim/core/random.hpp"
#include "tests/support/damage.hpp"
#include "tests/support/read_text.hpp"

namespace decodesim::tests {

namespace {

struct Sample {
  TraceFormat format;
  std::string text;
};

const Sample samples[] = {
    {TraceFormat::aibrix,
     "{\"timestamp\": 0, \"requests\": [{\"Prompt Length\": 40, \"Output Length\": 7, \"prompt\": \"a\\\"b\"}]}\n"
     "{\"timestamp\": 2, \"requests\": [{\"prompt_length\": 5, \"output_length\": 6, \"session_id\": 1}]}\n"},
    {TraceFormat::aiperf,
     "{\"session_id\": \"a\", \"timestamp\": 5, \"input_length\": 600, \"output_length\": 40, \"hash_ids\": [1, 2]}\n"
     "{\"session_id\": \"a\", \"delay\": 3, \"input_length\": 1, \"output_length\": 1}\n"},
    {TraceFormat::blis,
     "input_tokens,output_tokens,arrival_time_us,session_id,round_index,prefix_group,prefix_length,deadline_us,status\n"
     "50,5,10,s,0,docs,100,90,ok\n70,5,20,s,1,docs,100,0,error\n"},
    {TraceFormat::vllm_bench,
     "{\"input_lens\": [8, 9],\n\"output_lens\": [1, 0], \"start_times\": [7.5, 8e0],\n\"errors\": [\"\", null]}\n"},
    {TraceFormat::servegen, "0,0.05,1,Gamma,1,99\n600,0,0,,0,0\n1200,0.0125,1,Weibull,1,1e-9\n"},
};

}  // namespace

TEST_CASE("whatever bytes a trace of any format holds, it is read whole or refused with a place inside it") {
  const TemporaryFile lengths("d.json", "{\"0\": {\"input_tokens\": \"{5: 1}\", \"output_tokens\": \"{6: 1}\"}}");
  const std::string letters = ",\n \"0123456789.:-{}[]e\\nul";
  for (const Sample& sample : samples) {
    std::int64_t refused = 0;
    std::int64_t read = 0;
    TraceSpec spec;
    spec.format = sample.format;
    spec.second_file = lengths.path();
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Stream chance(seed, "mutations");
      const std::string text = mutated(sample.text, letters, chance);
      CAPTURE(text);
      const ReadText out = read_text(text, spec);
      read += out.requests.empty() ? 0 : 1;
      for (const TraceMistake& mistake : out.mistakes) {
        ++refused;
        REQUIRE(mistake.line >= 0);
        REQUIRE(mistake.column >= 1);
        REQUIRE(mistake.column <= static_cast<std::int64_t>(mistake.text.size()) + 1);
      }
      REQUIRE(std::all_of(out.requests.begin(), out.requests.end(), [](const Request& request) {
        return request.input_tokens >= 1 && request.output_tokens >= 1 && request.max_tokens >= request.output_tokens;
      }));
    }
    CHECK(refused > 100);
    CHECK(read > 10);
  }
}

TEST_CASE("whatever bytes a dataset of ServeGen holds, it is read whole or refused with a place inside it") {
  const std::string good =
      "{\"0\": {\"input_tokens\": \"{5: 0.5, 6: 0.5}\",\n\"output_tokens\": \"{6: 1}\", \"reason_ratio\": \"{0.5: "
      "1}\"}}";
  const std::string letters = ",\n \"0123456789.:-{}[]e\\";
  std::int64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Stream chance(seed, "mutations");
    std::string text = good;
    const auto place = static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(text.size()) - 1));
    text[place] = letters[static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(letters.size()) - 1))];
    CAPTURE(text);
    const TemporaryFile lengths("d.json", text);
    TraceSpec spec;
    spec.format = TraceFormat::servegen;
    spec.second_file = lengths.path();
    spec.zero_input = spec.zero_output.emplace(RowPolicy::clip);
    for (const TraceMistake& mistake : read_text("0,0.01,1,Gamma,1,1\n", spec).mistakes) {
      ++refused;
      REQUIRE(mistake.column >= 1);
      REQUIRE(mistake.column <= static_cast<std::int64_t>(mistake.text.size()) + 1);
    }
  }
  CHECK(refused > 200);
}

}  // namespace decodesim::tests
