#pragma once
// What SGLang's command line and environment let one choose about its scheduler, under SGLang's names.

#include <cstdint>

namespace decodesim {

/// In which order SGLang looks at its waiting requests.
enum class SglangOrder {
  fcfs,        // as they came, victims last
  lpm,         // the longest match in the radix tree first
  dfs_weight,  // along the radix tree, the branch with most of them first
  lof,         // the largest max_tokens first
  random
};

/// Whom SGLang takes back where the next step of its batch does not fit.
enum class SglangRetraction {
  length,   // the fewest generated tokens first
  priority  // the least urgent first, then by length
};

/// When enough are taken back.
enum class SglangRetractTarget {
  next_step,  // the next decode step fits
  k_steps     // retract_decode_steps of those that are left fit
};

struct SglangKnobs {
  bool disable_radix_cache = false;
  std::int64_t chunked_prefill_size = 8192;  // tokens; 0: no chunks, for which the real one takes -1
  std::int64_t max_prefill_tokens = 16384;
  bool enable_mixed_chunk = false;
  SglangOrder schedule_policy = SglangOrder::fcfs;
  double schedule_conservativeness = 1;
  bool enable_priority_scheduling = false;
  std::int64_t priority_scheduling_preemption_threshold = 10;
  SglangRetraction retraction_policy = SglangRetraction::length;
  SglangRetractTarget retract_target = SglangRetractTarget::next_step;
  std::int64_t retract_decode_steps = 20;
  std::int64_t clip_max_new_tokens = 4096;  // of estimates only
  double init_new_token_ratio = 0.7;
  double min_new_token_ratio_factor = 0.14;
  std::int64_t new_token_ratio_decay_steps = 600;
};

}  // namespace decodesim
