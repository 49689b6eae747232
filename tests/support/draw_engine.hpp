#pragma once
// Random engines with random knobs.

#include <cstdint>
#include <vector>

#include "sim/serving/server_config.hpp"
#include "tests/support/draws.hpp"

namespace decodesim::tests {

/// The ranges that make a scenario small or large.
struct Ranges {
  std::int64_t requests_max;
  std::int64_t short_max;  // tokens of a short prompt or answer, and of a long one
  std::int64_t long_max;
  std::int64_t num_seqs_max;
  std::int64_t small_budget_max;
  std::int64_t budget_max;
  std::int64_t blocks_max;
};
/// Draws the engine of `server`, its knobs, its max_model_len and how prompts reach it. Knobs that the engine does not
/// read keep their defaults.
void draw_scheduler(Draws& draws, const Ranges& ranges, ServerConfig& server);

/// Gives the requests what only some engines look at: priorities, shared prefixes, tenants.
void draw_engine_requests(Draws& draws, const ServerConfig& server, std::vector<Request>& requests);

}  // namespace decodesim::tests
