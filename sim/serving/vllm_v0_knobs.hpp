#pragma once
// What only vLLM V0 is asked.

#include <string_view>

namespace decodesim {

/// What becomes of a victim's KV where no `kv_fate` is chosen.
enum class PreemptionMode { recompute, swap };
inline constexpr std::string_view preemption_mode_names[] = {"recompute", "swap"};

/// When a decoding sequence may go on: the first block manager wanted a free block for it whether or not its token starts
/// one, the later one counts.
enum class AppendCheck { heuristic, exact };
inline constexpr std::string_view append_check_names[] = {"heuristic", "exact"};

struct VllmV0Knobs {
  PreemptionMode preemption_mode = PreemptionMode::recompute;
  AppendCheck append_check = AppendCheck::heuristic;
  double delay_factor = 0;  // prompts wait until the oldest has waited so many times the last prompt step; 0: never
};

}  // namespace decodesim
