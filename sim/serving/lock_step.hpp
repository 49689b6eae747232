#pragma once
// Sequences that decode together, as many tokens a step as all of them, without being walked.

#include <cstdint>
#include <map>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/model/step_shape.hpp"
#include "sim/serving/observer.hpp"
#include "sim/serving/sequence.hpp"
#include "sim/serving/speculation.hpp"
#include "sim/serving/tenant_tally.hpp"

namespace decodesim {

/// The cohort of decoding sequences. It counts the tokens that each member got, one a step or several where drafts are
/// verified; a member's cached tokens are a constant plus that count, so that a step changes nothing in a member. Two
/// calendars, keyed by that count, say whom a step touches:
///
///  * boundaries: members whose next token starts a new block. A member comes up every `block_size` tokens, so one ring of
///    `block_size` lists holds it for its whole stay, and each list is sorted by admission, the order of allocation;
///  * finishes: members whose last token a step yields, in a wheel of lists; a list also holds those whose turn comes in
///    a later round, and a step passes over them: one look a member every `finish_slots` tokens.
///
/// Where some layers see at most `clip` tokens, a third calendar counts who comes to see as many with which token, so that
/// the sum of what the members see there is kept without looking at them.
class LockStep {
 public:
  explicit LockStep(std::int64_t block_size, const Gains& gains = {}, std::int64_t clip = StepShape::unclipped);

  using BoundaryList = SequenceList<&Sequence::boundary>;

  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Tokens that the members attend to in their next step, their own included.
  [[nodiscard]] std::int64_t next_context() const { return cached_ + size_; }
  /// The same where each sees at most the clip.
  [[nodiscard]] std::int64_t next_clipped() const { return clip_ == StepShape::unclipped ? next_context() : clipped_; }
  /// Members whose next token needs a new block, by order of admission.
  [[nodiscard]] const BoundaryList& at_boundary() const { return boundaries_[boundary_slot_]; }
  /// Members whose next token fills a block: those at the boundary one step later.
  [[nodiscard]] const BoundaryList& filling() const {
    const std::size_t next = boundary_slot_ + 1;
    return boundaries_[next == boundaries_.size() ? 0 : next];
  }
  /// Members for whom a block begins behind their next `tokens` ones, at most a block of tokens ahead or back.
  [[nodiscard]] const BoundaryList& at_boundary_after(std::int64_t tokens) const {
    const std::int64_t slot = static_cast<std::int64_t>(boundary_slot_) + tokens + block_size_;
    return boundaries_[static_cast<std::size_t>(slot % block_size_)];
  }
  [[nodiscard]] std::int64_t cached(const Sequence& member) const { return member.cached_at_zero + tokens_; }

  /// How often somebody joined or left. Between two passes with the same count the same members all got the same tokens.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Tokens that a member got which was there from the beginning.
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  /// Output tokens that a tenant got so far, those outside the lock-step included.
  [[nodiscard]] std::int64_t tokens_of(std::size_t tenant) const { return tally_.tokens(tenant, tokens_); }
  /// Counts a token that a sequence got outside the lock-step.
  void count_outside(const Sequence& sequence) { tally_.count(sequence.tenant); }
  /// The newest token of one that is no member any more is taken back.
  void take_back(const Sequence& sequence) { tally_.take_back(sequence.tenant); }

  /// Takes in a sequence that is ready to decode: all its known tokens but the newest are cached.
  void join(Sequence& sequence);
  /// Lets a member go before its end, and writes its cached and generated tokens and its last tokens' times into it.
  void leave(Sequence& member);

  /// One step of all members, which ends at `end`: adds the gap between their tokens to `gaps`, and appends those that
  /// finish with it to `finished`, after they left. Tokens of one step arrive together, after one gap; who has fewer left
  /// than the others get takes those. Returns how many came out of all.
  std::int64_t advance(Time end, std::vector<TokenGap>& gaps, std::vector<Sequence*>& finished);

 private:
  [[nodiscard]] std::size_t boundary_slot_of(const Sequence& member) const;
  [[nodiscard]] static std::size_t finish_slot_of(std::int64_t token);
  void finish_at_token(std::vector<Sequence*>& finished);
  void remove(Sequence& member);
  void clip_in(std::int64_t cached);
  void clip_out(std::int64_t cached);
  void clip_at_token();
  void write_times(Sequence& member) const;

  std::int64_t block_size_;
  Gains gains_;
  std::int64_t step_ = 0;          // steps this cohort has taken
  std::int64_t tokens_ = 0;        // and tokens of each member by them
  std::size_t boundary_slot_ = 0;  // tokens_ mod block_size
  std::int64_t size_ = 0;
  std::int64_t cached_ = 0;  // sum over the members
  std::int64_t changes_ = 0;
  std::int64_t clip_;
  std::int64_t clipped_ = 0;                         // sum over the members of what they see in their next step
  std::int64_t below_clip_ = 0;                      // members that see less than the clip
  std::map<std::int64_t, std::int64_t> reach_clip_;  // how many of them see it all from a token count on
  TenantTally tally_;
  Time last_token_{};    // when the members got their last token, except the newcomers
  Time token_before_{};  // when the step before that gave them theirs, except those who were newcomers then
  // Members whose last token is of another step than that of the rest: the cohort was paused, or they were left out of
  // it for a while. Their next gap is told apart, and then they are as the others.
  std::vector<Sequence*> newcomers_;
  std::vector<BoundaryList> boundaries_;
  std::vector<SequenceList<&Sequence::finish>> finishes_;
};

}  // namespace decodesim
