#pragma once
// The KV memory of a server, as whoever owns sequences sees it.

#include <cstdint>

#include "sim/serving/observer.hpp"
#include "sim/serving/sequence.hpp"

namespace decodesim {

/// Why a sequence gives its KV memory back.
enum class Released {
  finished,  // it emitted its last token, or its request was given up
  evicted,   // it makes room and will come back
};

/// What every memory can tell and do; how it is handed out is between an engine's scheduler and the kind of memory it
/// was made with. Amounts are blocks (pages, where the engine calls them so). Always: free + used = total.
class KvMemory {
 public:
  virtual ~KvMemory() = default;
  [[nodiscard]] virtual std::int64_t total() const = 0;
  /// Blocks that no sequence holds, whether or not they still hold KV that can be found again.
  [[nodiscard]] virtual std::int64_t free() const = 0;
  /// Blocks that would become free if `sequence` gave its own back: those that no other holds.
  [[nodiscard]] virtual std::int64_t reclaimable(const Sequence& sequence) const { return sequence.blocks_held(); }
  /// Takes back all that `sequence` holds.
  virtual void release(Sequence& sequence, Released why) = 0;
  /// The engine learned that the step before the planned one is over: what waited for that is free from now on. False where
  /// nothing did.
  virtual bool retire() { return false; }
  /// Is there what waits for that?
  [[nodiscard]] virtual bool defers() const { return false; }
  /// How its slots are used.
  [[nodiscard]] virtual KvSlots slots() const { return {}; }
  /// Nobody will look at the numbers of its blocks; told before the first is handed out.
  virtual void numbers_unseen() {}
  /// What its free queue and its cache look like, where it has them; only for observers that ask.
  virtual void describe(MemoryFacts&) const {}
  /// Blocks that lost KV which could still have been found, because somebody needed their room.
  [[nodiscard]] virtual std::int64_t cached_blocks_evicted() const { return 0; }
};

}  // namespace decodesim
