#pragma once
// TensorRT-LLM's capacity rules for one more request, apart from who is asked in which order.

#include <cstdint>
#include <limits>
#include <optional>
#include <set>

namespace decodesim {

/// The adapter that a request's model variant needs on the device.
struct Adapter {
  std::uint64_t task = 0;
  std::int64_t pages = 0;
};

/// Pages of adapters on the device: requests of the same task share theirs.
class AdapterPages {
 public:
  explicit AdapterPages(std::int64_t pages = std::numeric_limits<std::int64_t>::max()) : left_(pages) {}

  [[nodiscard]] bool fits(const std::optional<Adapter>& adapter) const { return pages_of(adapter) <= left_; }
  void claim(const std::optional<Adapter>& adapter) {
    left_ -= pages_of(adapter);
    if (adapter) tasks_.insert(adapter->task);
  }

 private:
  [[nodiscard]] std::int64_t pages_of(const std::optional<Adapter>& adapter) const {
    return adapter && !tasks_.contains(adapter->task) ? adapter->pages : 0;
  }

  std::int64_t left_;
  std::set<std::uint64_t> tasks_;
};

/// What a capacity rule says of a request. `skipped`: not this one, but those behind it may still be asked.
enum class CapacityVerdict { taken, skipped, no_place, no_blocks };

/// GUARANTEED_NO_EVICT and STATIC_BATCH: who starts has room to its declared end. Generations count before all others.
class ReservingCapacity {
 public:
  ReservingCapacity(std::int64_t blocks, std::int64_t places, AdapterPages adapters = AdapterPages())
      : blocks_(blocks), places_(places), adapters_(std::move(adapters)) {}

  [[nodiscard]] bool has_place() const { return places_ > 0; }
  CapacityVerdict ask(std::int64_t remaining, const std::optional<Adapter>& adapter = {}) {
    if (!has_place()) return CapacityVerdict::no_place;
    if (remaining > blocks_) return CapacityVerdict::no_blocks;
    if (!adapters_.fits(adapter)) return CapacityVerdict::skipped;
    blocks_ -= remaining;
    --places_;
    adapters_.claim(adapter);
    return CapacityVerdict::taken;
  }

 private:
  std::int64_t blocks_;
  std::int64_t places_;
  AdapterPages adapters_;
};

/// MAX_UTILIZATION: who has room for the next step only. An adapter without room is as bad as missing blocks.
class NextStepCapacity {
 public:
  explicit NextStepCapacity(AdapterPages adapters = AdapterPages()) : adapters_(std::move(adapters)) {}

  /// `free` blocks are there by now, those of sequences paused in this pass included.
  CapacityVerdict ask(std::int64_t need, std::int64_t free, std::int64_t places,
                      const std::optional<Adapter>& adapter = {}) {
    if (places <= 0) return CapacityVerdict::no_place;
    if (scheduled_ + need > free || !adapters_.fits(adapter)) return CapacityVerdict::no_blocks;
    scheduled_ += need;
    adapters_.claim(adapter);
    return CapacityVerdict::taken;
  }
  /// What was taken needs so many blocks more, since a pause took reusable ones from under it.
  void add(std::int64_t blocks) { scheduled_ += blocks; }

 private:
  std::int64_t scheduled_ = 0;  // blocks that those taken will allocate
  AdapterPages adapters_;
};

}  // namespace decodesim
