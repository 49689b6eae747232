#pragma once
// Prompts first, then decoding for all, with an estimate of what running requests will still need: the loop of SGLang.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/serving/page_memory.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/schedulers/sglang_budget.hpp"

namespace decodesim {

/// The passes are in sglang.cpp, the batches of prompts in sglang_prefill.cpp, the orders of the queue in
/// sglang_orders.cpp. It looks at all that run where it sums up what they are expected to need, for an admission that is
/// really tried, and where it takes requests back.
///
/// With `async` what a step yields is looked at when the next pass is planned (results_seen). Until then the token is under
/// way: it is not counted, and who is taken back loses it. So who ended meanwhile is served once more.
class Sglang final : public Scheduler {
 public:
  Sglang(const ServerConfig& server, PageMemory& memory)
      : knobs_(server.scheduler.sglang),
        max_running_(server.scheduler.max_num_seqs),
        gives_up_(server.scheduler.never_fits == NeverFits::fail_after),
        async_(server.scheduler.async),
        policy_(server.scheduler.sglang.schedule_policy),
        shuffle_(server.seed, "sglang queue order"),
        memory_(memory),
        ratio_(knobs_) {
    // Without a tree there is nothing to match.
    const bool matches = policy_ == SglangOrder::lpm || policy_ == SglangOrder::dfs_weight;
    if (matches && memory_.tree() == nullptr) policy_ = SglangOrder::fcfs;
  }

  void plan(const ReplicaView& view, Draft& draft) override;
  void idled(std::int64_t passes) override;
  void step_ended(Duration duration) override;
  void results_seen(const ReplicaView& view) override;
  void arrived(Sequence& sequence) override { memo(sequence) = {}; }
  void ended(Sequence& sequence) override;
  void left(Sequence& sequence) override;
  void describe(EngineFigures& figures) const override;
  [[nodiscard]] bool fits_alone(const ReplicaView& view, const Request& request, std::int64_t output) const override;
  [[nodiscard]] std::int64_t output_limit(const ReplicaView&, const Request& request) const override {
    return std::max<std::int64_t>(1, limit_of(request));
  }

 private:
  enum class LastPass { none, prefill, decode };
  /// One of the running batch, as the estimates see it.
  struct Member {
    std::int64_t rank = 0;
    std::int64_t max_tokens = 0;
    std::int64_t generated = 0;
    std::int64_t known = 0;
    bool ignore_eos = false;
  };

  void see_who_is_under_way(const ReplicaView& view);
  void merge();
  bool prefill(const ReplicaView& view, Draft& draft);
  void decode(const ReplicaView& view, Draft& draft);
  bool next_step_fits(const ReplicaView& view);
  void serve_all(const ReplicaView& view, Draft& draft);
  void leave(Sequence& ended);

  void order_queue(Draft& draft);
  void order_by_match(std::deque<Sequence*>& queue);
  void open_budget(const ReplicaView& view, bool mixed);
  bool continue_chunk(Draft& draft);
  PrefillStop add(const ReplicaView& view, Draft& draft, Sequence& candidate);
  PrefillStop add_ignoring_eos(const ReplicaView& view, Draft& draft, Sequence& candidate);
  PrefillStop pick(Draft& draft, Sequence& candidate, const RadixTree::Match& found, std::int64_t tokens);
  void book(Sequence& sequence, std::int64_t cached, std::int64_t tokens);
  RadixTree::Match look_up(const Sequence& candidate, std::int64_t limit);
  void count_room() { budget_.room = memory_.free() * memory_.page_size(); }
  bool preempt_for(const ReplicaView& view, Draft& draft, const Sequence& candidate);
  void retract(const ReplicaView& view, Draft& draft);
  void take_back(Draft& draft, Sequence& victim, const Sequence* requester, EvictionReason reason);
  void refused(const ReplicaView& view, Draft& draft, PrefillStop why);

