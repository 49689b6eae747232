// What a scenario says of the content of its prompts.

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "sim/workload/request_source.hpp"
#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

constexpr WrongFile wrong_files[] = {
    {"a prefix longer than its prompt",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, prefix_group: a, prefix_tokens: §6}]}\n",
     "out-of-range", "at most 5"},
    {"a group without its tokens",
     FIXED "workload: {requests: [§{input_tokens: 5, output_tokens: 2, prefix_group: a}]}\n", "missing-key",
     "prefix_tokens"},
    {"tokens of no group", FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, §prefix_tokens: 3}]}\n",
     "no-effect", "remove it"},
    {"ids without the size of their blocks",
     FIXED "workload: {requests: [§{input_tokens: 5, output_tokens: 2, hash_ids: [1]}]}\n", "missing-key",
     "hash_block_size"},
    {"more ids than blocks",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, §hash_ids: [1, 2, 3], hash_block_size: 4}]}\n",
     "out-of-range", "the request's own"},
    {"a group and ids",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, prefix_group: a, prefix_tokens: 2, §hash_ids: "
           "[1], hash_block_size: 4}]}\n",
     "contradiction", "keep one"},
    {"a single id without a list",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, hash_ids: §1, hash_block_size: 4}]}\n",
     "wrong-type", "[1, 2]"},
    {"an id that is no number",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, hash_ids: [1, §x], hash_block_size: 4}]}\n",
     "not-a-number", ""},
    {"a generated prefix longer than the shortest prompt",
     FIXED "workload: {num_requests: 3, input_tokens: {distribution: uniform, min: 4, max: 9}, output_tokens: 2, "
           "prefix_groups: {groups: 2, tokens_included: §5}}\n",
     "out-of-range", "write 'min: 5'"},
    {"a generated prefix that makes the shortest prompt longer than a request may be",
     FIXED "workload: {num_requests: 3, input_tokens: 1000000000, output_tokens: 2, prefix_groups: {groups: 2, "
           "tokens_added: §1}}\n",
     "out-of-range", "at most 1000000000"},
    {"groups of a list",
     FIXED
     "workload: {requests: [{input_tokens: 5, output_tokens: 2}], §prefix_groups: {groups: 2, tokens_included: 5}}\n",
     "no-effect", ""},
};

}  // namespace

TEST_CASE("mistakes in the content of prompts are pointed out") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

TEST_CASE("a list's prompts begin with what their group or their hash ids say") {
  const std::string text = FIXED
      "workload:\n  requests:\n"
      "    - {input_tokens: 9, output_tokens: 2, prefix_group: a, prefix_tokens: 6}\n"
      "    - {input_tokens: 7, output_tokens: 2, prefix_group: a, prefix_tokens: 4, cache_salt: s}\n"
      "    - {input_tokens: 7, output_tokens: 2, hash_ids: [3, 0], hash_block_size: 4, no_prefix_read: true}\n"
      "    - {input_tokens: 9, output_tokens: 2, hash_ids: [3], hash_block_size: 4}\n";
  const Scenario scenario = load_one(text);
  const auto source = make_request_source(scenario.workload, 1);
  const Request first = *source->next();
  const Request second = *source->next();
  const Request third = *source->next();
  const Request fourth = *source->next();
  REQUIRE(first.content.size() == 1);
  CHECK(first.content[0].tokens == 6);
  CHECK(second.content[0].key == first.content[0].key);
  CHECK(second.content[0].tokens == 4);
  CHECK(second.cache_salt == "s");
  CHECK(third.content == std::vector<TokenRun>{{3, 4}, {0, 3}});
  CHECK(third.no_prefix_read);
  CHECK(fourth.content == std::vector<TokenRun>{{3, 4}});

  const std::string resolved = scenario_text(scenario);
  CHECK(resolved.find("hash_ids: [3, 0], hash_block_size: 4") != std::string::npos);
  CHECK(resolved.find("prefix_group: a, prefix_tokens: 6") != std::string::npos);
  CHECK(scenario_text(load_one(resolved)) == resolved);
}

TEST_CASE("generated prompts share prefixes by group, and the groups move nothing else") {
  const std::string head = FIXED
      "workload: {num_requests: 4000, input_tokens: {distribution: uniform, min: 40, max: 90}, "
      "output_tokens: 2";
  const Scenario plain = load_one(head + "}\n");
  const Scenario shared = load_one(head + ", prefix_groups: {groups: 5, tokens_included: 32, share: 25 %}}\n");
  const auto one = make_request_source(plain.workload, 7);
  const auto other = make_request_source(shared.workload, 7);
  std::set<std::uint64_t> keys;
  std::int64_t grouped = 0;
  for (int i = 0; i < 4000; ++i) {
    const Request without = *one->next();
    const Request with = *other->next();
    REQUIRE(with.input_tokens == without.input_tokens);
    REQUIRE(without.content.empty());
    if (with.content.empty()) continue;
    ++grouped;
    REQUIRE(with.content.size() == 1);
    REQUIRE(with.content[0].tokens == 32);
    keys.insert(with.content[0].key);
  }
  CHECK(keys.size() == 5);
  // 1,000 expected; four standard deviations are 110.
  CHECK(grouped > 890);
  CHECK(grouped < 1110);
  CHECK(scenario_text(shared).find("prefix_groups:\n    groups: 5\n    tokens_included: 32\n    share: 0.25") !=
        std::string::npos);
}

TEST_CASE("a list says when clients leave, and what turns sessions have") {
  const std::vector<Request> requests =
      load_one(
          FIXED
          "workload: {requests: [{input_tokens: 5, output_tokens: 2, timeout: 2 s, cancel_after: 500 ms, session: s}, "
          "{input_tokens: 9, output_tokens: 1, session: s, think_time: 3 s}]}\n")
          .workload.requests;
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].timeout == std::chrono::seconds(2));
  CHECK(requests[0].cancel_after == std::chrono::milliseconds(500));
  CHECK(requests[0].session == "s");
  CHECK(requests[1].think_time == std::chrono::seconds(3));
  CHECK_FALSE(requests[1].timeout);
  CHECK_FALSE(requests[1].cancel_after);
  check_mistake({"a request that nobody waits for",
                 FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, timeout: §0 s}]}\n", "out-of-range",
                 "above 0"});
  check_mistake({"a think time of no session",
                 FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, §think_time: 1 s}]}\n", "no-effect",
                 "remove it"});
}

}  // namespace decodesim::tests
