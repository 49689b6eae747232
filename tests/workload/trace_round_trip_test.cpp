// Traces that are written and read back.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/traces/reader.hpp"
#include "sim/workload/traces/trace.hpp"
#include "sim/workload/traces/writer.hpp"

namespace decodesim::tests {

namespace {

/// Requests with all that a row can say, each field used by about half of the traces.
class AnyRequests {
 public:
  explicit AnyRequests(std::uint64_t seed, bool closed_loop) : chance_(seed, "requests"), closed_loop_(closed_loop) {
    uses_ = static_cast<std::uint64_t>(chance_.integer(0, (1 << 17) - 1));
    for (std::int64_t count = chance_.integer(1, 40); count > 0; --count) add();
  }
  [[nodiscard]] const std::vector<Request>& written() const { return written_; }
  /// What is read back: turns that go on from the turn before them say nothing of it.
  [[nodiscard]] const std::vector<Request>& read() const { return read_; }

 private:
  bool uses(int feature) const { return (uses_ >> feature & 1) != 0; }
  bool draw(int feature) { return uses(feature) && chance_.integer(0, 2) > 0; }
  std::string any_name() {
    static const std::vector<std::string> names{"a",    "chat 7",   "a,b",  "\"quoted\"", " blank ", "#", "x: y",
                                                "\"\"", "\xC3\xA9", "true", "1,2\"3,",    "-",       "'", "null"};
    return names[static_cast<std::size_t>(chance_.integer(0, static_cast<std::int64_t>(names.size()) - 1))];
  }
  Duration any_span() {
    std::int64_t span = chance_.integer(0, 9);
    for (std::int64_t k = chance_.integer(0, 16); k > 0; --k) span = span * 10 + chance_.integer(0, 9);
    return Duration(span);
  }

  void add_blocks(Request& request) {
    const std::int64_t size = chance_.integer(1, 600);
    const std::int64_t most = (request.input_tokens + size - 1) / size;
    std::int64_t left = request.input_tokens;
    for (std::int64_t i = chance_.integer(1, std::min<std::int64_t>(most, 20)); i > 0; --i) {
      const std::int64_t id = chance_.integer(0, (std::int64_t{1} << static_cast<int>(chance_.integer(1, 62))) - 1);
      request.content.push_back({static_cast<std::uint64_t>(id), std::min(size, left)});
      left -= request.content.back().tokens;
    }
  }

