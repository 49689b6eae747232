#include "sim/serving/lock_step.hpp"

#include "sim/core/check.hpp"

namespace decodesim {

namespace {
// Wide enough that a member is passed over less than once in a thousand tokens, small enough to stay in the cache.
constexpr std::int64_t finish_slots = 1024;
}  // namespace

LockStep::LockStep(std::int64_t block_size)
    : block_size_(block_size),
      boundaries_(static_cast<std::size_t>(block_size)),
      finishes_(static_cast<std::size_t>(finish_slots)) {}

std::size_t LockStep::boundary_slot_of(const Sequence& member) const {
  // It needs a block at the steps s for which cached_at_zero + s is a multiple of the block size.
  const std::int64_t remainder = (-member.cached_at_zero) % block_size_;
  return static_cast<std::size_t>(remainder < 0 ? remainder + block_size_ : remainder);
}

std::size_t LockStep::finish_slot_of(std::int64_t step) { return static_cast<std::size_t>(step % finish_slots); }

void LockStep::join(Sequence& sequence) {
  check(sequence.cached + 1 == sequence.known(), "a sequence decodes when all but its newest token are cached");
  sequence.state = SequenceState::decoding;
  sequence.cached_at_zero = sequence.cached - step_;
  sequence.finish_step = step_ + sequence.output_tokens - sequence.generated;
  sequence.times_as_of = step_;
  boundaries_[boundary_slot_of(sequence)].insert_by_order(sequence);
  finishes_[finish_slot_of(sequence.finish_step)].push_back(sequence);
  if (size_ == 0) last_token_ = sequence.last_token;
  if (sequence.last_token != last_token_) newcomers_.push_back(&sequence);
  ++size_;
  cached_ += sequence.cached;
  tally_.joined(sequence.client, step_);
  ++changes_;
}

void LockStep::remove(Sequence& member) {
  const std::int64_t cached_now = cached(member);
  boundaries_[boundary_slot_of(member)].remove(member);
  finishes_[finish_slot_of(member.finish_step)].remove(member);
  --size_;
  cached_ -= cached_now;
  tally_.left(member.client, step_);
  ++changes_;
  member.cached = cached_now;
  member.generated = cached_now + 1 - member.request.input_tokens;
}

// Who joined or was a newcomer since the last step has its own times already; of the others the cohort knows them.
void LockStep::write_times(Sequence& member) const {
  if (member.times_as_of == step_) return;
  member.token_before = token_before_;
  member.last_token = last_token_;
}

void LockStep::leave(Sequence& member) {
  std::erase(newcomers_, &member);
  write_times(member);
  remove(member);
}

void LockStep::advance(Time end, std::vector<TokenGap>& gaps, std::vector<Sequence*>& finished) {
  if (size_ == 0) return;
  const std::int64_t others = size_ - static_cast<std::int64_t>(newcomers_.size());
  if (others > 0) gaps.push_back({end - last_token_, others});
  ++step_;
  for (Sequence* newcomer : newcomers_) {
    gaps.push_back({end - newcomer->last_token, 1});
    newcomer->token_before = newcomer->last_token;
    newcomer->last_token = end;
    newcomer->times_as_of = step_;
  }
  newcomers_.clear();

  if (++boundary_slot_ == boundaries_.size()) boundary_slot_ = 0;
  cached_ += size_;
  token_before_ = last_token_;
  last_token_ = end;

  for (Sequence* member = finishes_[finish_slot_of(step_)].front(); member != nullptr;) {
    Sequence* next = SequenceList<&Sequence::finish>::after(*member);
    if (member->finish_step == step_) {
      write_times(*member);
      remove(*member);
      finished.push_back(member);
    }
    member = next;
  }
}

}  // namespace decodesim
