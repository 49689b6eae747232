#pragma once
// Random servers with their requests, for runs that must agree or obey.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/cost_model.hpp"
#include "sim/report/report_spec.hpp"
#include "sim/serving/server_config.hpp"
#include "sim/workload/request.hpp"

namespace decodesim::tests {

/// Small ones are quick and easy to read; large ones have up to 160 requests of up to 700 tokens and 4,000 blocks.
enum class ScenarioSize { small, large };
enum class ScenarioCost { grid, shape, ideal, roofline, calibrated };

struct RandomScenario {
  std::uint64_t seed = 0;
  ServerConfig server;                      // its cost model is `cost`
  std::vector<Request> requests;            // in the order of arrival
  std::optional<std::int64_t> concurrency;  // a closed loop
  std::optional<Time> closes;               // when nobody asks any more
  MemorySpec memory;                        // what it says of the host
  ScenarioCost cost_kind = ScenarioCost::grid;
  std::int64_t window = 0;  // tokens that every second layer sees; 0: all see everything
  std::unique_ptr<CostModel> cost;
  RunSpec run;
  SloSpec slo;

  /// The scenario as a file that plays it. What no file can say (a made-up cost model, a closed loop over a list of
  /// requests) is a comment in it.
  [[nodiscard]] std::string yaml() const;
};

/// The scenario of a seed. Small: pools of 3 to 60 blocks of 1 to 16 tokens, 1 to 14 requests of 1 to 40 tokens in and
/// out, every knob of the scheduler. Each seed first draws how often it uses each feature, so that some scenarios are
/// full of a feature and some without it.
RandomScenario random_scenario(std::uint64_t seed, ScenarioSize size = ScenarioSize::small);

/// Seeds 1 to this one are played by the property tests: 5,000, or what DECODESIM_SCENARIOS says for a longer soak.
std::uint64_t last_seed();

}  // namespace decodesim::tests
