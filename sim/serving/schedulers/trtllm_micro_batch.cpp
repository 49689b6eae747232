#include "sim/serving/schedulers/trtllm_micro_batch.hpp"

#include <algorithm>

namespace decodesim {

namespace {

class Walk {
 public:
  Walk(const std::vector<BatchCandidate>& candidates, const BatchLimits& limits)
      : candidates_(candidates), limits_(limits) {
    batch_.shares.resize(candidates.size());
    batch_.advanced.resize(candidates.size());
  }

  MicroBatch run() {
    for (std::size_t i = 0; i < candidates_.size() && batch_.stop == BatchStop::none; ++i) {
      if (candidates_[i].in_flight) continue;
      if (places_left() == 0) {
        batch_.stop = BatchStop::batch_size;
      } else if (candidates_[i].context) {
        take_context(i);
      } else {
        advance(i);
      }
    }
    if (limits_.policy != ChunkPolicy::none) cut_contexts();
    return batch_;
  }

 private:
  [[nodiscard]] std::int64_t places_left() const { return limits_.max_batch_size - size_; }
  [[nodiscard]] bool fits(std::int64_t tokens) const {
    return !limits_.max_num_tokens || tokens_ + tokens <= *limits_.max_num_tokens;
  }

  void advance(std::size_t i) {
    const BatchCandidate& some = candidates_[i];
    const std::int64_t cost = some.beam_width + some.draft_tokens;
    std::int64_t count = std::min(some.generations, places_left());
    if (count < some.generations) batch_.stop = BatchStop::batch_size;
    if (limits_.max_num_tokens) {
      const std::int64_t within = (*limits_.max_num_tokens - tokens_) / cost;
      if (within < count) {
        count = within;
        batch_.stop = BatchStop::tokens;
      }
    }
    if (count == 0) return;
    // The first generation sets the beam width of the batch; others of another width wait.
    if (beam_width_ == 0) beam_width_ = some.beam_width;
    if (some.beam_width != beam_width_) {
      batch_.stop = BatchStop::none;
      return;
    }
    batch_.advanced[i] = count;
    tokens_ += count * cost;
    size_ += count;
  }

  void take_context(std::size_t i) {
    const ContextLeft& context = *candidates_[i].context;
    const std::int64_t drafts = candidates_[i].draft_tokens;
    if (limits_.policy == ChunkPolicy::none) {
      const std::int64_t computed = std::max<std::int64_t>(1, context.remaining - context.reusable);
      if (!fits(computed + drafts)) {
        batch_.stop = BatchStop::tokens;
        return;
      }
      batch_.shares[i] = {context.remaining, computed};
      tokens_ += computed + drafts;
    } else {
      // It takes its place in the batch whether or not a chunk will be left for it.
      std::int64_t wanted = context.remaining - context.reusable + drafts;
      if (limits_.max_context_length && wanted > *limits_.max_context_length) {
        wanted = *limits_.max_context_length;
        all_fit_ = false;
      }
      wanted_ += wanted;
      to_be_cut_.push_back(i);
    }
    ++size_;
  }

  void cut_contexts() {
    if (!fits(wanted_) || limits_.policy == ChunkPolicy::force_chunk) all_fit_ = false;
    std::vector<ContextLeft> contexts;
    for (const std::size_t i : to_be_cut_) contexts.push_back(*candidates_[i].context);
    ChunkLimits chunks{std::nullopt, limits_.chunk_unit, limits_.max_context_length};
    if (limits_.max_num_tokens) chunks.capacity = *limits_.max_num_tokens - tokens_;

    std::vector<ChunkShare> shares;
    if (all_fit_) {
      for (const ContextLeft& one : contexts) shares.push_back({one.remaining, one.remaining - one.reusable});
    } else if (limits_.policy == ChunkPolicy::first_come_first_served) {
      shares = first_come_first_served_chunks(contexts, chunks);
    } else if (limits_.policy == ChunkPolicy::equal_progress) {
      shares = equal_progress_chunks(contexts, chunks);
    } else {
      shares = forced_chunks(contexts, chunks);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) batch_.shares[to_be_cut_[i]] = shares[i];
  }

  const std::vector<BatchCandidate>& candidates_;
  const BatchLimits& limits_;
  MicroBatch batch_;
  std::int64_t tokens_ = 0;
  std::int64_t size_ = 0;
  std::int64_t beam_width_ = 0;
  std::int64_t wanted_ = 0;
  bool all_fit_ = true;
  std::vector<std::size_t> to_be_cut_;
};

}  // namespace

MicroBatch micro_batch(const std::vector<BatchCandidate>& candidates, const BatchLimits& limits) {
  return Walk(candidates, limits).run();
}

}  // namespace decodesim
