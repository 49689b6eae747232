#include "sim/serving/lock_step.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace decodesim {

namespace {
// Wide enough that a member is passed over less than once in a thousand tokens, small enough to stay in the cache.
constexpr std::int64_t finish_slots = 1024;
}  // namespace

LockStep::LockStep(std::int64_t block_size, const Gains& gains, std::int64_t clip)
    : block_size_(block_size),
      gains_(gains),
      clip_(clip),
      boundaries_(static_cast<std::size_t>(block_size)),
      finishes_(static_cast<std::size_t>(finish_slots)) {}

std::size_t LockStep::boundary_slot_of(const Sequence& member) const {
  // It needs a block at the token counts t for which cached_at_zero + t is a multiple of the block size.
  const std::int64_t remainder = (-member.cached_at_zero) % block_size_;
  return static_cast<std::size_t>(remainder < 0 ? remainder + block_size_ : remainder);
}

std::size_t LockStep::finish_slot_of(std::int64_t token) { return static_cast<std::size_t>(token % finish_slots); }

void LockStep::join(Sequence& sequence) {
  check(sequence.cached + 1 == sequence.known(), "a sequence decodes when all but its newest token are cached");
  sequence.state = SequenceState::decoding;
  sequence.cached_at_zero = sequence.cached - tokens_;
  sequence.finish_token = tokens_ + sequence.output_tokens - sequence.generated;
  sequence.times_as_of = step_;
  boundaries_[boundary_slot_of(sequence)].insert_by_order(sequence);
  finishes_[finish_slot_of(sequence.finish_token)].push_back(sequence);
  if (size_ == 0) last_token_ = sequence.last_token;
  if (sequence.last_token != last_token_) newcomers_.push_back(&sequence);
  ++size_;
  cached_ += sequence.cached;
  clip_in(sequence.cached);
  tally_.joined(sequence.tenant, tokens_);
  ++changes_;
}

void LockStep::remove(Sequence& member) {
  const std::int64_t cached_now = cached(member);
  boundaries_[boundary_slot_of(member)].remove(member);
  finishes_[finish_slot_of(member.finish_token)].remove(member);
  --size_;
  cached_ -= cached_now;
  clip_out(cached_now);
  tally_.left(member.tenant, tokens_);
  ++changes_;
  member.cached = cached_now;
  member.generated = cached_now + 1 - member.request.input_tokens;
}

void LockStep::clip_in(std::int64_t cached) {
  if (clip_ == StepShape::unclipped) return;
  clipped_ += std::min(cached + 1, clip_);
  if (cached + 1 >= clip_) return;
  ++below_clip_;
  ++reach_clip_[tokens_ + clip_ - 1 - cached];
}

void LockStep::clip_out(std::int64_t cached) {
  if (clip_ == StepShape::unclipped) return;
  clipped_ -= std::min(cached + 1, clip_);
  if (cached + 1 >= clip_) return;
  --below_clip_;
  const auto reaching = reach_clip_.find(tokens_ + clip_ - 1 - cached);
  if (--reaching->second == 0) reach_clip_.erase(reaching);
}

// All members have got a token.
void LockStep::clip_at_token() {
  clipped_ += below_clip_;
  if (reach_clip_.empty() || reach_clip_.begin()->first != tokens_) return;
  below_clip_ -= reach_clip_.begin()->second;
  reach_clip_.erase(reach_clip_.begin());
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

std::int64_t LockStep::advance(Time end, std::vector<TokenGap>& gaps, std::vector<Sequence*>& finished) {
  if (size_ == 0) return 0;
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
  token_before_ = last_token_;
  last_token_ = end;

  // Token by token, so that who ends with one of them is gone before the next.
  std::int64_t came = 0;
  for (std::int64_t left = gains_.next(); left > 0 && size_ > 0; --left) {
    ++tokens_;
    if (++boundary_slot_ == boundaries_.size()) boundary_slot_ = 0;
    cached_ += size_;
    clip_at_token();
    came += size_;
    finish_at_token(finished);
  }
  return came;
}

// Those whose last token is the one that all have got just now.
void LockStep::finish_at_token(std::vector<Sequence*>& finished) {
  for (Sequence* member = finishes_[finish_slot_of(tokens_)].front(); member != nullptr;) {
    Sequence* next = SequenceList<&Sequence::finish>::after(*member);
    if (member->finish_token == tokens_) {
      write_times(*member);
      remove(*member);
      finished.push_back(member);
    }
    member = next;
  }
}

}  // namespace decodesim
