#pragma once
// What each engine promises beyond what holds for all.

#include "sim/serving/server_config.hpp"

namespace decodesim::tests {

/// What the engine at hand promises beyond what holds for all.
struct EngineRules {
  bool in_admission_order = false;  // running sequences are served in the order of admission, none left out
  bool by_arrival = false;          // running sequences are in the order of arrival instead
  bool evicts_last_admitted = false;
  bool victims_to_head = false;   // else where the next schedule shows them
  bool first_come_first = false;  // the head is admitted first, and nobody before one who came earlier
  bool evicts_or_admits = false;  // never both in a pass
  bool exact_tables = false;      // a table covers the cached tokens and no more
  bool has_tables = false;        // blocks have identities
  bool own_blocks = false;        // no block is in two tables
  bool within_budget = false;     // max_num_batched_tokens holds
  bool exact_limit = false;       // the limit told is checked against what happened
  bool late_endings = false;      // who got its last token holds its place during the next pass
};
EngineRules rules_of(const ServerConfig& server);

}  // namespace decodesim::tests
