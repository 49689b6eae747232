// Request-level batching, as before Orca (FasterTransformer): a batch is formed when the one before has ended, and nobody
// joins it. What a finished request leaves behind is a knob: its memory is given back at once and its slot idles
// (release_on_finish, as in the public ports), or memory and slot are held, and computed as padding, until the last of
// the batch has ended (hold_until_batch_end).

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/reserving.hpp"

namespace decodesim {

namespace {
class StaticBatch final : public ReservingScheduler {
 public:
  StaticBatch(const ServerConfig& server, ReservedMemory& reserved)
      : ReservingScheduler(server, reserved),
        clip_(server.attention_clip),
        pads_(server.scheduler.finished_slots == FinishedSlots::hold_until_batch_end) {}

  void plan(const ReplicaView& view, Draft& draft) override {
    if (view.running() == 0) {
      padding_ = {};
      admit(view, draft);
    } else {
      if (view.anyone_waits()) draft.limited_by(AdmissionLimit::policy);
      draft.pad(padding_);
    }
  }

  // The slot goes on to be computed over the context that it ended with.
  void ended(Sequence& sequence) override {
    if (pads_) padding_.add(sequence.cached - 1, 1, clip_);
  }
  // So does that of one who left, whose memory is held with that of the others.
  void left(Sequence& sequence) override {
    if (sequence.state != SequenceState::waiting) ended(sequence);
  }

 private:
  std::int64_t clip_;
  bool pads_;
  StepShape padding_;
};
}  // namespace

EngineParts make_static_batch(const ServerConfig& server) {
  return reserving_engine<StaticBatch>(server, server.scheduler.finished_slots == FinishedSlots::hold_until_batch_end);
}

}  // namespace decodesim
