// Traces of every format with random damage.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/damage.hpp"
#include "tests/support/read_text.hpp"
#include "tests/workload/sample_traces.hpp"

namespace decodesim::tests {

namespace {

constexpr std::int64_t rows = 12;
constexpr std::string_view letters = ",\n\r \t\"0123456789.:-+{}[]|#xeT\\\xC3\xA9";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Its rows again, one of them away, twice or in another's place, or the end cut off.
std::string reordered(const SampleTrace& sample, std::mt19937_64& random) {
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < rows; ++i) lines.push_back(sample.row(i));
  const auto any = [&] { return static_cast<std::ptrdiff_t>(random() % lines.size()); };
  const std::uint64_t kind = random() % 4;
  if (kind == 0) lines.erase(lines.begin() + any());
  if (kind == 1) lines.insert(lines.begin() + any(), lines[random() % lines.size()]);
  if (kind == 2) std::swap(lines[random() % lines.size()], lines[random() % lines.size()]);
  std::string text = sample.head;
  for (const std::string& line : lines) text += line + '\n';
  if (kind == 3) text.resize(text.size() - random() % (text.size() / 2));
  return text;
}

TraceSpec spec_of(const SampleTrace& sample) {
  TraceSpec spec = sample.spec;
  spec.format = sample.format;
  return spec;
}

void check_places(const ReadText& outcome, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::int64_t line = 0;
  for (const TraceMistake& mistake : outcome.mistakes) {
    REQUIRE(mistake.line >= line);
    REQUIRE(mistake.line <= static_cast<std::int64_t>(lines.size()));
    const std::size_t width = mistake.line > 0 ? lines[static_cast<std::size_t>(mistake.line - 1)].size() : 0;
    REQUIRE(mistake.column >= 1);
    REQUIRE(mistake.column <= static_cast<std::int64_t>(width) + 1);
    REQUIRE_FALSE(mistake.message.empty());
    line = mistake.line;
  }
}

void check_account(const ReadText& outcome) {
  REQUIRE(outcome.account.rows == outcome.account.kept + outcome.account.dropped);
  REQUIRE(outcome.account.kept == static_cast<std::int64_t>(outcome.requests.size()));
}

/// Where every row is kept and the head is what it was: lines that are what they were are the requests that they were.
std::int64_t check_untouched(const SampleTrace& sample, const ReadText& outcome, const std::string& text) {
  if (!text.starts_with(sample.head)) return 0;
  std::map<std::string, Request> known;
  const std::vector<Request> whole = read_text(sample.text(rows), spec_of(sample)).requests;
  REQUIRE(static_cast<std::int64_t>(whole.size()) == rows);
  for (std::int64_t i = 0; i < rows; ++i) known[sample.row(i)] = whole[static_cast<std::size_t>(i)];
  std::vector<std::string> lines;
  for (std::string& line : lines_of(text.substr(sample.head.size()))) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(sample.head.empty() ? " \t" : " ") != std::string::npos) lines.push_back(line);
  }
  REQUIRE(lines.size() == outcome.requests.size());
  const bool same_origin = !sample.from_first_row || lines[0] == sample.row(0);
  std::int64_t compared = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto was = known.find(lines[i]);
    if (was == known.end()) continue;
    Request wanted = was->second;
    wanted.index = static_cast<std::int64_t>(i);
    if (!same_origin) wanted.arrival = outcome.requests[i].arrival;
    REQUIRE(outcome.requests[i] == wanted);
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("every format's sample is read to its last row") {
  for (const SampleTrace& sample : sample_traces()) {
    CAPTURE(sample.head);
    const ReadText outcome = read_text(sample.text(rows), spec_of(sample));
    REQUIRE(outcome.mistakes.empty());
    CHECK(outcome.requests.size() == rows);
    check_account(outcome);
    CHECK(check_untouched(sample, outcome, sample.text(rows)) == rows);
  }
}

TEST_CASE("a damaged trace of any format is refused with a place inside it, or its other rows are what they were") {
  for (const SampleTrace& sample : sample_traces()) {
    std::mt19937_64 random(23);
    std::int64_t refused = 0;
    std::int64_t compared = 0;
    for (int i = 0; i < 1500; ++i) {
      const std::string text =
          random() % 3 == 0 ? reordered(sample, random) : damaged(sample.text(rows), letters, random);
      CAPTURE(text);
      const ReadText outcome = read_text(text, spec_of(sample));
      check_places(outcome, text);
      refused += outcome.mistakes.empty() ? 0 : 1;
      if (!outcome.mistakes.empty()) continue;
      check_account(outcome);
      compared += check_untouched(sample, outcome, text);
    }
    CAPTURE(sample.head);
    CHECK(refused > 300);
    CHECK(compared > 1000);
  }
}

TEST_CASE("with every policy at its mildest, a damaged trace is still refused in a place or accounted for row by row") {
  for (const SampleTrace& sample : sample_traces()) {
    TraceSpec spec = spec_of(sample);
    spec.zero_input = RowPolicy::drop;
    spec.zero_output = RowPolicy::clip;
    if (sample.head.empty()) spec.wrong_id_count = RowPolicy::clip;  // of JSON, which has ids
    std::mt19937_64 random(29);
    std::int64_t dropped = 0;
    std::int64_t read = 0;
    for (int i = 0; i < 1500; ++i) {
      const std::uint64_t choice = random();
      spec.backward_time = std::array{BackwardPolicy::drop, BackwardPolicy::sort, BackwardPolicy::segment}[choice % 3];
      spec.spread = choice % 5 == 0 ? SpreadPolicy::uniform : SpreadPolicy::none;
      const std::string text =
          random() % 3 == 0 ? reordered(sample, random) : damaged(sample.text(rows), letters, random);
      CAPTURE(text);
      const ReadText outcome = read_text(text, spec);
      if (spec.backward_time != BackwardPolicy::sort) check_places(outcome, text);
      if (!outcome.mistakes.empty()) continue;
      check_account(outcome);
      ++read;
      dropped += outcome.account.dropped;
      Time last{};
      for (const Request& request : outcome.requests) {
        REQUIRE(request.arrival >= last);
        REQUIRE(request.input_tokens >= 1);
        REQUIRE(request.output_tokens >= 1);
        REQUIRE(request.max_tokens >= request.output_tokens);
        last = request.arrival;
      }
    }
    CAPTURE(sample.head);
    CHECK(read > 200);
    CHECK(dropped > 10);
  }
}

TEST_CASE("a plain row is the request that it is when it is read field by field") {
  for (const SampleTrace& sample : sample_traces()) {
    if (sample.head.empty()) continue;
    std::mt19937_64 random(31);
    for (int i = 0; i < 1000; ++i) {
      const std::string text = sample.head + damaged(sample.text(rows).substr(sample.head.size()), letters, random);
      std::string blanks = sample.head;  // behind every row, which is then not plain
      for (const std::string& line : lines_of(text.substr(sample.head.size()))) blanks += line + " \n";
      CAPTURE(text);
      const ReadText plain = read_text(text, spec_of(sample));
      const ReadText slow = read_text(blanks, spec_of(sample));
      if (text.find('\r') != std::string::npos) continue;  // the blank would make it part of a field
      REQUIRE(plain.requests == slow.requests);
      REQUIRE(plain.mistakes.size() == slow.mistakes.size());
      for (std::size_t k = 0; k < plain.mistakes.size(); ++k) {
        REQUIRE(plain.mistakes[k].line == slow.mistakes[k].line);
        REQUIRE(plain.mistakes[k].message == slow.mistakes[k].message);
      }
    }
  }
}

}  // namespace decodesim::tests
