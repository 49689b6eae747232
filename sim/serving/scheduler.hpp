#pragma once
// Decides what a replica does next.

#include <cstdint>
#include <memory>

#include "sim/core/time.hpp"
#include "sim/serving/draft.hpp"
#include "sim/serving/replica_view.hpp"

namespace decodesim {

/// Plans the passes of one replica: looks at `view`, decides through `draft`, keeps neither. The same history always gets
/// the same plan. What it remembers of a sequence lies in a vector by Sequence::slot; slots are used again.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual void plan(const ReplicaView& view, Draft& draft) = 0;

  /// Could a request of so many tokens be served to its end by this engine if nobody else were there? `output_tokens` is
  /// what it really generates: only the reaction to requests that never fit may use it.
  [[nodiscard]] virtual bool fits_alone(const ReplicaView& view, const Request& request,
                                        std::int64_t output_tokens) const {
    return view.blocks_for(view.most_slots(request.input_tokens, output_tokens)) <= view.total_blocks();
  }

  /// The most tokens that this engine lets a request generate, where that is fewer than the client asked for.
  [[nodiscard]] virtual std::int64_t output_limit(const ReplicaView&, const Request& request) const {
    return request.max_tokens;
  }

  /// A request joined the end of the queue.
  virtual void arrived(Sequence&) {}
  /// Nobody was in the server for so many passes before the next; at least two where passes take no time.
  virtual void idled(std::int64_t) {}
  /// What the engine keeps in mind, for those who study it: names and numbers.
  virtual void describe(EngineFigures&) const {}
  /// The planned step is over after so long, and its tokens are in the sequences; those that it finished are still in `running`. An
  /// engine that plans ahead is told so too, though the real one does not know those tokens at its next pass.
  virtual void step_ended(Duration) {}
  /// For an engine that plans ahead: the pass is planned, and what the step before it yielded is looked at now. Its
  /// endings are applied right after this.
  virtual void results_seen(const ReplicaView&) {}
  /// A sequence leaves for good; its memory is given back right after this.
  virtual void ended(Sequence&) {}
  /// A client left, so its sequence goes before its end, in whatever state it is; its memory, if it has any, is given back
  /// right after this. No pass is being planned, and a step that runs does not compute it. What it is forgotten in must not
  /// be walked.
  virtual void left(Sequence&) {}
};

/// What an engine does not know yet of the step before, while it plans a pass. See Replica.
enum class PlansAhead {
  no,          // it knows all
  of_endings,  // it counts on a token for everybody, but does not know who ends
  of_results   // it knows nothing: tokens under way are not counted, and whom it evicts loses its own
};

/// What an engine is made of.
struct EngineParts {
  std::unique_ptr<KvMemory> memory;
  std::unique_ptr<QueueOrder> queue_order;  // none: first come, first served
  std::unique_ptr<Scheduler> scheduler;     // may refer to the memory, which outlives it
  RunningOrder running_order = RunningOrder::admission;
  PlansAhead plans_ahead = PlansAhead::no;
};

}  // namespace decodesim
