#pragma once
// A contiguous region of slots, handed out in chunks of a power of two.

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace decodesim {

/// A buddy allocator: chunks are powers of two and lie at multiples of their size; a chunk is split in halves until it is
/// the smallest that holds a request, and two free halves are joined again at once. A region that is no power of two
/// begins as its largest aligned chunks: 15,728 slots are 8192 + 4096 + 2048 + 1024 + 256 + 64 + 32 + 16.
class BuddyRegion {
 public:
  /// All of `slots` (at least 0) free.
  explicit BuddyRegion(std::int64_t slots);

  struct Chunk {
    std::int64_t address = 0;
    std::int64_t size = 0;
    friend bool operator==(const Chunk&, const Chunk&) = default;
  };
  /// The smallest free chunk that holds `slots` (at least 1), the first of its size, split as far as it can be; or
  /// nothing, where none is large enough. Never moves what is there.
  std::optional<Chunk> allocate(std::int64_t slots);
  /// Gives back a chunk that allocate() returned.
  void release(const Chunk& chunk);

  [[nodiscard]] std::int64_t slots() const { return slots_; }
  /// Slots in no chunk that is taken.
  [[nodiscard]] std::int64_t free() const { return free_; }
  /// The largest chunk that can be had now; 0: none.
  [[nodiscard]] std::int64_t largest_free() const { return free_chunks_.empty() ? 0 : free_chunks_.rbegin()->first; }
  /// Could a request of so many slots be held if the region were empty?
  [[nodiscard]] bool could_hold(std::int64_t slots) const { return slots <= largest_ever_; }

 private:
  void add(Chunk chunk);

  std::int64_t slots_;
  std::int64_t free_;
  std::int64_t largest_ever_ = 0;
  std::map<std::int64_t, std::set<std::int64_t>> free_chunks_;  // addresses by size
};

/// The smallest power of two that is at least `count` (at least 1).
std::int64_t power_of_two_for(std::int64_t count);

}  // namespace decodesim
