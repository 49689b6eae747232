#pragma once
// What the schedulers that reserve have in common: whom they admit, and how.

#include <memory>
#include <utility>

#include "sim/serving/reserved_memory.hpp"
#include "sim/serving/scheduler.hpp"

namespace decodesim {

/// Admits whole prompts in the order of their arrival, while there are places and room for whole lives.
class ReservingScheduler : public Scheduler {
 public:
  ReservingScheduler(const ServerConfig& server, ReservedMemory& memory)
      : places_(server.scheduler.max_num_seqs), memory_(memory) {}

  [[nodiscard]] bool fits_alone(const ReplicaView&, const Request& request, std::int64_t output_tokens) const override {
    return memory_.could_hold(request, output_tokens);
  }

 protected:
  void admit(const ReplicaView& view, Draft& draft) {
    while (view.anyone_waits()) {
      if (view.running() >= places_) return draft.limited_by(AdmissionLimit::max_num_seqs);
      Sequence& head = view.head_of_queue();
      if (!memory_.reserve(head)) return draft.limited_by(AdmissionLimit::kv_capacity);
      const std::int64_t found = view.found_in_place(head);
      draft.admit(head, found, head.known() - found);
    }
  }

 private:
  std::int64_t places_;
  ReservedMemory& memory_;
};

/// The parts of an engine whose scheduler is `Kind`.
template <class Kind>
EngineParts reserving_engine(const ServerConfig& server, bool holds_finished) {
  auto memory = make_reserved_memory(server, holds_finished);
  auto scheduler = std::make_unique<Kind>(server, *memory);
  return {.memory = std::move(memory), .queue_order = nullptr, .scheduler = std::move(scheduler)};
}

}  // namespace decodesim
