#pragma once
// The knobs of TensorRT-LLM's schedulers, by its own names. The capacity policy is the engine's name, and tokens_per_block
// is memory.block_size.

#include <cstdint>
#include <optional>

namespace decodesim {

/// How prompts that do not fit a step together are cut; `none`: a prompt is computed whole.
enum class ChunkPolicy { none, first_come_first_served, equal_progress, force_chunk };

struct TrtllmKnobs {
  std::optional<std::int64_t> max_batch_size;  // sequences that get tokens in a step; absent: max_num_seqs
  std::optional<std::int64_t> max_num_tokens;  // absent: max_num_batched_tokens
  ChunkPolicy context_chunking_policy = ChunkPolicy::none;
  std::optional<std::int64_t> chunk_unit;  // a chunk that is cut is a multiple of it; absent: a block
  std::optional<std::int64_t> max_context_length;
  bool enable_block_reuse = true;
  bool enable_partial_reuse = true;       // of a block that is matched in part, its beginning
  bool copy_on_partial_reuse = true;      // also where somebody holds it, or others stand behind it
  bool microbatch_reuse_discount = true;  // reused tokens do not count against max_num_tokens
};

}  // namespace decodesim
