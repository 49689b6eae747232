#pragma once
// Small servers on a grid of seconds, and runs of them on every engine that schedules are tested on.

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "tests/support/engines.hpp"
#include "tests/support/schedule_table.hpp"
#include "tests/support/step_cost.hpp"

namespace decodesim::tests {

inline const GridCost one_second(std::chrono::seconds(1));

/// A server all of whose steps begin at whole seconds and last one.
inline ServerConfig server_on_seconds(std::int64_t blocks, std::int64_t block_size) {
  ServerConfig config;
  config.num_blocks = config.usable_blocks = blocks;
  config.block_size = block_size;
  config.max_model_len = 1000;
  config.cost = &one_second;
  config.grid_step = std::chrono::seconds(1);
  return config;
}

/// The same of vLLM V1, which keeps one block more to itself.
inline ServerConfig vllm_v1_on_seconds(std::int64_t usable, std::int64_t block_size, std::int64_t budget) {
  ServerConfig config = server_on_seconds(usable, block_size);
  config.num_blocks = usable + 1;
  config.scheduler.max_num_batched_tokens = budget;
  return config;
}

/// Plays `requests` on every engine, seen by the observers that `watch` makes for it, and calls `expect` after each run; the
/// invariants hold in any case.
void play_every_engine(const ServerConfig& config, const std::vector<Request>& requests,
                       const std::function<std::vector<Observer*>()>& watch, const std::function<void()>& expect);

/// The same with new `Watchers` for each run, which `expect` is given.
template <class... Watchers, class Expect>
void watch_every_engine(const ServerConfig& config, const std::vector<Request>& requests, Expect expect) {
  std::optional<std::tuple<Watchers...>> watchers;
  const auto watch = [&] {
    return std::apply([](auto&... watcher) { return std::vector<Observer*>{&watcher...}; }, watchers.emplace());
  };
  play_every_engine(config, requests, watch, [&] { std::apply(expect, *watchers); });
}

/// The same with the schedule.
template <class Expect>
void on_every_engine(const ServerConfig& config, const std::vector<Request>& requests, Expect expect) {
  watch_every_engine<ScheduleTable>(config, requests, expect);
}

}  // namespace decodesim::tests