  void add() {
    Request request;
    request.index = static_cast<std::int64_t>(written_.size());
    if (!closed_loop_) request.arrival = now_ += any_span() / 1000;
    request.input_tokens = chance_.integer(1, uses(0) ? 1'000'000'000 : 9000);
    request.output_tokens = chance_.integer(1, 900);
    request.max_tokens = request.output_tokens + (draw(1) ? chance_.integer(0, 2) : 0);
    if (draw(2)) request.id = any_name();
    if (draw(3)) request.tenant = any_name();
    if (draw(4)) request.slo_class = any_name();
    if (draw(5)) request.cache_salt = any_name();
    if (draw(6)) request.priority = chance_.integer(-3, 3);
    if (draw(7)) request.deadline = any_span();
    if (draw(8)) request.timeout = any_span();
    if (draw(9)) request.cancel_after = any_span();
    if (draw(10)) request.think_time = any_span();
    request.ignore_eos = draw(11);
    request.no_prefix_read = draw(12);
    if (draw(13)) {
      request.remote_tokens = chance_.integer(1, request.input_tokens);
      request.load_time = any_span();
    }
    if (draw(14)) request.session = "s" + std::to_string(chance_.integer(0, 3));
    const bool group = draw(15);
    if (group) {
      request.prefix_group = any_name();
      request.prefix_tokens = chance_.integer(1, request.input_tokens);
      request.content = {prefix_of_group(request.prefix_group, request.prefix_tokens)};
    } else if (draw(16)) {
      add_blocks(request);
    }
    Request seen = request;
    if (!request.session.empty()) {
      const auto before = turns_.find(request.session);
      request.turn = seen.turn = before == turns_.end() ? 1 : before->second.turn + 1;
      if (before != turns_.end() && chance_.integer(0, 1) == 1) request.arrival = seen.arrival = Time{};
      if (before != turns_.end() && request.content.empty() && chance_.integer(0, 1) == 1)
        continue_session(before->second, request);
      // Where it begins with hash ids alone, these say it as well.
      const bool by_ids = std::all_of(request.content.begin(), request.content.end(),
                                      [](const TokenRun& run) { return run.key < std::uint64_t{1} << 62; });
      if (by_ids) seen.content = request.content;
      turns_[request.session] = request;
    }
    written_.push_back(request);
    read_.push_back(seen);
  }

  Stream chance_;
  bool closed_loop_;
  std::uint64_t uses_ = 0;
  Time now_{};
  std::map<std::string, Request> turns_;
  std::vector<Request> written_;
  std::vector<Request> read_;
};

std::string text_of(const std::vector<Request>& requests, TraceForm form, const TraceHead& head, bool all_columns) {
  TraceColumns columns = TraceColumns::all();
  if (!all_columns) {
    columns = {};
    for (const Request& request : requests) columns.note(request);
  }
  std::ostringstream out;
  {
    TraceWriter writer(out, form, head, columns);
    for (const Request& request : requests) writer.write(request);
  }
  return out.str();
}

std::string refusal(const std::vector<Request>& requests, TraceForm form = TraceForm::yaml,
                    const TraceHead& head = {}) {
  try {
    text_of(requests, form, head, false);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Request plain_request() {
  Request request;
  request.input_tokens = 100;
  request.output_tokens = request.max_tokens = 5;
  return request;
}

}  // namespace

TEST_CASE("whatever a request says, it reads back from either form as it was written, with few columns or all") {
  std::int64_t continued = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const AnyRequests any(seed, false);
    for (const TraceForm form : {TraceForm::yaml, TraceForm::csv}) {
      const std::string text = text_of(any.written(), form, {}, seed % 3 == 0);
      CAPTURE(text);
      REQUIRE(parse_trace(text, "t") == any.read());
    }
    continued += any.written() == any.read() ? 0 : 1;
  }
  CHECK(continued > 50);
}

TEST_CASE("a closed loop reads back with its places, its end and its requests") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const AnyRequests any(seed, true);
    const TraceHead head{
        .name = "closed", .max_concurrency = 1 + static_cast<std::int64_t>(seed), .closes = Time(Duration(1 + seed))};
    const std::string text = text_of(any.written(), TraceForm::yaml, head, false);
    CAPTURE(text);
    TraceReader reader(TraceBytes(text, "t"), {});
    CHECK(reader.concurrency() == head.max_concurrency);
    CHECK(reader.closes() == head.closes);
    std::vector<Request> requests;
    while (const Request* request = reader.next()) requests.push_back(*request);
    REQUIRE(requests == any.read());
  }
}

TEST_CASE("rows alone cannot say that a loop is closed or when nobody asks any more") {
  CHECK(has(refusal({plain_request()}, TraceForm::csv, {.max_concurrency = 2}), "write a YAML trace"));
  CHECK(has(refusal({plain_request()}, TraceForm::csv, {.closes = Time(Duration(5))}), "write a YAML trace"));
  CHECK(refusal({plain_request()}, TraceForm::csv, {.name = "any"}).empty());
}

TEST_CASE("a request that a row cannot say is not written") {
  const auto with = [](auto change) {
    Request request = plain_request();
    change(request);
    return refusal({request});
  };
  CHECK(refusal({plain_request()}).empty());
  CHECK(has(with([](Request& r) { r.output_tokens = 0; }), "1 to 1000000000 tokens"));
  CHECK(has(with([](Request& r) { r.max_tokens = 4; }), "asks for no fewer"));
  CHECK(has(with([](Request& r) { r.timeout = Duration(-1); }), "neither negative"));
  CHECK(has(with([](Request& r) { r.load_time = Duration(1); }), "remote tokens"));
  CHECK(has(with([](Request& r) { r.remote_tokens = 101; }), "part of the prompt"));
  CHECK(has(with([](Request& r) { r.content = {{1, 40}, {2, 30}}; }), "blocks of one size"));
  CHECK(has(with([](Request& r) { r.content = {{1, 40}, {2, 50}}; }), "blocks of one size"));
  CHECK(has(with([](Request& r) { r.content = {{std::uint64_t{1} << 62, 40}}; }), "below 2^62"));
  CHECK(with([](Request& r) { r.content = {{1, 40}, {2, 40}, {3, 20}}; }).empty());
  CHECK(has(with([](Request& r) { r.prefix_tokens = 4; }), "prefix group's"));
  CHECK(has(with([](Request& r) { r.turn = 1; }), "turns of a session"));
  CHECK(has(with([](Request& r) { r.session = "\n"; }), "control character"));
  CHECK(has(with([](Request& r) { r.session = "s", r.turn = 2; }), "turns of a session"));
  CHECK(has(with([](Request& r) { r.session = "s", r.content = {{own_run_key(0), 5}}; }), "whole turn before it"));
  CHECK(has(with([](Request& r) { r.arrival = Time(Duration(-1)); }), "from time zero on"));
  Request late = plain_request();
  late.arrival = Time(Duration(9));
  CHECK(has(refusal({late, plain_request()}), "order of their arrival"));
  CHECK(has(refusal({late}, TraceForm::yaml, {.max_concurrency = 1}), "closed loop"));
  std::ostringstream out;
  TraceWriter writer(out, TraceForm::yaml, {}, {});
  late.id = "named";
  CHECK_THROWS_AS(writer.write(late), std::invalid_argument);
}

TEST_CASE("a later turn comes when it comes, in the midst of other rows, and turns are counted by session") {
  const std::string text =
      "arrival_s,input_tokens,output_tokens,session,think_time_s\n"
      "1,10,2,a,\n2,10,2,,\n,20,2,a,0.5\n2,10,2,b,\n,30,2,b,1\n3,30,2,a,\n";
  const std::vector<Request> requests = parse_trace(text, "t");
  REQUIRE(requests.size() == 6);
  CHECK(requests[0].turn == 1);
  CHECK(requests[1].turn == 0);
  CHECK(requests[2].turn == 2);
  CHECK(requests[2].arrival == Time{});
  CHECK(requests[2].think_time == Duration(500'000'000));
  CHECK(requests[3].turn == 1);
  CHECK(requests[4].turn == 2);
  CHECK(requests[5].turn == 3);
  CHECK(requests[5].arrival == Time(Duration(3'000'000'000)));
  try {
    parse_trace("arrival_s,input_tokens,output_tokens,session\n1,10,2,a\n,10,2,b\n", "t");
    FAIL("was read");
  } catch (const TraceError& error) {
    REQUIRE(error.mistakes().size() == 1);
    CHECK(error.mistakes()[0].line == 3);
    CHECK(error.mistakes()[0].column == 1);
    CHECK(has(error.mistakes()[0].message, "the first turn of its session"));
  }
}

TEST_CASE("a closed loop has no column of arrivals, and none of the policies of time") {
  const std::string head = "version: 1\nformat: decodesim-trace\nmax_concurrency: 2\nrows: |\n";
  const std::string rows = "  input_tokens,output_tokens\n  5,6\n";
  CHECK(parse_trace(head + rows, "t").size() == 1);
  const auto mistake = [](const std::string& text, const TraceSpec& spec) -> std::string {
    try {
      parse_trace(text, "t", spec);
    } catch (const TraceError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(has(mistake(head + "  input_tokens,arrival_s,output_tokens\n  5,0,6\n", {}), "t:5:16: in a closed loop"));
  TraceSpec spec;
  spec.start = Duration(1);
  spec.duration = Duration(1);
  spec.spread = SpreadPolicy::uniform;
  spec.backward_time = BackwardPolicy::sort;
  for (const char* name : {"start", "duration", "spread", "backward_time"})
    CHECK(has(mistake(head + rows, spec), std::string("take out workload.trace.") + name));
}

}  // namespace decodesim::tests
