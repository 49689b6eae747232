// Cases of SGLang's own tests and of a peer simulator's, by their ids in peer_tests.json.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/scenario/load.hpp"
#include "sim/serving/page_memory.hpp"
#include "sim/serving/schedulers/sglang_budget.hpp"
#include "tests/support/every_engine.hpp"
#include "tests/support/peer_cases.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

SglangKnobs with_ratio_one() {
  SglangKnobs knobs;
  knobs.init_new_token_ratio = 1;
  return knobs;
}

ServerConfig server(std::int64_t pages, std::int64_t page) {
  ServerConfig config = server_on_seconds(pages, page);
  config.max_model_len = 10'000;
  config.scheduler.engine = "sglang";
  config.scheduler.max_num_seqs = 100;
  config.scheduler.sglang.disable_radix_cache = true;
  return config;
}

Request request(std::int64_t index, std::int64_t input, std::int64_t output) {
  Request one;
  one.index = index;
  one.id = "R" + std::to_string(index) + ":";
  one.input_tokens = input;
  one.output_tokens = one.max_tokens = output;
  return one;
}

/// The running requests of the cases sgl-05, -06 and -08: one place after the other in the queue.
std::vector<Preemptible> running_of(const json& inputs, double ratio) {
  const std::int64_t sign = inputs.value("larger_is_more_urgent", true) ? -1 : 1;
  std::vector<Preemptible> running;
  for (const json& one : inputs.at("running")) {
    running.push_back({sign * one.at("priority").get<std::int64_t>(), static_cast<std::int64_t>(running.size()),
                       one.at("max_new").get<double>() * ratio});
  }
  return running;
}

/// Tries to take places for a request of so many new tokens whose prompt was not looked at yet, takes what it gets out of
/// `running`, and returns the names of those.
std::vector<std::string> take_places(std::vector<Preemptible>& running, std::vector<std::string>& names,
                                     const json& inputs, std::int64_t priority, double max_new, double& offset) {
  const std::int64_t sign = inputs.value("larger_is_more_urgent", true) ? -1 : 1;
  const double needs = max_new - (inputs.at("available").get<double>() - offset);
  std::vector<std::string> victims;
  std::vector<std::size_t> taken = places_taken(running, sign * priority, inputs.at("threshold"), needs);
  std::sort(taken.rbegin(), taken.rend());
  for (const std::size_t one : taken) {
    offset -= running[one].promised;
    victims.push_back(names[one]);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(one));
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(one));
  }
  return victims;
}

std::vector<std::string> names_of(const json& inputs) {
  std::vector<std::string> names;
  for (const json& one : inputs.at("running")) names.push_back(one.at("id"));
  return names;
}

}  // namespace

TEST_CASE("sgl-01: the ratio starts, ends and decays as the conservativeness says") {
  const auto peer = peer_case("sgl-01");
  if (!peer) return;
  const json& inputs = peer->at("inputs");
  for (std::size_t i = 0; i < inputs.at("conservativeness").size(); ++i) {
    SglangKnobs knobs;
    knobs.schedule_conservativeness = inputs.at("conservativeness")[i];
    knobs.init_new_token_ratio = inputs.at("init");
    knobs.min_new_token_ratio_factor = inputs.at("min_factor");
    knobs.new_token_ratio_decay_steps = inputs.at("decay_steps");
    const NewTokenRatio ratio(knobs);
    CHECK(ratio.initial() == doctest::Approx(peer->at("expected").at("initial")[i].get<double>()).epsilon(1e-12));
    CHECK(ratio.minimum() == doctest::Approx(peer->at("expected").at("minimum")[i].get<double>()).epsilon(1e-12));
    CHECK(ratio.decay() == doctest::Approx(peer->at("expected").at("decay_per_step")[i].get<double>()).epsilon(1e-12));
  }
}

TEST_CASE("sgl-03: the decay stops at the minimum, and an idle server starts afresh") {
  const auto peer = peer_case("sgl-03");
  if (!peer) return;
  const json& inputs = peer->at("inputs");
  const double initial = inputs.at("initial");
  const double minimum = inputs.at("minimum");
  SglangKnobs knobs;
  knobs.init_new_token_ratio = initial;
  knobs.min_new_token_ratio_factor = minimum / initial;
  knobs.new_token_ratio_decay_steps = std::llround((initial - minimum) / inputs.at("step").get<double>());
  NewTokenRatio ratio(knobs);
  for (const json& expected : peer->at("expected").at("values")) {
    ratio.decode_step_fitted();
    CHECK(ratio.value() == doctest::Approx(expected.get<double>()).epsilon(1e-12));
  }
  ratio.reset();
  CHECK(ratio.value() == peer->at("expected").at("after_reset").get<double>());
}

