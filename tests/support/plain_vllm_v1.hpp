#pragma once
// The vLLM V1 scheduler over plain queues, with the policies that change it.

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_admission.hpp"
#include "tests/support/plain_fair.hpp"
#include "tests/support/plain_host.hpp"
#include "tests/support/plain_host_tier.hpp"
#include "tests/support/plain_lengths.hpp"
#include "tests/support/plain_policies.hpp"
#include "tests/support/plain_prefix_pool.hpp"
#include "tests/support/plain_scheduler.hpp"
#include "tests/support/plain_speculation.hpp"

namespace decodesim::tests {

class PlainVllmV1 final : public PlainScheduler {
 public:
  PlainVllmV1(const ServerConfig& server, const std::string& own_order, const std::string& own_admission)
      : server_(server), pool_(server), host_(server), tier_(server), fair_(server.scheduler.fair) {
    const PolicyChoices& chosen = server.scheduler.policies;
    order_ = chosen.queue_order.value_or(own_order);
    victim_ = chosen.victim.value_or(order_ == "priority" ? "lowest-priority" : "last-admitted");
    destination_ = chosen.destination.value_or(order_ == "fcfs" ? "head" : "by-key");
    admission_ = chosen.admission.value_or(own_admission);
  }

  PlainPlan plan() override;
  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override {
    // The last step may begin one token before the end, with all its drafts.
    const std::int64_t most =
        sequence.output == 1 ? sequence.input : plain_slots(server_, sequence.input + sequence.output - 2);
    return pool_.blocks_for(most) <= server_.usable_blocks && plain_admits_alone(admission_, server_, sequence);
  }
  void arrived(PlainSequence& sequence) override {
    sequence.waits_since = sequence.request->arrival;
    sequence.predicted = plain_prediction(server_, sequence);
    if (order_ == "fair") fair_.arrived(sequence, waiting);
    enter_plain_queue(order_, server_, waiting, &sequence);
  }
  void ended(PlainSequence& sequence) override {
    decoding_.erase(&sequence);
    forget_filled(&sequence);
    running.erase(std::remove(running.begin(), running.end(), &sequence), running.end());
    waiting.erase(std::remove(waiting.begin(), waiting.end(), &sequence), waiting.end());
    give_back(sequence, server_.scheduler.defer_frees && served_.count(&sequence) > 0);
  }
  void left(PlainSequence& sequence) override {
    decoding_.erase(&sequence);
    left_out_.erase(&sequence);
    forget_filled(&sequence);
    std::erase(running, &sequence);
    std::erase(waiting, &sequence);
    std::erase(loading, &sequence);
    std::erase(swapped, &sequence);
    host_.give_back(sequence);
    pool_.release(sequence);
  }
  bool retire() override {
    const bool any = !deferred_.empty();
    for (PlainSequence& held : deferred_) pool_.release(held);
    deferred_.clear();
    return any;
  }
  [[nodiscard]] std::deque<PlainSequence*> queue() const override;
  [[nodiscard]] KvSlots slots() const override { return pool_.slots(); }
  [[nodiscard]] std::int64_t free_blocks() const override { return pool_.free(); }
  [[nodiscard]] std::int64_t cached_blocks_evicted() const override { return pool_.cached_blocks_evicted(); }
  [[nodiscard]] MemoryFacts memory() const override { return pool_.memory(); }

 private:
  void extend_running(PlainPlan& plan);
  void swap_in(PlainPlan& plan);
  void admit_waiting(PlainPlan& plan);
  [[nodiscard]] std::size_t head_of_queue() const;
  PlainSequence* next_loaded(const PlainPlan& plan) const;
  bool admit_loaded(PlainPlan& plan, PlainSequence* r);
  bool admit_head(PlainPlan& plan);
  bool begin_load(PlainPlan& plan, std::size_t head, const std::vector<std::uint32_t>& hits, std::int64_t on_device,
                  std::int64_t found);
  void start(PlainPlan& plan, PlainSequence* r, std::int64_t found, std::int64_t n);
  [[nodiscard]] std::int64_t blocks_set_aside() const;
  void give_back(PlainSequence& sequence, bool later);
  void give_up(PlainPlan& plan);
  void cache_late();
  void forget_filled(const PlainSequence* sequence);
  void take_back(PlainPlan& plan, const PlainSequence* victim);
  void preempt(PlainPlan& plan, PlainSequence* victim, const PlainSequence* requester, EvictionReason reason);

  const ServerConfig& server_;
  PlainPrefixPool pool_;
  PlainHost host_;
  PlainHostTier tier_;
  std::map<const PlainSequence*, std::int64_t> emitted_at_admission_;
  std::vector<std::pair<const PlainSequence*, std::int64_t>> filled_;  // planned ahead: tokens cached by this pass
  std::vector<std::pair<const PlainSequence*, std::int64_t>> filled_before_;  // and by the one before
  std::string order_;
  std::string victim_;
  std::string destination_;
  std::string admission_;
  PlainFair fair_;
  std::set<const PlainSequence*> decoding_;         // running ones whose prompt is computed
  std::set<const PlainSequence*> left_out_;         // of these, who got no token in the last pass
  std::set<const PlainSequence*> whole_;            // admitted in this pass with all their tokens
  std::set<const PlainSequence*> token_in_flight_;  // while a pass is planned
  std::set<const PlainSequence*> served_;           // in this pass
  std::deque<PlainSequence> deferred_;              // blocks that a step in flight may still write to
  bool step_in_flight_ = false;                     // while a pass is planned
  Time known_until_{};                              // loads that ended by then are known of
  Time last_pass_{};
  Time host_is_free_{};
  std::int64_t budget_ = 0;
  bool head_refused_for_blocks_ = false;
};

}  // namespace decodesim::tests
