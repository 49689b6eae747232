#pragma once
// What only Sarathi-Serve is asked.

#include <cstdint>
#include <string_view>

namespace decodesim {

/// Whether a step's chunk has one size, or shrinks while a prompt proceeds.
enum class ChunkSchedule { fixed, linear };
inline constexpr std::string_view chunk_schedule_names[] = {"fixed", "linear"};

/// Whether chunks of prompts share a step with those that decode, or take turns with them.
enum class SarathiBatching { stall_free, in_turn };
inline constexpr std::string_view sarathi_batching_names[] = {"stall_free", "in_turn"};

struct SarathiKnobs {
  SarathiBatching batching = SarathiBatching::stall_free;
  std::int64_t chunk_size = 512;  // most tokens of a step, decodes counted; decodes alone may pass it
  ChunkSchedule chunk_schedule = ChunkSchedule::fixed;
  // `linear`: from high to low in so many stages, each the same part of the tokens that the schedule is made for.
  std::int64_t chunk_size_high = 2048;
  std::int64_t chunk_size_low = 256;
  std::int64_t chunk_schedule_tokens = 8192;
  std::int64_t chunk_schedule_stages = 16;
};

}  // namespace decodesim
