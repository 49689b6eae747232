// What the real vLLM V1 scheduler decided in recorded cases, pass by pass, against both engines.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/every_engine.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

ServerConfig server_of(const json& config) {
  ServerConfig server;
  server.usable_blocks = config.at("N");
  server.num_blocks = server.usable_blocks + 1;
  server.block_size = config.at("B");
  server.max_model_len = config.at("max_model_len");
  server.prefix_caching = config.at("prefix_caching");
  server.scheduler.max_num_batched_tokens = config.at("max_num_batched_tokens");
  server.scheduler.max_num_seqs = config.at("max_num_seqs");
  server.scheduler.long_prefill_token_threshold = config.at("long_prefill_token_threshold");
  server.scheduler.enable_chunked_prefill = config.at("chunked_prefill");
  server.scheduler.reserve_full_isl = config.at("reserve_full_isl");
  server.scheduler.watermark = config.at("watermark");
  if (config.at("policy") == "priority") server.scheduler.policies.queue_order = "priority";
  server.scheduler.async = config.at("async_scheduling");
  server.scheduler.defer_frees = server.scheduler.async && config.value("kv_consumer", false);
  server.scheduler.drop_in_flight = server.scheduler.async && config.value("kv_delivery", false);
  server.scheduler.never_fits = NeverFits::hang;  // as the real one does
  server.cost = &one_second;
  server.grid_step = std::chrono::seconds(1);
  return server;
}

/// Each a little before the pass that sees it first, which is one later than recorded, and none at the instant of
/// another: the recorded ones had stamps of their own, in the order of the list.
std::vector<Request> requests_of(const json& list) {
  std::vector<Request> requests;
  for (const json& entry : list) {
    Request request;
    request.index = static_cast<std::int64_t>(requests.size());
    request.id = entry.at("id").get<std::string>();
    request.arrival = Time(std::chrono::seconds(entry.at("arrival").get<std::int64_t>() + 1)) -
                      std::chrono::milliseconds(list.size() - requests.size());
    request.priority = entry.at("priority");
    request.input_tokens = entry.at("prompt_len");
    request.output_tokens = entry.at("output_len");
    request.max_tokens = entry.at("max_tokens");
    request.remote_tokens = entry.value("remote_tokens", 0);
    request.load_time = std::chrono::seconds(entry.value("load_steps", 0));
    // Each token by itself. The recorded server answered with tokens of its own for each request, which later prompts
    // may begin with.
    for (const json& token : entry.at("prompt_token_ids")) request.content.push_back({token, 1});
    for (std::int64_t k = 0; k < request.output_tokens; ++k)
      request.content.push_back({static_cast<std::uint64_t>(100'000 * (request.index + 1) + k), 1});
    requests.push_back(request);
  }
  return requests;
}

std::string joined(const json& words) {
  std::string line;
  for (const json& word : words) line += (line.empty() ? "" : " ") + word.get<std::string>();
  return line;
}

std::vector<std::string> sorted_words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  std::sort(words.begin(), words.end());
  return words;
}

std::string numbers(const json& list) {
  std::string line;
  for (const json& number : list) line += (line.empty() ? "" : ",") + std::to_string(number.get<int>());
  return line;
}

ScheduleRow row_of(const json& step) {
  ScheduleRow row;
  row.pass = step.at("t").get<std::int64_t>() + 1;
  const json& tables = step.at("block_tables");
  for (const json& grant : step.at("scheduled")) {
    const std::string id = grant.at(0);
    const std::string space = row.scheduled.empty() ? "" : " ";
    row.scheduled += space + id + std::to_string(grant.at(1).get<std::int64_t>());
    row.tables += space + id + "[" + numbers(tables.at(id)) + "]";
  }
  for (const auto& [id, tokens] : step.at("cached_tokens_at_admission").items()) {
    if (tokens != 0) row.found += (row.found.empty() ? "" : " ") + id + std::to_string(tokens.get<std::int64_t>());
  }
  row.free_queue = numbers(step.at("free_queue_after"));
  row.hashed = numbers(step.at("hashed_blocks_after"));
  row.preempted = joined(step.at("preempted"));
  row.free_blocks = step.at("free_after_schedule");
  row.finished = joined(step.at("finished"));
  row.waiting = joined(step.at("waiting_after"));
  if (!step.contains("loads_started")) return row;
  row.loads = joined(step.at("loads_started"));
  for (const auto& [id, table] : step.at("held_by_waiting_after").items())
    row.held += (row.held.empty() ? "" : " ") + id + "[" + numbers(table) + "]";
  return row;
}

/// Plays every case of a file and returns how many that were.
int play_cases(const std::filesystem::path& path) {
  std::ifstream file(path);
  const json document = json::parse(file);
  int played = 0;
  for (const json& entry : document.at("cases")) {
    const json& config = entry.at("config");
    ++played;
    const std::string name = entry.at("name");
    const ServerConfig server = server_of(config);
    for (const Engine& engine : engines()) {
      CAPTURE(name);
      CAPTURE(engine.name);
      ScheduleTable table;
      InvariantChecker invariants(server);
      play(engine, server, requests_of(entry.at("requests")), std::nullopt, {&table, &invariants});

      CHECK(invariants.violation() == "");
      REQUIRE(table.rows().size() == entry.at("steps").size() + 1);
      for (std::size_t i = 1; i < table.rows().size(); ++i) {
        const ScheduleRow expected = row_of(entry.at("steps").at(i - 1));
        const ScheduleRow& row = table.rows()[i];
        CAPTURE(expected.pass);
        CHECK(row.pass == expected.pass);
        CHECK(row.scheduled == expected.scheduled);
        CHECK(row.preempted == expected.preempted);
        CHECK(row.free_blocks == expected.free_blocks);
        CHECK(row.tables == expected.tables);
        CHECK(sorted_words(row.found) == sorted_words(expected.found));  // recorded by name
        CHECK(row.free_queue == expected.free_queue);
        CHECK(row.hashed == expected.hashed);
        CHECK(row.finished == expected.finished);
        CHECK(row.waiting == expected.waiting);
        CHECK(row.loads == expected.loads);
        CHECK(sorted_words(row.held) == sorted_words(expected.held));
      }
    }
  }
  return played;
}

}  // namespace

TEST_CASE("both engines decide what the real scheduler decided") {
  const auto path = shared_file("data/engine_cases/vllm_v1_sync.json");
  if (path) CHECK(play_cases(*path) == 30);
}

TEST_CASE("both engines decide what the real scheduler decided when it planned ahead") {
  const auto path = shared_file("data/engine_cases/vllm_v1_async.json");
  if (path) CHECK(play_cases(*path) == 10);
}

TEST_CASE("both engines decide what the real scheduler decided where KV was loaded from elsewhere") {
  const auto path = shared_file("data/engine_cases/vllm_v1_remote_kv.json");
  if (path) CHECK(play_cases(*path) == 10);
}

}  // namespace decodesim::tests
