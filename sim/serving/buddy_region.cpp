#include "sim/serving/buddy_region.hpp"

#include "sim/core/check.hpp"

namespace decodesim {

std::int64_t power_of_two_for(std::int64_t count) {
  std::int64_t power = 1;
  while (power < count) power *= 2;
  return power;
}

BuddyRegion::BuddyRegion(std::int64_t slots) : slots_(slots), free_(slots) {
  check(slots >= 0, "a region has no negative number of slots");
  std::int64_t address = 0;
  for (std::int64_t size = power_of_two_for(slots + 1); size > 0; size /= 2) {
    if (slots - address < size) continue;
    free_chunks_[size].insert(address);
    if (largest_ever_ == 0) largest_ever_ = size;
    address += size;
  }
}

std::optional<BuddyRegion::Chunk> BuddyRegion::allocate(std::int64_t slots) {
  check(slots >= 1, "a chunk has at least one slot");
  const std::int64_t wanted = power_of_two_for(slots);
  const auto place = free_chunks_.lower_bound(wanted);
  if (place == free_chunks_.end()) return std::nullopt;
  Chunk chunk{*place->second.begin(), place->first};
  place->second.erase(place->second.begin());
  if (place->second.empty()) free_chunks_.erase(place);
  while (chunk.size > wanted) {
    chunk.size /= 2;
    free_chunks_[chunk.size].insert(chunk.address + chunk.size);
  }
  free_ -= chunk.size;
  return chunk;
}

void BuddyRegion::release(const Chunk& chunk) {
  check(
      chunk.address >= 0 && chunk.size >= 1 && chunk.address + chunk.size <= slots_ && chunk.address % chunk.size == 0,
      "a chunk that is given back is one of this region");
  free_ += chunk.size;
  add(chunk);
}

void BuddyRegion::add(Chunk chunk) {
  // A chunk and its buddy differ in one bit of their addresses. Halves of what the region began with are joined up to that.
  for (;;) {
    const std::int64_t buddy = chunk.address ^ chunk.size;
    const auto same_size = free_chunks_.find(chunk.size);
    const bool joins = same_size != free_chunks_.end() && same_size->second.erase(buddy) == 1;
    if (!joins) break;
    if (same_size->second.empty()) free_chunks_.erase(same_size);
    chunk = {chunk.address & ~chunk.size, chunk.size * 2};
  }
  check(free_chunks_[chunk.size].insert(chunk.address).second, "a chunk was given back twice");
}

}  // namespace decodesim
