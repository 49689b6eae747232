// What becomes of rows that break a rule, and of those that were not asked for.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/workload/traces/reader.hpp"
#include "tests/support/read_text.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/workload/sample_traces.hpp"

namespace decodesim::tests {

namespace {

const std::string own = "arrival_s,input_tokens,output_tokens\n";

/// Reads with the most tokens that the server takes.
ReadText read_for(const std::string& text, const TraceSpec& spec, std::optional<std::int64_t> longest,
                  std::uint64_t seed = 0) {
  ReadText outcome = read_text(text, spec, seed, longest);
  if (outcome.mistakes.empty()) {
    CHECK(outcome.account.rows == outcome.account.kept + outcome.account.dropped);
    CHECK(outcome.account.kept == static_cast<std::int64_t>(outcome.requests.size()));
  }
  return outcome;
}
ReadText read(const std::string& text, const TraceSpec& spec) { return read_for(text, spec, std::nullopt); }

/// "reason: action rows; ..." in the order of the account.
std::string exceptions(const ReadText& outcome) {
  std::string text;
  for (const TraceException& one : outcome.account.exceptions)
    text += (text.empty() ? "" : "; ") + one.reason + ": " + one.action + ' ' + std::to_string(one.rows);
  return text;
}

/// Arrivals in milliseconds.
std::vector<std::int64_t> arrivals(const ReadText& outcome) {
  std::vector<std::int64_t> times;
  for (const Request& request : outcome.requests)
    times.push_back(request.arrival.time_since_epoch().count() / 1'000'000);
  return times;
}
using Times = std::vector<std::int64_t>;

std::string says(const ReadText& outcome) { return outcome.mistakes.empty() ? "" : outcome.mistakes[0].message; }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("rows without tokens refuse the file, are made 1 token long, or are left out, and are counted by kind") {
  const std::string text = own + "0,0,5\n1,5,0\n2,0,0\n3,7,8\n";
  TraceSpec spec;
  CHECK(read(text, spec).mistakes.size() == 4);
  spec.zero_input = RowPolicy::drop;
  CHECK(read(text, spec).mistakes.size() == 2);
  spec.zero_output = RowPolicy::drop;
  ReadText outcome = read(text, spec);
  CHECK(exceptions(outcome) == "no input tokens: dropped 2; no output tokens: dropped 1");
  CHECK(outcome.account.rows == 4);
  REQUIRE(outcome.requests.size() == 1);
  CHECK(outcome.requests[0].index == 0);
  CHECK(outcome.requests[0].arrival == Time(Duration(3'000'000'000)));
  spec.zero_input = RowPolicy::clip;
  spec.zero_output = RowPolicy::clip;
  outcome = read(text, spec);
  CHECK(exceptions(outcome) == "no input tokens: clipped 2; no output tokens: clipped 2");
  REQUIRE(outcome.requests.size() == 4);
  CHECK(outcome.requests[2].input_tokens == 1);
  CHECK(outcome.requests[2].output_tokens == 1);
  CHECK(outcome.requests[2].max_tokens == 1);
}

TEST_CASE("failed calls of BurstGPT are left out unless it is said otherwise") {
  const std::string text =
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,m,4,2,6,c\n6,m,4,0,4,c\n8,m,4,3,7,c\n";
  TraceSpec spec;
  spec.format = TraceFormat::burstgpt;
  CHECK(exceptions(read(text, spec)) == "no output tokens: dropped 1");
  CHECK(arrivals(read(text, spec)) == Times{0, 3000});
  spec.zero_output = RowPolicy::reject;
  CHECK(read(text, spec).mistakes.size() == 1);
  spec.zero_output = RowPolicy::clip;
  CHECK(arrivals(read(text, spec)) == Times{0, 1000, 3000});
}

TEST_CASE(
    "a row that is longer than the context is kept, refused, left out, or cut: its answer first, then its prompt") {
  const std::string text = own + "0,60,40\n1,60,41\n2,10,500\n3,150,500\n4,100,1\n5,99,1\n";
  TraceSpec spec;
  ReadText outcome = read_for(text, spec, 100);
  CHECK(exceptions(outcome) == "longer than the context of the server: kept 4");
  CHECK(outcome.requests[3].input_tokens == 150);
  spec.over_context = RowPolicy::reject;
  outcome = read_for(text, spec, 100);
  REQUIRE(outcome.mistakes.size() == 4);
  CHECK(outcome.mistakes[0].line == 3);
  CHECK(outcome.mistakes[0].column == 3);
  CHECK(has(says(outcome), "have 101 tokens, and the server takes 100"));
  spec.over_context = RowPolicy::drop;
  outcome = read_for(text, spec, 100);
  CHECK(exceptions(outcome) == "longer than the context of the server: dropped 4");
  CHECK(arrivals(outcome) == Times{0, 5000});
  spec.over_context = RowPolicy::clip;
  outcome = read_for(text, spec, 100);
  CHECK(exceptions(outcome) == "longer than the context of the server: clipped 4");
  const std::vector<std::pair<std::int64_t, std::int64_t>> wanted{{60, 40}, {60, 40}, {10, 90},
                                                                  {99, 1},  {99, 1},  {99, 1}};
  REQUIRE(outcome.requests.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(outcome.requests[i].input_tokens == wanted[i].first);
    CHECK(outcome.requests[i].output_tokens == wanted[i].second);
    CHECK(outcome.requests[i].max_tokens == wanted[i].second);
  }
  CHECK(exceptions(read(text, spec)).empty());
}

TEST_CASE("an answer that alone is longer than the context leaves a token of prompt and answer at least") {
  TraceSpec spec;
  spec.over_context = RowPolicy::clip;
  for (std::int64_t longest = 2; longest < 20; ++longest) {
    for (const char* row : {"0,1,500\n", "0,7,9\n", "0,500,1\n", "0,500,500\n"}) {
      const ReadText outcome = read_for(own + row, spec, longest);
      REQUIRE(outcome.requests.size() == 1);
      const Request& request = outcome.requests[0];
      CHECK(request.input_tokens >= 1);
      CHECK(request.output_tokens >= 1);
      CHECK(request.input_tokens + request.output_tokens <= longest);
      CHECK(request.input_tokens + request.max_tokens <= longest);
    }
  }
}

TEST_CASE("a prompt that is cut keeps no ids, prefix or loaded tokens beyond its end") {
  TraceSpec spec;
  spec.over_context = RowPolicy::clip;
  const ReadText outcome = read_for(
      "arrival_s,input_tokens,output_tokens,hash_ids,hash_block_size,prefix_group,prefix_tokens,remote_tokens\n"
      "0,50,5,1 2 3 4 5,10,,,40\n1,50,5,,,g,30,\n",
      spec, 25);
  REQUIRE(outcome.requests.size() == 2);
  CHECK(outcome.requests[0].content == std::vector<TokenRun>{{1, 10}, {2, 10}, {3, 4}});
  CHECK(outcome.requests[0].remote_tokens == 24);
  CHECK(outcome.requests[1].prefix_tokens == 24);
  CHECK(outcome.requests[1].content.at(0).tokens == 24);
}

TEST_CASE("rows whose ids are not as many as their blocks refuse the file, are left out, or lose what is too much") {
  const std::string text =
      "{\"timestamp\": 0, \"input_length\": 20, \"output_length\": 5, \"hash_ids\": [1, 2, 3]}\n"
      "{\"timestamp\": 5, \"input_length\": 1500, \"output_length\": 5, \"hash_ids\": [1]}\n"
      "{\"timestamp\": 9, \"input_length\": 20, \"output_length\": 5, \"hash_ids\": [1]}\n";
  TraceSpec spec;
  CHECK(read(text, spec).mistakes.size() == 2);
  spec.wrong_id_count = RowPolicy::drop;
  ReadText outcome = read(text, spec);
  CHECK(exceptions(outcome) == "another number of hash ids than blocks: dropped 2");
  CHECK(arrivals(outcome) == Times{9});
  spec.wrong_id_count = RowPolicy::clip;
  outcome = read(text, spec);
  CHECK(exceptions(outcome) == "another number of hash ids than blocks: clipped 2");
  REQUIRE(outcome.requests.size() == 3);
  CHECK(outcome.requests[0].content == std::vector<TokenRun>{{1, 20}});
  CHECK(outcome.requests[1].content == std::vector<TokenRun>{{1, 512}});
  spec.wrong_id_count = RowPolicy::reject;
  spec.block_size = 7;
  CHECK(read(text, spec).mistakes.size() == 2);  // the first fits then, and the others do not
}

TEST_CASE("a row that is earlier than the one before refuses the file, is left out, sorted, or begins a recording") {
  const std::string text = own + "5,1,1\n7,2,1\n6,3,1\n6.5,4,1\n8,5,1\n1,6,1\n";
  TraceSpec spec;
  ReadText outcome = read(text, spec);
  REQUIRE(outcome.mistakes.size() == 3);
  CHECK(outcome.mistakes[2].line == 7);
  spec.backward_time = BackwardPolicy::drop;
  outcome = read(text, spec);
  CHECK(exceptions(outcome) == "earlier than the row before: dropped 3");
  CHECK(arrivals(outcome) == Times{5000, 7000, 8000});
  spec.backward_time = BackwardPolicy::sort;
  outcome = read(text, spec);
  CHECK(exceptions(outcome) == "earlier than the row before: sorted 2");
  CHECK(arrivals(outcome) == Times{1000, 5000, 6000, 6500, 7000, 8000});
  CHECK(outcome.requests[0].input_tokens == 6);
  CHECK(outcome.requests[0].index == 0);
  spec.backward_time = BackwardPolicy::segment;
  outcome = read(text, spec);
  CHECK(exceptions(outcome) == "earlier than the row before: a new segment 2");
  CHECK(arrivals(outcome) == Times{5000, 7000, 7000, 7500, 9000, 9000});
}

TEST_CASE("sorted rows of a clock that does not begin at zero count from the earliest") {
  TraceSpec spec;
  spec.format = TraceFormat::burstgpt;
  spec.backward_time = BackwardPolicy::sort;
  const std::string head = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";
  CHECK(arrivals(read(head + "9,m,4,2,6,c\n7,m,4,2,6,c\n8,m,4,3,7,c\n", spec)) == Times{0, 1000, 2000});
}

TEST_CASE("a window leaves out what comes before and after it, and a limit what comes beyond") {
  std::string text = own;
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + ",1,1\n";
  TraceSpec spec;
  spec.start = Duration(5'000'000'000);
  spec.duration = Duration(10'000'000'000);
  spec.max_requests = 3;
  const ReadText outcome = read(text, spec);
  CHECK(
      exceptions(outcome) ==
      "before the start of the window: dropped 5; beyond max_requests: dropped 7; after the end of the window: dropped "
      "5");
  CHECK(arrivals(outcome) == Times{0, 1000, 2000});
  CHECK(outcome.account.rows == 20);
  // A mistake behind the window is still one.
  CHECK(read(text + "20,x,1\n", spec).mistakes.size() == 1);
}

TEST_CASE("a row outside of the window is left out for that alone, whatever a policy says of such rows") {
  TraceSpec spec;
  spec.start = Duration(1'000'000'000);
  spec.duration = Duration(2'000'000'000);
  spec.over_context = RowPolicy::reject;
  const std::string odd = own + "0,0,5\n1,5,5\n2,6,6\n3,90,90\n4,5,0\n";
  for (const RowPolicy zero : {RowPolicy::reject, RowPolicy::drop, RowPolicy::clip}) {
    spec.zero_input = spec.zero_output.emplace(zero);
    for (const SpreadPolicy spread : {SpreadPolicy::none, SpreadPolicy::uniform}) {
      spec.spread = spread;
      const ReadText outcome = read_for(odd, spec, 100);
      CHECK(exceptions(outcome) == "before the start of the window: dropped 1; after the end of the window: dropped 2");
      CHECK(outcome.requests.size() == 2);
    }
  }
  // Behind the requests that are wanted, too; a row that a policy leaves out is none of them.
  spec = {};
  spec.max_requests = 2;
  spec.zero_output = RowPolicy::drop;
  CHECK(exceptions(read(own + "0,1,1\n1,1,0\n2,1,1\n3,1,0\n4,0,1\n", spec)) ==
        "no output tokens: dropped 1; beyond max_requests: dropped 2");
  // Hash ids are tokens' too.
  spec.zero_output.reset();
  spec.max_requests = 1;
  const std::string row = "{\"timestamp\": 0, \"input_length\": 20, \"output_length\": 5, \"hash_ids\": [1";
  CHECK(read(row + "]}\n" + row + ", 2]}\n", spec).requests.size() == 1);
}

TEST_CASE("what is told of rows is counted of those that are kept") {
  TraceSpec spec;
  spec.max_requests = 2;
  spec.backward_time = BackwardPolicy::segment;
  CHECK(exceptions(read(own + "5,1,1\n1,1,1\n0,1,1\n", spec)) ==
        "earlier than the row before: a new segment 1; beyond max_requests: dropped 1");
  spec.backward_time = BackwardPolicy::sort;
  CHECK(exceptions(read(own + "5,1,1\n4,1,1\n3,1,1\n", spec)) ==
        "earlier than the row before: sorted 2; beyond max_requests: dropped 1");
  spec = {};
  spec.format = TraceFormat::aiperf;
  spec.max_requests = 1;
  const std::string row = "{\"input_length\": 2, \"output_length\": 5}\n";
  CHECK(exceptions(read(row + row + row, spec)) == "no timestamp: all at once 1; beyond max_requests: dropped 2");
}

TEST_CASE("a policy that refuses a row shows it at its own line, also where rows were sorted or spread before") {
  TraceSpec spec;
  spec.over_context = RowPolicy::reject;
  spec.zero_output = RowPolicy::reject;
  const std::string text = own + "1,7,0\n1,80,80\n0,9,9\n0,0,9\n2,1,1\n2,1,1\n";
  for (const SpreadPolicy spread : {SpreadPolicy::none, SpreadPolicy::uniform}) {
    spec.spread = spread;
    spec.backward_time = BackwardPolicy::sort;
    const ReadText outcome = read_for(text, spec, 100);
    REQUIRE(outcome.mistakes.size() == 3);
    CHECK(outcome.refused(2, 5, "output_tokens is '0'"));
    CHECK(outcome.refused(3, 3, "have 160 tokens"));
    CHECK(outcome.refused(5, 3, "input_tokens is '0'"));
    CHECK(outcome.mistakes[1].text == "1,80,80");
  }
}

TEST_CASE("a prompt that grows too long by what stands before it is refused at its row, unless a policy cuts it") {
  const std::string turn = "{\"input_length\": 600000000, \"output_length\": 5, \"session_id\": \"a\"}\n";
  TraceSpec spec;
  spec.format = TraceFormat::aiperf;
  ReadText outcome = read(turn + turn, spec);
  REQUIRE(outcome.mistakes.size() == 1);
  CHECK(outcome.refused(2, 18, "the prompt has 1200000005 tokens with what stands before it"));
  spec.over_context = RowPolicy::drop;
  CHECK(read_for(turn + turn, spec, 700'000'000).requests.size() == 1);
  spec.max_requests = 1;
  CHECK(read(turn + turn, spec).requests.size() == 1);
  spec = {};
  spec.format = TraceFormat::aibrix;
  const std::string tick =
      "{\"timestamp\": 0, \"requests\": [{\"prompt_length\": 900000000, \"output_length\": 1, \"session_id\": "
      "\"b\"}]}\n";
  CHECK(read(tick + tick, spec).refused(2, 49, "the prompt has 1800000001 tokens"));
  spec.format = TraceFormat::blis;
  CHECK(read("input_tokens,output_tokens,arrival_time_us,prefix_group,prefix_length\n600000000,3,1,g,600000000\n", spec)
            .refused(2, 1, "the prompt has 1200000000 tokens"));
}

TEST_CASE("a turn without a time is left out where the turns before it were") {
  TraceSpec spec;
  spec.start = Duration(2'000'000'000);
  const ReadText outcome =
      read("arrival_s,input_tokens,output_tokens,session\n1,1,1,a\n3,1,1,b\n,2,2,a\n,2,2,b\n4,1,1,a\n,3,3,a\n", spec);
  CHECK(exceptions(outcome) ==
        "before the start of the window: dropped 1; the turns before it were left out, and it has no time of its own: "
        "dropped 1");
  REQUIRE(outcome.requests.size() == 4);
  CHECK(outcome.requests[1].session == "b");
  CHECK(outcome.requests[1].turn == 2);
  CHECK(outcome.requests[2].session == "a");
  CHECK(outcome.requests[2].turn == 1);
  CHECK(outcome.requests[3].turn == 2);
}

TEST_CASE("gaps and think times are multiplied by time_scale and divided by rate_scale, and limits stay") {
  const std::string text =
      "arrival_s,input_tokens,output_tokens,session,think_time_s,deadline_s,timeout_s\n1,1,1,a,,2,3\n4,1,1,a,6,2,3\n";
  TraceSpec spec;
  spec.time_scale = 3;
  spec.rate_scale = 2;
  const ReadText outcome = read(text, spec);
  CHECK(outcome.account.time_scale == 1.5);
  CHECK(arrivals(outcome) == Times{1500, 6000});
  CHECK(outcome.requests[1].think_time == Duration(9'000'000'000));
  CHECK(outcome.requests[1].deadline == Duration(2'000'000'000));
  CHECK(outcome.requests[1].timeout == Duration(3'000'000'000));
  // The window is that of the file's own clock.
  spec.start = Duration(2'000'000'000);
  CHECK(arrivals(read(text, spec)) == Times{3000});
  spec.start = {};
  spec.time_scale = 1e9;
  spec.rate_scale = 1e-9;
  CHECK(has(says(read(text, spec)), "more than fifty years after the start"));
}

TEST_CASE("rows of one time are spread up to the next time that is recorded, in their order, as the seed says") {
  std::string text = own;
  for (int i = 0; i < 300; ++i) text += std::to_string(i / 10 * 3) + ',' + std::to_string(i + 1) + ",1\n";
  TraceSpec spec;
  const ReadText before = read(text, spec);
  spec.spread = SpreadPolicy::uniform;
  const ReadText one = read_for(text, spec, std::nullopt, 1);
  CHECK(read_for(text, spec, std::nullopt, 1).requests == one.requests);
  CHECK(read_for(text, spec, std::nullopt, 2).requests != one.requests);
  CHECK(one.account.spread == "uniform");
  CHECK(before.account.spread == "none");
  REQUIRE(one.requests.size() == before.requests.size());
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < one.requests.size(); ++i) {
    Request request = one.requests[i];
    const Duration shift = request.arrival - before.requests[i].arrival;
    CHECK(shift >= Duration{});
    CHECK(shift < Duration(3'000'000'000));  // the last tick is as long as the one before
    moved += shift > Duration{} ? 1 : 0;
    CHECK((i == 0 || request.arrival >= one.requests[i - 1].arrival));
    request.arrival = before.requests[i].arrival;
    CHECK(request == before.requests[i]);
  }
  CHECK(moved > 290);
  CHECK(exceptions(one).empty());
}

TEST_CASE("spread over its ticks, the Mooncake conversation trace is as bursty as chance alone") {
  const auto path = shared_file("data/traces/mooncake_conversation_trace.jsonl");
  if (!path) return;
  const auto cv = [&](SpreadPolicy spread) {
    TraceSpec spec;
    spec.spread = spread;
    TraceReader reader(TraceBytes(path->string()), spec, std::nullopt, 7);
    double sum = 0, squares = 0, gaps = 0;
    std::optional<Time> last;
    while (const Request* request = reader.next()) {
      if (last) {
        const auto gap = static_cast<double>((request->arrival - *last).count());
        sum += gap, squares += gap * gap, gaps += 1;
      }
      last = request->arrival;
    }
    CHECK(gaps == 12030);
    return std::sqrt(squares / gaps - sum / gaps * (sum / gaps)) / (sum / gaps);
  };
  CHECK(cv(SpreadPolicy::none) == doctest::Approx(3.034).epsilon(0.0005));
  // Five standard errors of the CV of as many exponential gaps, and the rate's own changes from tick to tick.
  CHECK(cv(SpreadPolicy::uniform) == doctest::Approx(1).epsilon(0.06));
}

}  // namespace decodesim::tests
