#include "sim/serving/reserved_memory.hpp"

#include <utility>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/rounding.hpp"
#include "sim/serving/block_pool.hpp"
#include "sim/serving/buddy_region.hpp"

namespace decodesim {

bool ReservedMemory::reserve(Sequence& sequence) {
  if (!take(sequence)) return false;
  ++holders_;
  final_length_ += sequence.request.input_tokens + sequence.output_tokens;
  return true;
}

void ReservedMemory::release(Sequence& sequence, Released) {
  --holders_;
  final_length_ -= sequence.request.input_tokens + sequence.output_tokens;
  put_aside(sequence);
  if (!holds_finished_ || holders_ == 0) give_back_finished();
}

namespace {

/// Blocks for max_model_len tokens, anywhere in the pool: the baselines of the public ports.
class BlocksForMaximum final : public ReservedMemory {
 public:
  BlocksForMaximum(const ServerConfig& server, bool holds_finished)
      : ReservedMemory(holds_finished),
        pool_(server.usable_blocks),
        block_size_(server.block_size),
        blocks_each_(ceil_div(server.max_model_len, server.block_size)) {}

  [[nodiscard]] std::int64_t total() const override { return pool_.total(); }
  [[nodiscard]] std::int64_t free() const override { return pool_.free(); }
  [[nodiscard]] KvSlots slots() const override {
    return {
        .total = pool_.total() * block_size_, .requested = pool_.used() * block_size_, .final_length = final_length()};
  }
  [[nodiscard]] bool could_hold(const Request&, std::int64_t) const override { return blocks_each_ <= pool_.total(); }

 private:
  [[nodiscard]] bool take(Sequence& sequence) override { return pool_.allocate(blocks_each_, sequence.blocks); }
  void put_aside(Sequence& sequence) override {
    finished_.push_back(std::move(sequence.blocks));
    sequence.blocks.clear();
  }
  void give_back_finished() override {
    for (BlockTable& blocks : finished_) pool_.release(blocks);
    finished_.clear();
  }

  BlockPool pool_;
  std::int64_t block_size_;
  std::int64_t blocks_each_;
  std::vector<BlockTable> finished_;
};

/// One contiguous chunk of a buddy region a sequence. Its pool has no blocks of its own: free blocks are what the free
/// slots would make.
class ContiguousMemory final : public ReservedMemory {
 public:
  ContiguousMemory(const ServerConfig& server, bool holds_finished)
      : ReservedMemory(holds_finished),
        rule_(server.scheduler.reservation),
        max_model_len_(server.max_model_len),
        block_size_(server.block_size),
        region_(server.usable_blocks * server.block_size) {}

  [[nodiscard]] std::int64_t total() const override { return region_.slots() / block_size_; }
  [[nodiscard]] std::int64_t free() const override { return region_.free() / block_size_; }
  [[nodiscard]] KvSlots slots() const override {
    return {.total = region_.slots(), .requested = requested_, .final_length = final_length()};
  }
  [[nodiscard]] bool could_hold(const Request& request, std::int64_t output_tokens) const override {
    return region_.could_hold(requested(request.input_tokens, output_tokens));
  }

 private:
  struct Taken {
    BuddyRegion::Chunk chunk;
    std::int64_t requested = 0;
  };

  [[nodiscard]] bool take(Sequence& sequence) override {
    const std::int64_t wanted = requested(sequence.request.input_tokens, sequence.output_tokens);
    const auto chunk = region_.allocate(wanted);
    if (!chunk) return false;
    if (chunks_.size() <= sequence.slot) chunks_.resize(sequence.slot + 1);
    chunks_[sequence.slot] = {*chunk, wanted};
    requested_ += wanted;
    return true;
  }
  void put_aside(Sequence& sequence) override { finished_.push_back(chunks_[sequence.slot]); }
  void give_back_finished() override {
    for (const Taken& taken : finished_) {
      region_.release(taken.chunk);
      requested_ -= taken.requested;
    }
    finished_.clear();
  }

  // Only the first rule is one that a server can follow; the others look at the real output, as the baselines of the
  // paged-attention paper do, to show what even such knowledge would waste.
  [[nodiscard]] std::int64_t requested(std::int64_t input, std::int64_t output) const {
    switch (rule_) {
      case Reservation::power_of_two:
        return input + power_of_two_for(output);
      case Reservation::oracle:
        return input + output;
      case Reservation::blocks:
      case Reservation::maximum:
        break;
    }
    return max_model_len_;
  }

  Reservation rule_;
  std::int64_t max_model_len_;
  std::int64_t block_size_;
  BuddyRegion region_;
  std::int64_t requested_ = 0;
  std::vector<Taken> chunks_;  // by slot
  std::vector<Taken> finished_;
};

}  // namespace

std::unique_ptr<ReservedMemory> make_reserved_memory(const ServerConfig& server, bool holds_finished) {
  if (server.scheduler.reservation == Reservation::blocks)
    return std::make_unique<BlocksForMaximum>(server, holds_finished);
  return std::make_unique<ContiguousMemory>(server, holds_finished);
}

}  // namespace decodesim
