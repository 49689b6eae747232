#pragma once
// How TensorRT-LLM shares a step's tokens among prompts that do not all fit.

#include <cstdint>
#include <optional>
#include <vector>

namespace decodesim {

/// A prompt that wants tokens in a step.
struct ContextLeft {
  std::int64_t remaining = 0;  // tokens without KV of its own, those that can be reused included
  std::int64_t reusable = 0;   // of them, those whose KV is expected in place: they cost nothing
};

/// What it gets. `chunk` is what the engine calls its chunk: under some policies the reused tokens are a part of it.
struct ChunkShare {
  std::int64_t chunk = 0;
  std::int64_t computed = 0;  // tokens that the step computes of it, and is charged for

  friend bool operator==(const ChunkShare&, const ChunkShare&) = default;
};

struct ChunkLimits {
  std::optional<std::int64_t> capacity;            // tokens that the step has left for prompts
  std::int64_t unit = 1;                           // chunks that are cut are multiples of it
  std::optional<std::int64_t> max_context_length;  // most computed tokens of one prompt
};

/// In order: each takes what is left, and rounds down to the unit where that cuts it, perhaps to nothing.
std::vector<ChunkShare> first_come_first_served_chunks(const std::vector<ContextLeft>& contexts,
                                                       const ChunkLimits& limits);
/// A unit for each in turn, again and again, while the total fits; who does not fit is passed over.
std::vector<ChunkShare> equal_progress_chunks(const std::vector<ContextLeft>& contexts, const ChunkLimits& limits);
/// One unit for each, nothing for those that overflow; what could be reused is computed and charged all the same.
std::vector<ChunkShare> forced_chunks(const std::vector<ContextLeft>& contexts, const ChunkLimits& limits);

}  // namespace decodesim
