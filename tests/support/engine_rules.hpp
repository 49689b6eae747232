#pragma once
// What each engine promises beyond what holds for all.

#include <string>

#include "sim/serving/server_config.hpp"

namespace decodesim::tests {

/// What the engine at hand promises beyond what holds for all.
struct EngineRules {
  bool in_admission_order = false;  // running sequences are served in the order of admission, none left out
  bool by_arrival = false;          // running sequences are in the order of arrival instead
  bool evicts_last_admitted = false;
  std::string victim{};            // the rule by which each victim is the right one, by its name on that axis
  bool may_cycle = false;          // requests may evict each other without end, so no progress is promised
  bool victims_to_head = false;    // else where the next schedule shows them
  bool victims_to_tail = false;    // behind all that wait at the start of the pass
  bool victims_by_rank = false;    // before all that arrived later
  bool by_priority = false;        // all that wait are sorted by priority, arrival and index
  bool takes_head = false;         // the head is admitted first
  bool first_come_first = false;   // and nobody before one who came earlier
  bool evicts_or_admits = false;   // never both in a pass
  bool exact_tables = false;       // a table covers the cached tokens and no more
  bool has_tables = false;         // blocks have identities
  bool own_blocks = false;         // no block is in two tables
  bool has_radix_tree = false;     // an admission may find what others computed
  bool prompts_or_tokens = false;  // a pass that computes prompts lets all that decode wait
  bool prompts_first = false;      // before those that decode
  bool all_decode = false;         // all that decode get a token in a pass, or none
  bool within_budget = false;      // max_num_batched_tokens holds
  bool exact_limit = false;        // the limit told is checked against what happened
};
EngineRules rules_of(const ServerConfig& server);

}  // namespace decodesim::tests
