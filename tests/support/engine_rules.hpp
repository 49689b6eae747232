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
  bool never_evicts = false;
  std::string victim{};             // the rule by which each victim is the right one, by its name on that axis
  bool stalls = false;              // decodes may wait for prompts, or start anew for each token: progress is slower
  bool gives_up = false;            // requests that it cannot serve leave it
  bool may_cycle = false;           // requests may evict each other without end, so no progress is promised
  bool victims_to_head = false;     // else where the next schedule shows them
  bool victims_to_tail = false;     // behind all that wait at the start of the pass
  bool victims_by_rank = false;     // before all that arrived later
  bool by_priority = false;         // all that wait are sorted by priority, arrival and index
  bool takes_head = false;          // the head is admitted first
  bool first_come_first = false;    // and nobody before one who came earlier
  bool evicts_or_admits = false;    // never both in a pass
  bool exact_tables = false;        // a table covers the cached tokens and no more
  bool exact_slots = false;         // with those of drafts
  bool has_tables = false;          // blocks have identities
  bool own_blocks = false;          // no block is in two tables, but one that was hit or merged
  bool caches_prefixes = false;     // full blocks are found by who begins with the same tokens
  bool hashes_ahead = false;        // from the moment on in which the tokens that fill them are scheduled
  bool merges_blocks = false;       // full blocks of the same tokens are one, and all but the last token can be found
  bool finds_parts = false;         // and the beginning of one more
  bool within_budget = false;       // max_num_batched_tokens holds
  bool exact_limit = false;         // the limit told is checked against what happened
  bool holds_beyond_limit = false;  // more than max_num_seqs may hold memory; in a step only so many get tokens
  bool urgent_first = false;        // who comes later can take the place of who runs
  bool may_stand_still = false;     // requests can block each other for ever, though each fits alone
  bool late_endings = false;        // who got its last token holds its place during the next pass
  bool late_tokens = false;         // and is served in it, and whom a pass evicts loses what the step before yielded
  bool takes_turns = false;         // sequences are left out for others, so more than max_num_seqs may hold KV
  bool has_radix_tree = false;      // an admission may find what others computed
  bool prompts_or_tokens = false;   // a pass that computes prompts lets all that decode wait
  bool all_decode = false;          // all that decode get a token in a pass, or none
};
EngineRules rules_of(const ServerConfig& server);

}  // namespace decodesim::tests