TEST_CASE("sgl-05, sgl-06: the least urgent gives up its place, and what was promised to it counts") {
  for (const char* id : {"sgl-05", "sgl-06"}) {
    CAPTURE(id);
    const auto peer = peer_case(id);
    if (!peer) return;
    const json& inputs = peer->at("inputs");
    std::vector<Preemptible> running = running_of(inputs, inputs.at("ratio"));
    std::vector<std::string> names = names_of(inputs);
    double offset = inputs.at("offset");
    const std::vector<std::string> victims = take_places(running, names, inputs, inputs.at("new").at("priority"),
                                                         inputs.at("new").at("max_new").get<double>(), offset);
    CHECK(victims == peer->at("expected").at("victims").get<std::vector<std::string>>());
    CHECK(!victims.empty() == peer->at("expected").at("success").get<bool>());
    CHECK(offset == peer->at("expected").at("offset").get<double>());
  }
}

TEST_CASE("sgl-08: nobody gives up its place twice") {
  const auto peer = peer_case("sgl-08");
  if (!peer) return;
  const json& inputs = peer->at("inputs");
  std::vector<Preemptible> running = running_of(inputs, inputs.at("ratio"));
  std::vector<std::string> names = names_of(inputs);
  double offset = inputs.at("offset");
  std::vector<std::string> victims;
  for (std::size_t i = 0; i < inputs.at("new").size(); ++i) {
    const json& one = inputs.at("new")[i];
    const auto taken = take_places(running, names, inputs, one[0], one[1].get<double>(), offset);
    CHECK(!taken.empty() == peer->at("expected").at("success")[i].get<bool>());
    victims.insert(victims.end(), taken.begin(), taken.end());
  }
  CHECK(victims == peer->at("expected").at("victims").get<std::vector<std::string>>());
  CHECK(offset == peer->at("expected").at("offset").get<double>());
}

TEST_CASE("sgl-10, sgl-11: those that are carried along take from every budget of a mixed batch") {
  // "8 decodes, M 50" and "5 decodes, M 50", of which none has generated anything.
  for (const auto& [id, decodes] : {std::pair{"sgl-10", 8}, std::pair{"sgl-11", 5}}) {
    CAPTURE(id);
    const auto peer = peer_case(id);
    if (!peer) return;
    const json& inputs = peer->at("inputs");
    const json& expected = peer->at("expected");
    SglangKnobs knobs = with_ratio_one();
    knobs.max_prefill_tokens = inputs.at("max_prefill");
    knobs.chunked_prefill_size = inputs.at("chunk");
    PrefillBudget budget = PrefillBudget::open(knobs, 1, inputs.value("available", 1000), 50.0 * decodes, decodes);
    CHECK(budget.input == expected.at("rem_input").get<std::int64_t>());
    CHECK(budget.chunk == expected.at("rem_chunk").get<std::int64_t>());
    CHECK(budget.total_offset == expected.at("offset").get<double>());
    if (expected.contains("cur_offset")) CHECK(budget.current_offset == expected.at("cur_offset").get<std::int64_t>());
    budget.charge(56, 50);
    const json& after = expected.contains("after_56") ? expected.at("after_56") : expected.at("after_56_token_prompt");
    CHECK(budget.chunk == after.at("rem_chunk").get<std::int64_t>());
    if (after.contains("rem_input")) CHECK(budget.input == after.at("rem_input").get<std::int64_t>());
    CHECK((budget.state() != PrefillStop::no) == after.at("stop").get<bool>());
    if (!expected.contains("after_3_more")) continue;
    budget.charge(3, 50);
    CHECK(budget.chunk == expected.at("after_3_more").at("rem_chunk").get<std::int64_t>());
    CHECK((budget.state() != PrefillStop::no) == expected.at("after_3_more").at("stop").get<bool>());
  }
}

