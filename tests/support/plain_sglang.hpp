#pragma once
// SGLang's scheduler over plain batches. It shares nothing with the fast engine but what a knob is.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/core/random.hpp"
#include "tests/support/plain_radix.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

using Sequences = std::vector<PlainSequence*>;
inline bool contains(const Sequences& list, const PlainSequence* sequence) {
  return std::find(list.begin(), list.end(), sequence) != list.end();
}

/// A batch of the engine: who is in it, and whether it counts as full.
struct Batch {
  Sequences requests;
  bool full = false;
};

/// To be read beside a description of the engine, in the order of its own loop. With overlap the results of a batch are
/// processed after the next batch was made (results_seen): until then its tokens are under way, known to nobody.
class PlainSglang final : public PlainScheduler {
 public:
  explicit PlainSglang(const ServerConfig& server)
      : knobs_(server.scheduler.sglang),
        max_running_(static_cast<std::int64_t>(server.scheduler.max_num_seqs)),
        gives_up_(server.scheduler.never_fits == NeverFits::fail_after),
        overlaps_(server.scheduler.async),
        on_grid_(server.grid_step > Duration{}),
        page_(server.block_size),
        pool_(server.usable_blocks * server.block_size),
        free_(pool_),
        policy_(knobs_.schedule_policy),
        shuffle_(server.seed, "sglang queue order") {
    if (!knobs_.disable_radix_cache) tree_.emplace(page_);
    if (!tree_ && (policy_ == SglangOrder::lpm || policy_ == SglangOrder::dfs_weight)) policy_ = SglangOrder::fcfs;
    initial_ratio_ = std::min(knobs_.init_new_token_ratio * knobs_.schedule_conservativeness, 1.0);
    least_ratio_ = initial_ratio_ * knobs_.min_new_token_ratio_factor;
    decay_ = (initial_ratio_ - least_ratio_) / static_cast<double>(knobs_.new_token_ratio_decay_steps);
    ratio_ = initial_ratio_;
  }

