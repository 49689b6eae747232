// Shapes that published measurements of real servers have, whatever their figures.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

namespace {
double rate(const std::map<std::string, PlayedCase>& cases, const std::string& name) {
  return cases.at(name).report.output_throughput;
}
}  // namespace

TEST_CASE("bytes alone predict several times what a full server does") {
  const auto cases = play_behaviour("shape-bytes-alone");
  const auto excess = [&](const std::string& shape) {
    return rate(cases, shape + "-bytes") / rate(cases, shape + "-calibrated");
  };
  for (const std::string shape : {"brief", "answers"})
    MESSAGE(shape << ": calibrated " << rate(cases, shape + "-calibrated") << " tok/s, by bytes "
                  << rate(cases, shape + "-bytes"));
  // "A bytes-only model over-predicts a saturated FP8 server by about 6x." Measured: 15,190 tok/s.
  CHECK(excess("answers") >= 4);
  CHECK(excess("answers") <= 9);
  CHECK(rate(cases, "answers-bytes") / 15190 >= 4);
  CHECK(rate(cases, "answers-bytes") / 15190 <= 9);
  // Measured: 15,533 tok/s. Where prompts are half of the tokens bytes say far too much, 25 times what was measured.
  CHECK(excess("brief") >= 4);
}

TEST_CASE("what is the same on any number of GPUs dominates small batches") {
  const auto cases = play_behaviour("shape-fixed-cost");
  const auto tpot = [&](const char* tp) { return cases.at(tp).report.tpot.mean; };
  MESSAGE("TPOT " << tpot("tp2") << ", " << tpot("tp4") << ", " << tpot("tp8") << " ms");
  // Measured: 17.41, 11.78, 9.11 ms.
  CHECK(tpot("tp2") / tpot("tp8") >= 1.6);  // 1.91
  CHECK(tpot("tp2") / tpot("tp8") <= 2.2);  // 1.91
  CHECK(broken_littles_law(cases) == "");
}

TEST_CASE("a GPU does less in a larger group while memory is ample") {
  const auto cases = play_behaviour("shape-tp-per-gpu");
  for (const std::string shape : {"brief", "even"}) {
    MESSAGE(shape << ": " << rate(cases, shape + "-tp1") << ", " << rate(cases, shape + "-tp2") << ", "
                  << rate(cases, shape + "-tp4") << ", " << rate(cases, shape + "-tp8") << " tok/s");
    CHECK(rate(cases, shape + "-tp4") < 2 * rate(cases, shape + "-tp2"));
    CHECK(rate(cases, shape + "-tp8") < 2 * rate(cases, shape + "-tp4"));
  }
  CHECK(rate(cases, "brief-tp2") < 2 * rate(cases, "brief-tp1"));
  // Measured: 3,897 tok/s on one GPU, 16,383 on eight: 0.53 of it each.
  CHECK(rate(cases, "brief-tp8") / (8 * rate(cases, "brief-tp1")) >= 0.35);
  CHECK(rate(cases, "brief-tp8") / (8 * rate(cases, "brief-tp1")) <= 0.85);
}

TEST_CASE("twice the GPUs do far more than twice as much where memory was short") {
  const auto cases = play_behaviour("shape-tp-per-gpu");
  MESSAGE("FP8: " << rate(cases, "short-fp8-tp1") << ", " << rate(cases, "short-fp8-tp2")
                  << " tok/s; FP16: " << rate(cases, "short-fp16-tp2") << ", " << rate(cases, "short-fp16-tp4"));
  // Measured: 446 -> 5,869 tok/s in FP8, 785 -> 3,775 in FP16.
  CHECK(rate(cases, "short-fp8-tp2") / rate(cases, "short-fp8-tp1") >= 6);    // 13.2
  CHECK(rate(cases, "short-fp8-tp2") / rate(cases, "short-fp8-tp1") <= 30);   // 13.2
  CHECK(rate(cases, "short-fp16-tp4") / rate(cases, "short-fp16-tp2") >= 3);  // 4.8
  CHECK(rate(cases, "short-fp16-tp4") / rate(cases, "short-fp16-tp2") <= 8);  // 4.8
}

TEST_CASE("an H200 is worth most where capacity binds, something where bytes do, and nothing where operations do") {
  const auto cases = play_behaviour("shape-h200-over-h100");
  const auto gain = [&](const std::string& shape) {
    return rate(cases, shape + "-h200") / rate(cases, shape + "-h100");
  };
  for (const char* shape : {"prompts", "brief", "answers", "middling", "long-answers", "long-prompts"})
    MESSAGE(std::string(shape) << ": " << gain(shape));
  // "1.00-1.05 on compute-bound shapes."
  CHECK(gain("prompts") >= 0.98);  // 1.03
  CHECK(gain("prompts") <= 1.08);  // 1.03
  CHECK(gain("brief") >= 0.98);    // 1.03
  CHECK(gain("brief") <= 1.08);    // 1.03
  // "1.2-1.4 on decode-bound": 1.27 and 1.35 measured. Not reached: 1.09 and 1.17.
  CHECK(gain("answers") > std::max(gain("prompts"), gain("brief")));
  CHECK(gain("answers") <= 1.5);
  CHECK(gain("middling") > std::max(gain("prompts"), gain("brief")));
  CHECK(gain("middling") <= 1.5);
  // "Up to 1.7 where capacity binds": 1.61 and 1.54 measured. 1.35 and 1.39 here.
  CHECK(gain("long-answers") > std::max(gain("answers"), gain("middling")));
  CHECK(gain("long-answers") <= 1.8);
  CHECK(gain("long-prompts") >= 1.3);
  CHECK(gain("long-prompts") <= 1.8);
}

TEST_CASE("a cache in FP8 brings throughput to a full server, and nothing to a single user") {
  const auto cases = play_behaviour("shape-fp8-cache");
  const double full = rate(cases, "full-fp8") / rate(cases, "full-bf16");
  const double one = cases.at("one-fp8").report.tpot.mean / cases.at("one-bf16").report.tpot.mean;
  MESSAGE("full: " << rate(cases, "full-bf16") << " -> " << rate(cases, "full-fp8")
                   << " tok/s; one: " << cases.at("one-bf16").report.tpot.mean << " -> "
                   << cases.at("one-fp8").report.tpot.mean << " ms a token");
  // Measured: 3,390 -> 5,300 tok/s; 12.42 -> 12.55 ms.
  CHECK(full >= 1.35);  // 1.56
  CHECK(full <= 1.80);  // 1.56
  CHECK(one == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("tokens in and out together say what a server can do, where tokens out differ elevenfold") {
  const auto cases = play_behaviour("shape-in-and-out");
  double least_out = 1e9, most_out = 0, least_all = 1e9, most_all = 0;
  for (const auto& [name, played] : cases) {
    const Report& report = played.report;
    MESSAGE(name << ": " << report.output_throughput << " out, " << report.total_token_throughput << " in and out");
    least_out = std::min(least_out, report.output_throughput);
    most_out = std::max(most_out, report.output_throughput);
    least_all = std::min(least_all, report.total_token_throughput);
    most_all = std::max(most_all, report.total_token_throughput);
  }
  CHECK(cases.size() == 9);
  CHECK(most_out / least_out >= 8);    // 11.5
  CHECK(most_out / least_out <= 15);   // 11.5
  CHECK(most_all / least_all >= 1.5);  // 2.0
  CHECK(most_all / least_all <= 3);    // 2.0
}

}  // namespace decodesim::tests
