#include "sim/study/variant.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/study/study_files.hpp"

using namespace decodesim;
using namespace decodesim::tests;

namespace {

std::vector<std::string> names_of(const std::vector<Variant>& variants) {
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a varied field is a path and the values between commas outside brackets and quotes") {
  const VariedField plain = parse_varied_field("scheduler.engine=vllm-v1, sglang");
  CHECK(plain.path == "scheduler.engine");
  CHECK(plain.values == Names{"vllm-v1", "sglang"});
  CHECK(parse_varied_field("a={b: 1, c: [2,3]},'x,y',z").values == Names{"{b: 1, c: [2,3]}", "'x,y'", "z"});
  for (const char* wrong : {"", "scheduler.engine", "=a,b", "a=", "a=b,,c", "a=b,b"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_varied_field(wrong), std::invalid_argument);
  }
}

TEST_CASE("variants are files, their cases and every combination of values, the first field slowest") {
  const StudyFile file(busy_server);
  const StudyFile cases(std::string(busy_server) + "cases:\n  small: {memory: {num_gpu_blocks: 30}}\n" +
                        "  large: {memory: {num_gpu_blocks: 60}}\n");
  std::vector<Diagnostic> diagnostics;
  const std::vector<VariedField> two{parse_varied_field("scheduler.max_num_seqs=2,4"),
                                     parse_varied_field("scheduler.never_fits=reject,hang")};
  const std::vector<Variant> combined = make_variants(Names{file.path()}, two, {}, diagnostics);
  CHECK(names_of(combined) == Names{"max_num_seqs=2 never_fits=reject", "max_num_seqs=2 never_fits=hang",
                                    "max_num_seqs=4 never_fits=reject", "max_num_seqs=4 never_fits=hang"});
  CHECK(combined[3].scenario->scheduler.max_num_seqs == 4);
  CHECK(combined[3].sets == Names{"scheduler.max_num_seqs=4", "scheduler.never_fits=hang"});

  CHECK(names_of(make_variants(Names{cases.path()}, {}, {}, diagnostics)) == Names{"small", "large"});
  const std::vector<VariedField> one{parse_varied_field("scheduler.never_fits=reject,hang")};
  CHECK(names_of(make_variants(Names{cases.path()}, one, {}, diagnostics)) ==
        Names{"small reject", "large reject", "small hang", "large hang"});
  CHECK(names_of(make_variants(Names{file.path(), cases.path()}, {}, {}, diagnostics)) ==
        Names{"busy", "busy small", "busy large"});
  CHECK(diagnostics.empty());
}

TEST_CASE("a word names its variant, but not where it is no more than an answer") {
  const StudyFile file(busy_server);
  std::vector<Diagnostic> diagnostics;
  const auto names = [&](const char* varied) {
    return names_of(make_variants(Names{file.path()}, std::vector{parse_varied_field(varied)}, {}, diagnostics));
  };
  CHECK(names("scheduler.never_fits=reject,hang") == Names{"reject", "hang"});
  CHECK(names("scheduler.async=true,false") == Names{"async=true", "async=false"});
  CHECK(names("scheduler.max_num_seqs=null,4") == Names{"max_num_seqs=null", "max_num_seqs=4"});
}

TEST_CASE("what does not load is a variant with its reason, and the others stay") {
  const StudyFile file(busy_server);
  std::vector<Diagnostic> diagnostics;
  const std::vector<VariedField> varied{parse_varied_field("scheduler.max_num_seqs=4,-1")};
  const std::vector<Variant> variants = make_variants(Names{file.path(), "nowhere.yaml"}, varied, {}, diagnostics);
  REQUIRE(variants.size() == 4);
  CHECK(variants[0].objection.empty());
  CHECK(!variants[1].scenario);
  CHECK(variants[1].objection.find("scheduler.max_num_seqs") != std::string::npos);
  CHECK(variants[2].objection.find("nowhere.yaml") != std::string::npos);
  CHECK(diagnostics.size() == 1);
}

TEST_CASE("nothing is compared with itself, and two files of the same name are told apart by their paths") {
  const StudyFile file(busy_server);
  const StudyFile other(busy_server);
  std::vector<Diagnostic> diagnostics;
  CHECK_THROWS_AS(make_variants(Names{file.path(), file.path()}, {}, {}, diagnostics), std::invalid_argument);
  const std::vector<Variant> two = make_variants(Names{file.path(), other.path()}, {}, {}, diagnostics);
  CHECK(two[0].name == "busy (" + file.path() + ")");
}

TEST_CASE("requests are compared one by one, whatever words describe them") {
  const StudyFile file(busy_server);
  std::vector<Diagnostic> diagnostics;
  const auto variant = [&](const std::string& set) {
    return *make_variants(Names{file.path()}, {}, Names{set}, diagnostics).front().scenario;
  };
  const Scenario first = variant("scheduler.max_num_seqs=4");
  CHECK(difference_of_requests(first, variant("scheduler.max_num_seqs=2"), 1).empty());
  CHECK(!difference_of_requests(first, variant("workload.num_requests=41"), 1).empty());
  CHECK(!difference_of_requests(first, variant("workload.max_concurrency=3"), 1).empty());
  CHECK(!difference_of_requests(first, variant("workload.output_tokens.max=40"), 1).empty());
}
