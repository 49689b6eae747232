// Mistakes in generated workloads, and what a scenario says of them.

#include <doctest/doctest.h>

#include <string>

#include "sim/scenario/catalog.hpp"
#include "sim/scenario/catalog_entry.hpp"
#include "sim/scenario/class_slos.hpp"
#include "sim/workload/request_source.hpp"
#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

#define TOKENS "input_tokens: 5, output_tokens: 2"
#define LOAD_OF_CHAT "workload: {num_requests: 3, slo_class: chat, " TOKENS "}\n"

constexpr WrongFile wrong_files[] = {
    {"cv and burstiness at once",
     FIXED
     "workload: {num_requests: 3, arrival: {process: gamma, request_rate: 1 req/s, cv: 2, §burstiness: 0.25}, " TOKENS
     "}\n",
     "contradiction", "keep one of them"},
    {"gamma gaps without their spread",
     FIXED "workload: {num_requests: 3, §arrival: {process: gamma, request_rate: 1 req/s}, " TOKENS "}\n",
     "missing-key", "'burstiness: 0.25'"},
    {"a Weibull process by burstiness",
     FIXED
     "workload: {num_requests: 3, arrival: {process: weibull, request_rate: 1 req/s, cv: 2, §burstiness: 2}, " TOKENS
     "}\n",
     "no-effect", "choose 'process: gamma'"},
    {"an infinite burstiness",
     FIXED "workload: {num_requests: 3, arrival: {process: gamma, request_rate: 1 req/s, burstiness: §inf}, " TOKENS
           "}\n",
     "not-finite", "'process: constant'"},
    {"an infinite rate",
     FIXED "workload: {num_requests: 3, arrival: {process: poisson, request_rate: §inf}, " TOKENS "}\n", "not-finite",
     "'process: all_at_once'"},
    {"a rate beside stages",
     FIXED "workload: {num_requests: 3, arrival: {process: poisson, §request_rate: 1 req/s, stages: [{rate: 1 req/s, "
           "duration: 5 s}]}, " TOKENS "}\n",
     "no-effect", "remove it"},
    {"stages without a rate",
     FIXED "workload: {num_requests: 3, arrival: {process: poisson, §stages: [{rate: 0 req/s, duration: 5 s}]}, " TOKENS
           "}\n",
     "out-of-range", "above 0"},
    {"a stage without its duration",
     FIXED "workload: {num_requests: 3, arrival: {process: poisson, stages: [§{rate: 1 req/s}]}, " TOKENS "}\n",
     "missing-key", "duration"},
    {"repetition without stages",
     FIXED "workload: {num_requests: 3, arrival: {process: poisson, request_rate: 1 req/s, §repeat: true}, " TOKENS
           "}\n",
     "no-effect", "remove it"},
    {"a mean and a median",
     FIXED
     "workload: {num_requests: 3, input_tokens: {distribution: lognormal, min: 1, max: 9, mean: 5, cv: 1, median: "
     "§4}, output_tokens: 2}\n",
     "contradiction", "keep mean and cv"},
    {"a median without its p99",
     FIXED "workload: {num_requests: 3, §input_tokens: {distribution: lognormal, min: 1, max: 9, median: 4}, "
           "output_tokens: 2}\n",
     "missing-key", "together"},
    {"a normal length with two spreads",
     FIXED "workload: {num_requests: 3, input_tokens: {distribution: normal, min: 1, max: 9, mean: 5, cv: 1, std_dev: "
           "§4}, output_tokens: 2}\n",
     "contradiction", "keep one of them"},
    {"a trace of lengths that is not there", FIXED "workload: {num_requests: 3, lengths: {from: §none.csv}}\n",
     "unreadable-file", "relative to the file"},
    {"lengths twice", FIXED "workload: {num_requests: 3, lengths: {from: none.csv}, §input_tokens: 5}\n", "no-effect",
     "remove it"},
    {"prefixes without their length", FIXED "workload: {num_requests: 3, §prefix_groups: {groups: 2}, " TOKENS "}\n",
     "missing-key", "tokens_added"},
    {"prefixes included and added",
     FIXED "workload: {num_requests: 3, prefix_groups: {groups: 2, tokens_included: 2, §tokens_added: 2}, " TOKENS
           "}\n",
     "contradiction", "keep one of them"},
    {"two clients of one name", FIXED "workload: {num_requests: 3, clients: [{name: a}, {name: §a}], " TOKENS "}\n",
     "duplicate-id", "its own name"},
    {"a share beside an arrival",
     FIXED "workload: {num_requests: 3, clients: [{name: a, §share: 2, arrival: {process: poisson, request_rate: 1 "
           "req/s}}], " TOKENS "}\n",
     "no-effect", "remove it"},
    {"an arrival beside clients without one",
     FIXED "workload: {num_requests: 3, clients: [{name: a}, {name: b, §arrival: {process: poisson, request_rate: 1 "
           "req/s}}], " TOKENS "}\n",
     "contradiction", "give all clients"},
    {"clients of one class with different limits",
     FIXED
     "workload: {num_requests: 3, clients: [{name: a, slo_class: c, slo: {ttft_p99: 1 s}}, {name: b, slo_class: c, "
     "§slo: {ttft_p99: 2 s}}], " TOKENS "}\n",
     "contradiction", "classes of their own"},
    {"a class whose limits a client states otherwise",
     FIXED "slo: {classes: [{slo_class: a, ttft_p99: 1 s}]}\n"
           "workload: {num_requests: 3, clients: [{name: a, §slo: {ttft_p99: 2 s}}], " TOKENS "}\n",
     "contradiction", "state the limits of a class once"},
    {"the limits of a class twice",
     FIXED "slo: {classes: [{slo_class: '', ttft_p99: 1 s}, {slo_class: §'', e2el_p99: 1 s}]}\n" LOAD, "contradiction",
     "once"},
    {"limits of a class that nobody is of", FIXED "slo: {classes: [{slo_class: §chta, ttft_p99: 1 s}]}\n" LOAD_OF_CHAT,
     "no-effect", "did you mean 'chat'?"},
    {"a class without limits", FIXED "slo: {classes: [§{slo_class: chat}]}\n" LOAD_OF_CHAT, "missing-key", "ttft_p99"},
    {"a client that gives up at once", FIXED "workload: {num_requests: 3, timeout: §0 s, " TOKENS "}\n", "out-of-range",
     "above 0"},
    {"a user who never wanted an answer",
     FIXED "workload: {num_requests: 3, cancel: {share: 0.5, after: §0 s}, " TOKENS "}\n", "out-of-range", "above 0"},
    {"a client without lengths",
     FIXED "§workload: {num_requests: 3, clients: [{name: a, " TOKENS
           "}, {name: b, output_tokens: 2}], output_tokens: 2}\n",
     "missing-key", "input_tokens"},
    {"a think time in an open loop", FIXED "workload: {num_requests: 3, §think_time: 2 s, " TOKENS "}\n", "no-effect",
     "remove it"},
    {"a duration in which nobody comes",
     FIXED "workload: {duration: §1 ns, arrival: {process: poisson, request_rate: 1 req/s}, " TOKENS "}\n",
     "out-of-range", "longer"},
    {"a duration of a workload that comes at once", FIXED "§workload: {duration: 5 s, " TOKENS "}\n", "missing-key",
     "num_requests"},
    {"an empirical number of turns",
     FIXED "workload: {num_requests: 3, sessions: {§turns: {distribution: empirical, file: a.csv}}, " TOKENS "}\n",
     "unsupported", "another distribution"},
};

