#pragma once
// TensorRT-LLM's micro-batch scheduler: of those that may hold memory, who gets how many tokens in this step.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/serving/schedulers/trtllm_chunking.hpp"
#include "sim/serving/trtllm_knobs.hpp"

namespace decodesim {

struct BatchLimits {
  std::int64_t max_batch_size = 0;
  std::optional<std::int64_t> max_num_tokens;
  ChunkPolicy policy = ChunkPolicy::none;
  std::int64_t chunk_unit = 1;
  std::optional<std::int64_t> max_context_length;  // where prompts are cut
};

/// One that capacity admitted, in the order of the active list: a prompt, or several generations that stand together.
struct BatchCandidate {
  std::optional<ContextLeft> context;  // none: generations
  std::int64_t generations = 1;
  std::int64_t beam_width = 1;
  std::int64_t draft_tokens = 0;
  bool in_flight = false;  // in another micro-batch, which is not over
};

/// What stopped the walk over the candidates before their end.
enum class BatchStop { none, batch_size, tokens };

struct MicroBatch {
  std::vector<ChunkShare> shares;      // of the prompts among the candidates, others are empty
  std::vector<std::int64_t> advanced;  // generations of each candidate that get their token
  BatchStop stop = BatchStop::none;
};

MicroBatch micro_batch(const std::vector<BatchCandidate>& candidates, const BatchLimits& limits);

}  // namespace decodesim