  /// Who decodes as far as the engine knows, and with them who ended and is not dropped yet: the running batch.
  [[nodiscard]] std::int64_t decoders(const ReplicaView& view) const {
    return view.cohort().size() + static_cast<std::int64_t>(late_.size());
  }
  [[nodiscard]] std::int64_t members(const ReplicaView& view) const {
    return decoders(view) + static_cast<std::int64_t>(ghosts_.size());
  }
  [[nodiscard]] std::vector<Sequence*> decoding(const ReplicaView& view) const;
  [[nodiscard]] std::vector<Member> running_batch(const ReplicaView& view) const;
  [[nodiscard]] Member member(const Sequence& sequence, std::int64_t generated) const {
    return {.rank = sequence.batch_place,
            .max_tokens = limit_of(sequence.request),
            .generated = generated,
            .known = sequence.request.input_tokens + generated,
            .ignore_eos = sequence.request.ignore_eos};
  }
  /// Pages that a decode step of all takes.
  [[nodiscard]] std::int64_t pages_of_step(const ReplicaView& view) const;
  [[nodiscard]] bool under_way(const Sequence& running) const {
    return all_under_way_ || (memos_.size() > running.slot && memos_[running.slot].under_way);
  }
  /// Tokens that one of the running batch has generated, as far as the engine knows.
  [[nodiscard]] std::int64_t generated(const ReplicaView& view, const Sequence& running) const {
    return view.generated(running) - (under_way(running) ? 1 : 0);
  }
  /// Its max_tokens, as far as prompt and output together leave a page of the pool.
  [[nodiscard]] std::int64_t limit_of(const Request& request) const {
    const std::int64_t page = memory_.page_size();
    const std::int64_t most = memory_.total() * page - page - memory_.ceil_to_page(request.input_tokens) - 1;
    return std::max<std::int64_t>(0, std::min(request.max_tokens, most));
  }
  [[nodiscard]] std::int64_t clipped(std::int64_t tokens) const { return std::min(tokens, knobs_.clip_max_new_tokens); }
  [[nodiscard]] double expected(std::int64_t limit, std::int64_t generated) const {
    return static_cast<double>(clipped(limit - generated)) * ratio_.value();
  }
  [[nodiscard]] double expected_of(const ReplicaView& view, const Sequence& running) const {
    return expected(limit_of(running.request), generated(view, running));
  }
  struct Memo {
    std::int64_t seen = 0;   // known tokens at its last try to be admitted
    std::int64_t found = 0;  // tokens at its last lookup
    bool under_way = false;  // the token that its prompt yielded
  };
  Memo& memo(const Sequence& sequence) {
    if (memos_.size() <= sequence.slot) memos_.resize(sequence.slot + 1);
    return memos_[sequence.slot];
  }

  SglangKnobs knobs_;
  std::int64_t max_running_;
  bool gives_up_;
  bool async_;
  SglangOrder policy_;
  Stream shuffle_;
  PageMemory& memory_;
  NewTokenRatio ratio_;

  bool full_ = false;  // nobody else fits, as far as anybody tried
  // Who ended with a decode step stays in the running batch until the next one, with its place and its promise.
  std::vector<Member> ghosts_;
  std::vector<Sequence*> late_;     // who has its last token, which the engine does not know while it plans
  std::vector<Sequence*> through_;  // whose prompts the last step completed, in the order of the batch
  bool all_under_way_ = false;      // the last step yielded tokens of all that decode
  bool late_served_ = false;        // by the planned step
  Sequence* chunked_ = nullptr;     // whose prompt is computed in part
  LastPass last_pass_ = LastPass::none;
  std::int64_t last_size_ = 0;      // of the last prefill batch, what it carried along included
  std::int64_t last_finished_ = 0;  // of them, ended by that step
  std::int64_t beside_last_ = 0;    // members of the running batch beside it
  bool carried_ = false;            // it carried those that decode along
  std::int64_t back_rank_ = 0;      // of who joins the batch at its back, and at its front
  std::int64_t front_rank_ = 0;
  std::vector<Memo> memos_;  // by slot
  RadixTree shadow_{1};      // of those that wait, for lpm

  PrefillBudget budget_;  // of the prefill batch that is being made
  CompletionTest completion_;
  std::vector<Sequence*> picked_;
  std::int64_t picked_tokens_ = 0;
  std::int64_t picked_pages_ = 0;
};

}  // namespace decodesim