  PlainPlan plan() override;
  void idled(std::int64_t passes) override;
  void step_ended(const PlainPlan& plan, Duration duration) override;
  void results_seen() override;
  void arrived(PlainSequence& sequence) override { queue_up(sequence); }
  void ended(PlainSequence& sequence) override;
  void left(PlainSequence& sequence) override;
  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override;
  [[nodiscard]] std::int64_t output_limit(const Request& request) const override {
    return std::max<std::int64_t>(1, limit(request));
  }
  [[nodiscard]] std::int64_t free_blocks() const override { return room() / page_; }
  [[nodiscard]] KvSlots slots() const override { return {pool_, pool_ - room(), {}}; }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return evicted_ / page_; }
  void describe(EngineFigures& figures) const override;

 private:
  enum class Added { fits, no_token, other };

  void merge_last_batch();
  std::optional<Sequences> make_prefill_batch(PlainPlan& plan);
  void decode(PlainPlan& plan);
  void retract(PlainPlan& plan);

  void open_budgets();
  bool add_chunked(PlainPlan& plan);
  Added add(PlainPlan& plan, PlainSequence& r);
  Added add_ignoring_eos(PlainPlan& plan, PlainSequence& r);
  Added budget_state() const;
  void charge(std::int64_t tokens, std::int64_t output);
  void run_prefill(PlainPlan& plan, PlainSequence& r, std::int64_t tokens);
  bool preempt_to_schedule(PlainPlan& plan, PlainSequence& r);
  void evict(PlainPlan& plan, PlainSequence& victim, const PlainSequence* requester, EvictionReason reason);
  void queue_up(PlainSequence& sequence) {
    entry_[&sequence] = ++entries_;
    waiting.push_back(&sequence);
  }
  void order_waiting();
  void order_by_match();
  void order_by_weight();
  void walk_by_weight(PlainRadix::Node* node, const std::map<PlainRadix::Node*, Sequences>& at,
                      std::deque<PlainSequence*>& order);
  [[nodiscard]] std::int64_t weight(const PlainRadix::Node* node,
                                    const std::map<PlainRadix::Node*, Sequences>& at) const;

  // Memory. `free_` tokens are available; of the others some lie in the tree, locked by who holds them or evictable, and
  // some are a request's own.
  struct Hold {
    PlainRadix::Node* node = nullptr;
    std::int64_t shared = 0;  // tokens that lie in the tree
  };
  PlainRadix::Match look_up(const PlainSequence& r, std::int64_t count);
  void make_room(std::int64_t tokens);
  void share(const PlainSequence& r, std::int64_t tokens_in_memory);
  void give_back(const PlainSequence& r, bool finished);
  [[nodiscard]] std::int64_t room() const { return free_ + (tree_ ? tree_->evictable() : 0); }

  [[nodiscard]] std::int64_t ceil_page(std::int64_t tokens) const { return (tokens + page_ - 1) / page_ * page_; }
  /// M, clipped where the request comes in so that it and its prompt leave a page of the pool.
  [[nodiscard]] std::int64_t limit(const Request& request) const {
    const std::int64_t most = pool_ - page_ - ceil_page(request.input_tokens) - 1;
    return std::max<std::int64_t>(0, std::min(request.max_tokens, most));
  }
  [[nodiscard]] std::int64_t limit(const PlainSequence& r) const { return limit(*r.request); }
  [[nodiscard]] double promised(const PlainSequence& r) const {
    return static_cast<double>(std::min(limit(r) - generated(r), knobs_.clip_max_new_tokens)) * ratio_;
  }
  [[nodiscard]] double rem_total() const { return static_cast<double>(free_at_start_) - total_offset_; }
  [[nodiscard]] std::int64_t rem_current() const { return free_at_start_ - current_offset_; }
  [[nodiscard]] bool over(const PlainSequence* r) const { return over_.count(r) > 0; }
  /// g, as far as the engine knows. The batch may serve who ended once more, which is no token.
  [[nodiscard]] std::int64_t generated(const PlainSequence& r) const {
    const bool under_way = std::any_of(unseen_.begin(), unseen_.end(),
                                       [&](const Unseen& one) { return one.sequence == &r && one.yields; });
    return r.emitted - (under_way && !over(&r) ? 1 : 0);
  }
  /// Tokens of new pages that a decode step of these takes.
  [[nodiscard]] std::int64_t need(const Sequences& batch) const {
    std::int64_t tokens = 0;
    for (const PlainSequence* r : batch) tokens += r->cached % page_ == 0 ? page_ : 0;
    return tokens;
  }

  SglangKnobs knobs_;
  std::int64_t max_running_;
  bool gives_up_;
  bool overlaps_;
  bool on_grid_;
  std::int64_t page_;
  std::int64_t pool_;
  std::int64_t free_;
  SglangOrder policy_;
  std::optional<PlainRadix> tree_;
  std::map<const PlainSequence*, Hold> holds_;        // of those that run
  std::map<const PlainSequence*, std::int64_t> hit_;  // what the last lookup found
  std::int64_t evicted_ = 0;
  Stream shuffle_;
  double initial_ratio_ = 0;
  double least_ratio_ = 0;
  double decay_ = 0;
  double ratio_ = 0;

  Batch batch_;                // the running batch, with who ended and was not dropped yet
  std::optional<Batch> last_;  // the last batch, where it was a prefill
  bool decoded_last_ = false;  // it was a decode
  PlainSequence* chunked_ = nullptr;
  struct Unseen {
    PlainSequence* sequence;
    std::int64_t tokens;  // that it had in memory after its step
    bool prompt;          // a batch of prompts computed some of its prompt
    bool yields;          // a token
  };
  std::vector<Unseen> unseen_;                          // overlap: of the last batch, whose results nobody looked at
  std::vector<Unseen> planned_;                         // the same of the batch that is being made
  std::set<const PlainSequence*> over_;                 // who ended
  std::map<const PlainSequence*, std::int64_t> entry_;  // when it last joined the queue
  std::map<const PlainSequence*, std::int64_t> seen_;   // its length when it was last tried
  std::int64_t entries_ = 0;

  // The prefill batch that is being made.
  Sequences picked_;
  std::int64_t taken_ = 0;  // tokens of pages
  std::int64_t free_at_start_ = 0;
  double total_offset_ = 0;
  std::int64_t current_offset_ = 0;
  std::int64_t rem_input_ = 0;
  std::int64_t rem_chunk_ = 0;
  struct Completion {
    double left;
    std::int64_t occupied;
  };
  std::optional<std::vector<Completion>> completions_;
};

}  // namespace decodesim::tests
