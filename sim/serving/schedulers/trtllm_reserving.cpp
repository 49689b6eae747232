// GUARANTEED_NO_EVICT and STATIC_BATCH: who starts has room for its prompt and all that the client asked for, besides the
// same of all that generate. What the latter will still allocate is one sum that changes with what changes.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/trtllm.hpp"

namespace decodesim {

namespace {

class Reserving final : public TrtllmScheduler {
 public:
  /// `closed`: nobody joins while anybody generates.
  Reserving(const ServerConfig& server, ReusableMemory& memory, bool closed)
      : TrtllmScheduler(server, memory, !closed), closed_(closed) {}

  [[nodiscard]] bool fits_alone(const ReplicaView& view, const Request& request, std::int64_t) const override {
    return blocks_to_the_end(view, request) <= view.total_blocks();
  }
  void arrived(Sequence& sequence) override {
    if (totals_.size() <= sequence.slot) totals_.resize(sequence.slot + 1);
    totals_[sequence.slot] = 0;
  }
  void ended(Sequence& sequence) override {
    reserved_ -= totals_[sequence.slot];
    reserved_ += in_table_of_reserved(sequence);
  }

 private:
  /// Room for the prompt and all that the client asked for.
  [[nodiscard]] static std::int64_t blocks_to_the_end(const ReplicaView& view, const Request& request) {
    return view.blocks_for(request.input_tokens + declared_output_of(request, view.max_model_len()));
  }
  [[nodiscard]] std::int64_t in_table_of_reserved(const Sequence& sequence) const {
    return totals_[sequence.slot] > 0 ? sequence.blocks_held() : 0;
  }

  void take(const ReplicaView& view, Draft&) override {
    const std::int64_t generating = generations(view);
    if (closed_ && generating > 0) {
      limit_ = AdmissionLimit::policy;
      return;
    }
    ReservingCapacity capacity(view.free_blocks() - reserved_, max_num_requests_ - generating);
    std::size_t next_started = 0;
    const auto take_started = [&](const Sequence* before) {
      for (; next_started < view.prefilling().size(); ++next_started) {
        Sequence& started = *view.prefilling()[next_started];
        if (before != nullptr && !precedes(started, *before)) return true;
        const std::int64_t remaining = blocks_to_the_end(view, started.request) - started.blocks_held();
        if (!taken(capacity.ask(remaining))) return false;
        contexts_.push_back(going_on(started));
      }
      return true;
    };
    bool stopped = false;
    view.queue().walk([&](Sequence& waiting) {
      stopped = !take_started(&waiting);
      if (stopped) return false;
      Context context = newcomer(view, waiting);
      if (!waits_for_others(context)) {
        if (capacity.has_place()) look_up(context);
        const std::int64_t shared = memory_.blocks_for(waiting.known()) - context.need;
        stopped = !taken(capacity.ask(blocks_to_the_end(view, waiting.request) - shared));
        if (!stopped) take_newcomer(context);
      }
      return !stopped;
    });
    if (!stopped) take_started(nullptr);
  }

  void grew(Sequence& generation, std::int64_t blocks) override {
    if (totals_[generation.slot] > 0) reserved_ -= blocks;
  }
  void will_generate(const ReplicaView& view, Sequence& sequence) override {
    totals_[sequence.slot] = blocks_to_the_end(view, sequence.request);
    reserved_ += totals_[sequence.slot] - in_table_of_reserved(sequence);
  }

  bool closed_;
  std::int64_t reserved_ = 0;         // blocks that generations will still allocate, if all run to their declared end
  std::vector<std::int64_t> totals_;  // by slot: the blocks of a generation at its declared end; else 0
};

EngineParts make_reserving(const ServerConfig& server, bool closed) {
  auto memory = std::make_unique<ReusableMemory>(server.usable_blocks, server.block_size, server.scheduler.trtllm);
  ReusableMemory& blocks = *memory;
  return {.memory = std::move(memory),
          .queue_order = make_priority_order(server),
          .scheduler = std::make_unique<Reserving>(server, blocks, closed),
          .running_order = RunningOrder::priority_arrival};
}

}  // namespace

EngineParts make_trtllm_guaranteed_no_evict(const ServerConfig& server) { return make_reserving(server, false); }
EngineParts make_trtllm_static_batch(const ServerConfig& server) { return make_reserving(server, true); }

}  // namespace decodesim
