#pragma once
// TensorRT-LLM's schedulers, apart from the rule by which requests may hold memory.

#include <cstdint>
#include <vector>

#include "sim/serving/reusable_memory.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/schedulers/trtllm_capacity.hpp"
#include "sim/serving/schedulers/trtllm_micro_batch.hpp"

namespace decodesim {

/// A pass decides over the active list who may hold memory, and a micro-batch of those gets tokens. The active list is all
/// requests, running or not, by priority and arrival; who is paused keeps its place. Who holds memory may get no tokens.
///
/// Generations decode in lock-step and are not walked: those that stand together are one candidate of the micro-batch.
/// What is walked: those that come behind a prompt in the list, to see who stands between, and those that a limit of the
/// batch leaves out.
class TrtllmScheduler : public Scheduler {
 public:
  /// `puts_off`: a prompt waits while the first block that it would fill is being filled for another.
  TrtllmScheduler(const ServerConfig& server, ReusableMemory& memory, bool puts_off);
  void plan(const ReplicaView& view, Draft& draft) final;
  void step_ended(Duration duration) final;
  void left(Sequence& sequence) final;

 protected:
  /// A prompt that may hold memory.
  struct Context {
    Sequence* sequence = nullptr;
    bool starts = false;         // holds nothing yet
    std::int64_t found = 0;      // tokens that came computed, if it starts
    std::int64_t remaining = 0;  // tokens to be computed, what it could reuse included
    std::int64_t need = 0;       // blocks that its start takes from the free ones
    std::int64_t reusable = 0;   // tokens in full blocks that it would find
  };

  /// Decides who may hold memory: pauses, and takes contexts in list order. Generations that it does not pause are taken.
  virtual void take(const ReplicaView& view, Draft& draft) = 0;
  /// A generation took so many blocks.
  virtual void grew(Sequence&, std::int64_t) {}
  /// The planned step completes the context of a sequence, which generates from then on.
  virtual void will_generate(const ReplicaView&, Sequence&) {}

  /// In the active list: does `a` come before `b`? Smaller priorities are more urgent here.
  [[nodiscard]] static bool precedes(const Sequence& a, const Sequence& b);
  [[nodiscard]] static std::int64_t generations(const ReplicaView& view);
  /// A prompt that runs, as what it still has to compute.
  [[nodiscard]] static Context going_on(Sequence& started);
  /// A waiting sequence, before the look at what it would need.
  [[nodiscard]] static Context newcomer(const ReplicaView& view, Sequence& waiting);
  void look_up(Context& context) const;
  [[nodiscard]] bool waits_for_others(const Context& context) const;
  void take_newcomer(const Context& context);
  /// Notes which blocks prompts are about to fill. A pause calls for another look: what the victim leaves in the tree may be
  /// what others would have filled next, so that by then they fill the blocks behind it.
  void expect_blocks(const ReplicaView& view);
  /// Notes what stands in the way.
  bool taken(CapacityVerdict verdict);

  std::int64_t max_num_requests_;
  ReusableMemory& memory_;
  // One pass.
  std::vector<Context> contexts_;  // in list order
  AdmissionLimit limit_ = AdmissionLimit::arrivals;
  std::vector<Sequence*> stalled_;  // generations that the last pass left out, in list order

 private:
  void expect(BlockTree::NewBlock block);
  void share_tokens(const ReplicaView& view, Draft& draft);
  std::vector<BatchCandidate> in_list_order(const ReplicaView& view);
  void leave_out(const ReplicaView& view, Draft& draft, std::int64_t count);
  Sequence* grow_generations(const ReplicaView& view, Sequence* next, const Sequence* before);
  bool compute(const ReplicaView& view, Draft& draft, const Context& context, std::int64_t tokens);

  BatchLimits limits_;
  bool discount_;
  bool puts_off_;
  std::vector<Sequence*> completed_;         // whose context this pass completes
  std::vector<BlockTree::NewBlock> coming_;  // that contexts of this pass or before are about to fill
};

}  // namespace decodesim