const char* const whole = FIXED
    "workload:\n"
    "  duration: 100 s\n"
    "  input_tokens: {distribution: lognormal, min: 32, max: 900, median: 100, p99: 800}\n"
    "  output_tokens: 9\n"
    "  timeout: 30 s\n"
    "  cancel: {share: 10 %, after: {distribution: exponential, mean: 4 s}}\n"
    "  clients:\n"
    "    - {name: chat, arrival: {process: gamma, cv: 2, stages: [{rate: 1 req/s, rate_end: 5 req/s, duration: 50 "
    "s}],\n"
    "       repeat: true}, slo: {ttft_p99: 1 s}, prefix_groups: {groups: 3, tokens_added: 16, zipf: 1}}\n"
    "    - {name: batch, arrival: {process: all_at_once}, sessions: {turns: 3, think_time: 1 s, max_context: 4k}}\n"
    "  num_requests: 60\n";

}  // namespace

TEST_CASE("mistakes in generated workloads are pointed out at their place") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

TEST_CASE("lengths without ends are drawn as they come, and a distribution that is missing is told once") {
  const std::string lengths = FIXED "workload: {num_requests: 3, input_tokens: 5, output_tokens: ";
  const LengthSpec open = load_one(lengths + "{distribution: exponential, mean: 90}}\n").workload.output_tokens;
  CHECK(open.shortest() == 1);
  CHECK(open.longest() == longest_request);
  CHECK(load_one(lengths + "{distribution: exponential, mean: 90, min: 3}}\n").workload.output_tokens.shortest() == 3);
  for (const auto& [length, message] :
       {std::pair{"{mean: 90}", "missing key 'workload.output_tokens.distribution'"},
        {"{cv: 1, min: 3}", "missing key 'workload.output_tokens.distribution'"},
        {"{distribution: uniform, max: 9}", "missing key 'workload.output_tokens.min'"},
        {"{distribution: constant, min: 9}", "missing key 'workload.output_tokens.max'"}}) {
    CAPTURE(length);
    const Loaded loaded = load_text(lengths + length + "}\n");
    REQUIRE(loaded.diagnostics.size() == 1);
    CHECK(loaded.diagnostics[0].message == message);
  }
}

