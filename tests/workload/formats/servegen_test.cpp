#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sim/workload/traces/formats/servegen_lengths.hpp"
#include "tests/support/read_text.hpp"

namespace decodesim::tests {

namespace {

const std::string lengths =
    "{\n  \"0\": {\"input_tokens\": \"{}\", \"output_tokens\": \"{}\"},\n"
    "  \"600\": {\"input_tokens\": \"{9: 0.25, 12: 0.75}\", \"output_tokens\": \"{3: 1.0}\"},\n"
    "  \"1200\": {\"input_tokens\": \"{500: 1}\", \"output_tokens\": \"{7: 5e-1, 8: 0.5,}\"}\n}\n";

ReadText drawn(const std::string& chunk, const std::string& dataset, std::uint64_t seed = 0, double rate_scale = 1,
               double time_scale = 1) {
  const TemporaryFile file("chunk-0-dataset.json", dataset);
  TraceSpec spec;
  spec.format = TraceFormat::servegen;
  spec.second_file = file.path();
  spec.rate_scale = rate_scale;
  spec.time_scale = time_scale;
  return read_text(chunk, spec, seed);
}

std::int64_t within(const ReadText& read, std::int64_t from_s, std::int64_t to_s) {
  const auto arrivals = read.arrivals();
  return std::count_if(arrivals.begin(), arrivals.end(), [&](std::int64_t time) {
    return time >= from_s * 1'000'000'000 && time < to_s * 1'000'000'000;
  });
}

/// Of the gaps between arrivals, their coefficient of variation.
double gap_cv(const ReadText& read) {
  const auto times = read.arrivals();
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const auto gap = static_cast<double>(times[i] - times[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const auto gaps = static_cast<double>(times.size() - 1);
  return std::sqrt(squares / gaps - sum / gaps * (sum / gaps)) / (sum / gaps);
}

}  // namespace

TEST_CASE("a window of ServeGen holds as many requests as its rate says, whatever its scale, and an idle one none") {
  const std::string chunk =
      "0,0.5,1,Gamma,1,99\n600,0,0,,0,0\n1200,0.0125,1,Weibull,1,1e-9\n1800,0.0125,2,Gamma,0.25,5";
  const ReadText read = drawn(chunk, lengths);
  CHECK(within(read, 0, 600) == 300);
  CHECK(within(read, 600, 1200) == 0);
  // 7.5 requests a window: half a one is carried on.
  CHECK(within(read, 1200, 1800) == 7);
  CHECK(within(read, 1800, 2400) == 8);
  CHECK(read.requests.size() == 315);
  const auto arrivals = read.arrivals();
  CHECK(std::is_sorted(arrivals.begin(), arrivals.end()));
}

TEST_CASE("the shape of a window says how bursty it is: 1 over its root for Gamma") {
  CHECK(gap_cv(drawn("0,100,3,Gamma,1,1\n", lengths)) == doctest::Approx(1).epsilon(0.02));
  CHECK(gap_cv(drawn("0,100,3,Gamma,0.25,1\n", lengths)) == doctest::Approx(2).epsilon(0.03));
  CHECK(gap_cv(drawn("0,100,3,Gamma,16,1\n", lengths)) == doctest::Approx(0.25).epsilon(0.02));
  // For Weibull of shape 1/2 the second moment is 24 and the mean 2, so that the variance is 5 squared means.
  CHECK(gap_cv(drawn("0,100,3,Weibull,0.5,1\n", lengths)) == doctest::Approx(std::sqrt(5.0)).epsilon(0.03));
}

TEST_CASE("lengths are those of the latest window with lengths, and before the first one those of the first, counted") {
  const ReadText read = drawn("0,1,1,Gamma,1,1\n600,1,1,Gamma,1,1\n1200,1,1,Gamma,1,1\n1800,1,1,Gamma,1,1\n", lengths);
  REQUIRE(read.requests.size() == 2400);
  std::int64_t nines = 0;
  std::int64_t sevens = 0;
  for (const Request& request : read.requests) {
    const bool late = request.arrival >= Time(std::chrono::seconds(1200));
    if (late) {
      REQUIRE(request.input_tokens == 500);
      REQUIRE((request.output_tokens == 7 || request.output_tokens == 8));
      sevens += request.output_tokens == 7 ? 1 : 0;
    } else {
      REQUIRE((request.input_tokens == 9 || request.input_tokens == 12));
      REQUIRE(request.output_tokens == 3);
      nines += request.input_tokens == 9 ? 1 : 0;
    }
  }
  // A quarter and a half of 1200, within four standard deviations.
  CHECK(std::abs(static_cast<double>(nines) - 300) < 4 * std::sqrt(1200 * 0.25 * 0.75));
  CHECK(std::abs(static_cast<double>(sevens) - 600) < 4 * std::sqrt(1200 * 0.5 * 0.5));
  CHECK(read.counted("before the first lengths", "given the first lengths") == 600);
}

TEST_CASE("one seed draws one trace, another seed another of the same rates") {
  const std::string chunk = "0,0.5,1,Gamma,0.5,1\n";
  const ReadText first = drawn(chunk, lengths, 1);
  CHECK(drawn(chunk, lengths, 1).requests == first.requests);
  const ReadText second = drawn(chunk, lengths, 2);
  CHECK(second.arrivals() != first.arrivals());
  CHECK(second.requests.size() == first.requests.size());
}

TEST_CASE("rate_scale multiplies ServeGen's rates and leaves its clock alone; time_scale stretches the clock") {
  const std::string chunk = "0,100,1,Gamma,1,1\n600,100,1,Gamma,1,1\n";
  const ReadText thin = drawn(chunk, lengths, 0, 0.01);
  CHECK(within(thin, 0, 600) == 600);
  CHECK(within(thin, 600, 1200) == 600);
  const ReadText slow = drawn(chunk, lengths, 0, 0.01, 2);
  CHECK(within(slow, 0, 1200) == 600);
  CHECK(within(slow, 1200, 2400) == 600);
}

TEST_CASE("reasoning is part of the output, which is said; images come as many as their count says") {
  const ReadText reasons = drawn("0,0.01,1,Gamma,1,1\n",
                                 "{\"0\": {\"input_tokens\": \"{5: 1}\", \"output_tokens\": \"{6: 1}\", "
                                 "\"reason_ratio\": \"{0.0: 0.5, 0.998: 0.5}\"}}");
  REQUIRE(reasons.requests.size() == 6);
  CHECK(reasons.requests[0].output_tokens == 6);
  CHECK(reasons.counted("a reason_ratio", "not split: reasoning is part of the output tokens") == 6);
  const ReadText images =
      drawn("0,0.01,1,Gamma,1,1\n",
            "{\"0\": {\"text_tokens\": \"{5: 1}\", \"image_count\": \"{2: 1}\", \"image_tokens\": \"{100: 1}\", "
            "\"audio_count\": \"{0: 1}\", \"audio_tokens\": \"{7: 1}\", \"output_tokens\": \"{6: 1}\"}}");
  REQUIRE(images.requests.size() == 6);
  CHECK(images.requests[0].input_tokens == 205);
}

TEST_CASE("a value is drawn by inversion of its distribution") {
  DrawnValue value;
  CHECK(value.read("{12: 0.75, 9: 0.25}", false).empty());
  CHECK(value.at(0.2) == 9);
  CHECK(value.at(0.25) == 9);
  CHECK(value.at(0.2500001) == 12);
  CHECK(value.at(1) == 12);
}

TEST_CASE("windows and datasets of ServeGen that are not as they should be are refused at their places") {
  const auto refuses = [](const std::string& chunk, std::int64_t column, const std::string& says) {
    CAPTURE(chunk);
    const ReadText read = drawn("0,0,0,,0,0\n" + chunk + "\n", lengths);
    REQUIRE(read.mistakes.size() == 1);
    CHECK_MESSAGE(read.refused(2, column, says), read.mistakes[0].column, read.mistakes[0].message);
  };
  refuses("600,1,1,Gamma,1", 1, "expected 6 fields");
  refuses("600,-1,1,Gamma,1,1", 5, "not negative");
  refuses("600,1,1,,1,1", 9, "expected Gamma or Weibull");
  refuses("600,1,1,Gamma,0,1", 15, "a shape from");
  refuses("0,1,1,Gamma,1,1", 1, "after the one before it");
  refuses("window,1,1,Gamma,1,1", 1, "decimal seconds");

  const auto refuses_lengths = [](const std::string& dataset, std::int64_t line, std::int64_t column,
                                  const std::string& says) {
    CAPTURE(dataset);
    const ReadText read = drawn("0,1,1,Gamma,1,1\n", dataset);
    REQUIRE(read.mistakes.size() == 1);
    CHECK_MESSAGE(read.refused(line, column, says), read.mistakes[0].line, ":", read.mistakes[0].column,
                  read.mistakes[0].message);
  };
  refuses_lengths("{\n\"0\": {\"input_tokens\": \"{5: 0.4}\", \"output_tokens\": \"{5: 1}\"}}", 2, 23,
                  "whose sum is 1");
  refuses_lengths("{\n\"0\": {\"input_tokens\": \"{5.5: 1}\", \"output_tokens\": \"{5: 1}\"}}", 2, 23, "whole numbers");
  refuses_lengths("{\n\"0\": {\"input_tokens\": \"{5: 1}\", \"output_tokens\": \"5\"}}", 2, 50, "a dict of Python");
  refuses_lengths("{\n\"0\": {\"input_tokens\": \"{5: 1}\", \"output\": \"{5: 1}\"}}", 2, 33, "unknown field 'output'");
  refuses_lengths("{\n\"0\": {\"input_tokens\": \"{5: 1}\"}}", 2, 1, "expected output_tokens");
  refuses_lengths("{\"0\": {\"input_tokens\": \"{}\", \"output_tokens\": \"{}\"}}", 1, 1,
                  "no window of this dataset has lengths");
  CHECK(drawn("0,100000,1,Gamma,1,1\n", lengths).mistakes.at(0).message.find("rate_scale") != std::string::npos);
}

}  // namespace decodesim::tests