TEST_CASE("sgl-13: fcfs keeps the order of the queue, lpm without a tree does too, and no other name is taken") {
  const auto peer = peer_case("sgl-13");
  if (!peer) return;
  const json& results = peer->at("expected").at("results");
  ServerConfig config = server(100, 1);
  std::vector<Request> requests;
  for (const json& input : results[0]) {
    requests.push_back(request(static_cast<std::int64_t>(requests.size()), input.get<std::int64_t>(), 1));
  }
  REQUIRE(results[1] == "fcfs");
  for (const SglangOrder order : {SglangOrder::fcfs, SglangOrder::lpm}) {
    config.scheduler.sglang.schedule_policy = order;
    on_every_engine(config, requests,
                    [](const ScheduleTable& table) { CHECK(table.rows().front().scheduled == "R0:1 R1:3 R2:2"); });
  }

  REQUIRE(results[2] == "error");
  const std::string text =
      "version: 1\nmemory: {num_gpu_blocks: 9}\ncost: {model: fixed, step: 1 s}\nscheduler: {engine: sglang, "
      "schedule_policy: nonsense, max_model_len: 9}\nworkload: {num_requests: 1, arrival: {process: all_at_once}, "
      "input_tokens: 1, output_tokens: 1}\n";
  std::vector<Diagnostic> warnings;
  CHECK_THROWS_AS(load_scenarios_text(text, "text.yaml", ".", {}, warnings), ScenarioError);

  // A prompt of four tokens that is in the tree matches all of them, though one is computed again.
  REQUIRE(results[3] == "4 of 4");
  RadixTree tree(1);
  const TokenString four = tokens_of(requests.front(), 4);
  tree.insert(four, 4);
  CHECK(tree.match(four, 4).tokens == 4);
}

TEST_CASE("sgl-15: what a prompt is found in is no room for it") {
  const auto peer = peer_case("sgl-15");
  if (!peer) return;
  const std::int64_t found = 8;
  PageMemory memory(20, 1, true);
  Sequence first;
  first.request = request(0, found, 1);
  memory.take(found);
  memory.hold(first, {memory.tree()->root(), 0});
  first.cached = found;
  memory.release(first, Released::finished);
  CHECK(memory.free() == 20);
  CHECK(memory.evictable() == found);
  const RadixTree::Match match = memory.match(first, found);
  CHECK(match.tokens == found);
  memory.tree()->lock(match.node);
  CHECK(memory.free() == 20 - found);
}

TEST_CASE("dyn-sgl-02: a prompt is charged in whole pages, so a second one waits") {
  const auto peer = peer_case("dyn-sgl-02");
  if (!peer) return;
  const json& inputs = peer->at("inputs");
  ServerConfig config = server(100, inputs.at("page"));
  config.scheduler.sglang.chunked_prefill_size = inputs.at("chunk");
  const std::vector<Request> requests{request(0, inputs.at("prompts")[0], 4), request(1, inputs.at("prompts")[1], 4)};
  const std::string expected = "R0:" + std::to_string(peer->at("expected").at("step1")[0].get<int>());
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    CHECK(table.rows().front().scheduled == expected);
    CHECK(table.rows().front().waiting == "R1:");
  });
}

TEST_CASE("dyn-sgl-03: a decoding request takes a page when its last one is full") {
  const auto peer = peer_case("dyn-sgl-03");
  if (!peer) return;
  const std::int64_t page = peer->at("inputs").at("page");
  const std::vector<Request> requests{request(0, peer->at("inputs").at("start_tokens"), 5)};
  on_every_engine(server(10, page), requests, [&](const ScheduleTable& table) {
    std::vector<std::int64_t> allocated;
    for (std::size_t decode = 1; decode <= 3; ++decode)
      allocated.push_back((10 - table.rows().at(decode).free_blocks) * page);
    CHECK(allocated == peer->at("expected").at("allocated").get<std::vector<std::int64_t>>());
  });
}

TEST_CASE("dyn-sgl-05: of many that begin alike only the first goes before one that is alone") {
  const auto peer = peer_case("dyn-sgl-05");
  if (!peer) return;
  // "33 requests sharing a 32-token prefix + 1 unique", which comes last.
  std::vector<Request> requests;
  for (std::int64_t index = 0; index < 34; ++index) {
    requests.push_back(request(index, 40, 1));
    if (index < 33) requests.back().content.push_back({1, 32});
  }
  ServerConfig config = server(10'000, 1);
  config.scheduler.sglang.disable_radix_cache = false;
  config.scheduler.sglang.schedule_policy = SglangOrder::lpm;
  config.scheduler.sglang.chunked_prefill_size = 80;  // two prompts
  on_every_engine(config, requests, [&](const ScheduleTable& table) {
    REQUIRE(peer->at("expected").at("position_of_unique") == 1);
    CHECK(table.rows().front().scheduled == "R0:40 R33:40");
  });
}

}  // namespace decodesim::tests