TEST_CASE("prompts that begin alike before a cache that nobody switched on are warned of") {
  const std::string workload =
      "workload: {num_requests: 3, input_tokens: 50, output_tokens: 2, prefix_groups: {groups: 1, tokens_included: "
      "16}}\n";
  const auto warnings = [&](const std::string& text) { return load_text(text).diagnostics; };
  REQUIRE(warnings(FIXED + workload).size() == 1);
  CHECK(warnings(FIXED + workload)[0].code == "computed-again");
  for (const char* chosen : {"true", "false"}) {
    CHECK(warnings("version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11, prefix_caching: " +
                   std::string(chosen) + "}\n" + workload)
              .empty());
  }
  CHECK(warnings(FIXED "scheduler: {engine: sglang}\n" + workload).empty());
  CHECK(
      warnings(FIXED "workload: {requests: [{input_tokens: 9, output_tokens: 1, prefix_group: a, prefix_tokens: 4}]}\n")
          .size() == 1);
}

TEST_CASE("a resolved scenario says all of a mixture, and loads to the same again") {
  const Scenario scenario = load_one(whole);
  const std::string resolved = scenario_text(scenario);
  CAPTURE(resolved);
  CHECK(resolved.find("arrival: {process: all_at_once}") != std::string::npos);
  const Scenario again = load_one(resolved);
  CHECK(scenario_text(again) == resolved);
  CHECK(again.workload.clients == scenario.workload.clients);
  const auto slos = class_slos(again.slo, again.workload);
  REQUIRE(slos.size() == 1);
  CHECK(slos.at("chat").ttft_p99 == std::chrono::seconds(1));
  CHECK(!slos.at("chat").e2el_p99);
}

TEST_CASE("a file of one's own may be a workload to start from") {
  const Folder folder;
  folder.write("w.yaml",
               "requests: [{input_tokens: 5, output_tokens: 2}, {input_tokens: 5, output_tokens: 3, id: x}]\n");
  folder.write("s.yaml", FIXED "workload: w.yaml\n");
  const Loaded loaded = folder.load("s.yaml");
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  CHECK(loaded.scenarios[0].workload.requests.size() == 2);
  folder.write("w.yaml", "requests: [{input_tokens: 5, output_tokens: 2, max_tokens: 1}]\n");
  CHECK(folder.load("s.yaml").scenarios.empty());
}

TEST_CASE("every workload of the catalog loads alone and with another load, and draws what it says") {
  const Catalog catalog = find_catalog();
  CHECK(catalog.names("workloads").size() >= 6);
  for (const std::string& name : catalog.names("workloads")) {
    CAPTURE(name);
    CHECK_FALSE(first_comment(catalog.file("workloads", name)).empty());
    const Scenario scenario = load_one(FIXED "scheduler: {max_model_len: 1000000}\nworkload: " + name + "\n");
    const auto source = make_request_source(scenario.workload, 1);
    std::int64_t count = 0;
    for (auto request = source->next(); request; request = source->next()) {
      for (std::optional<Request> turn = request; turn; turn = source->next_turn(Request(*turn))) ++count;
    }
    CHECK(count == scenario.workload.num_requests);
    const Scenario other = load_one(FIXED "scheduler: {max_model_len: 1000000}\nworkload: {like: " + name +
                                    ", num_requests: 7, arrival: {process: constant, cv: null, "
                                    "request_rate: 3 req/s}}\n");
    CHECK(other.workload.num_requests == 7);
  }
}

}  // namespace decodesim::tests
