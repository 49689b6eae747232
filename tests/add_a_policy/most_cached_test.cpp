// The policy that docs/add-a-policy.md adds, with its file and its row as they stand on that page.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/serving/policy_table.hpp"
#include "sim/serving/simulation.hpp"
#include "tests/support/schedule_table.hpp"
#include "tests/support/step_cost.hpp"
#include "tests/support/vector_source.hpp"

namespace decodesim::tests {

namespace {

const GridCost one_second(std::chrono::seconds(1));

/// Who is evicted, pass by pass, where a long sequence was admitted first and a short one last.
std::string victims(const char* rule) {
  ServerConfig server;
  server.num_blocks = 6;
  server.usable_blocks = 5;
  server.block_size = 4;
  server.max_model_len = 100;
  server.scheduler.max_num_seqs = 4;
  server.scheduler.max_num_batched_tokens = 16;
  server.scheduler.policies.victim = rule;
  server.cost = &one_second;
  server.grid_step = std::chrono::seconds(1);
  const std::vector<Request> requests{{0, "long", Time{}, 11, 8, 8, 0}, {1, "short", Time{}, 4, 8, 8, 0}};
  VectorSource source(requests, std::nullopt);
  ScheduleTable table;
  Observer* const observers[] = {&table};
  simulate(server, source, observers);
  std::string line;
  for (const ScheduleRow& row : table.rows()) line += row.preempted.empty() ? "" : row.preempted + " ";
  CHECK(table.run().watchdog == "");
  return line;
}

}  // namespace

TEST_CASE("the policy of the page is in the table, and vLLM V1 takes it") {
  const PolicyRow* row = find_policy("victim", "most-cached");
  REQUIRE(row != nullptr);
  CHECK(engine_takes(*find_engine("vllm-v1"), *row));
}

TEST_CASE("the policy of the page evicts the sequence with the most KV, where vLLM's own evicts the last admitted") {
  CHECK(victims("last-admitted").starts_with("short "));
  CHECK(victims("most-cached").starts_with("long "));
}

}  // namespace decodesim::tests
