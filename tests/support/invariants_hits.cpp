// What must hold of blocks that are handed out, shared and found again.

#include <algorithm>

#include "tests/support/invariants.hpp"

namespace decodesim::tests {

/// Somebody takes a block of the free queue: nobody holds it, and what it held cannot be found any more.
void InvariantChecker::hand_out(std::uint32_t block) {
  // An empty pass is not told, and what waited to be free is free after it.
  if (holders_.count(block) > 0) retire(deferred_before_);
  require(++holders_[block] == 1 || !rules_.own_blocks, "a block is handed out once, or shared by who hits it");
  contents_.erase(block);
  unfilled_.erase(block);
}

/// Is this block of a new table the one of all who have these tokens: it holds them, or somebody else is to fill it with
/// them?
bool InvariantChecker::is_merged(const Life& life, const std::vector<std::uint32_t>& table, std::size_t at) const {
  const auto block = static_cast<std::int64_t>(at);
  if (!rules_.merges_blocks || (block + 1) * server_.block_size > life.known()) return false;
  const Content own = content_of(life, block);
  const auto content = contents_.find(table[at]);
  if (content != contents_.end()) return content->second == own;
  return std::any_of(running_.begin(), running_.end(), [&](const Life* other) {
    return other->table.size() > at && other->table[at] == table[at] && content_of(*other, block) == own;
  });
}

void InvariantChecker::let_go(const std::vector<std::uint32_t>& table) {
  for (std::uint32_t block : table) {
    if (--holders_[block] <= 0) holders_.erase(block);
  }
}

/// Its blocks are free now, or once the step in flight is over.
void InvariantChecker::give_back(std::vector<std::uint32_t>& table, bool later) {
  if (later) {
    deferred_.push_back(table);
  } else {
    let_go(table);
  }
  table.clear();
}

void InvariantChecker::retire(std::vector<std::vector<std::uint32_t>>& tables) {
  for (const auto& table : tables) let_go(table);
  tables.clear();
}

/// Blocks that were hit hold the very tokens that their new holder begins with. Where a prompt can also arrive computed,
/// what was found beyond them lies in blocks of its own.
void InvariantChecker::check_hits(Life& life, std::int64_t found, const StepFacts& facts) {
  const bool computed = server_.serving.prefill == PrefillMode::computed;
  const bool all_but_one = rules_.merges_blocks && found + 1 == life.known();
  require(!computed || rules_.finds_parts || all_but_one || found % server_.block_size == 0, "hits are whole blocks");
  require(!computed || !life.request.no_prefix_read || found == 0, "who does not read the cache finds nothing");
  const bool tier = server_.host_cache.chunks > 0;  // what it has beyond the hits is loaded into blocks of its own
  const std::vector<std::uint32_t>* table = nullptr;
  for (const auto& [request, blocks] : facts.schedule->block_tables) {
    if (request->index == life.request.index) table = &blocks;
  }
  if (table == nullptr) return require(false, "who is admitted has a table");
  life.hits = 0;
  for (std::int64_t i = 0; i < found / server_.block_size && !life.request.no_prefix_read; ++i) {
    const bool own = has_own_hash(table->at(static_cast<std::size_t>(i)), life, i);
    require(own || !computed || tier, "a block that is hit holds the request's own tokens and all before them");
    if (!own) break;
    ++life.hits;
  }
  // Where parts of blocks are found, what is found beyond whole ones need not come from the host.
  if (!rules_.finds_parts && !all_but_one) loaded_ += found - static_cast<std::int64_t>(life.hits) * server_.block_size;
}

/// Would this block be found as the one at that place of its table?
bool InvariantChecker::has_own_hash(std::uint32_t block, const Life& life, std::int64_t at) const {
  const Content own = content_of(life, at);
  const auto content = contents_.find(block);
  if (content != contents_.end() && content->second == own) return true;
  const auto [first, last] = unfilled_.equal_range(block);
  return std::any_of(first, last, [&](const auto& one) { return one.second == own; });
}

/// A block has its hash from the moment on in which the tokens that fill it are scheduled, and keeps it where the pass evicts
/// its holder after that, so that who has the same tokens hits what was never computed. Which blocks beyond its table the
/// victim had taken in this pass is not told: any that nobody is known to hold.
void InvariantChecker::note_taken_back(const Life& victim) {
  const SchedulerSpec& knobs = server_.scheduler;
  std::int64_t most = std::min(victim.known() - victim.cached, knobs.max_num_batched_tokens);
  if (knobs.long_prefill_token_threshold > 0) most = std::min(most, knobs.long_prefill_token_threshold);
  const std::int64_t full = (victim.cached + most) / server_.block_size;
  for (std::int64_t i = victim.cached / server_.block_size; i < full; ++i) {
    const Content content = content_of(victim, i);
    const auto at = static_cast<std::size_t>(i);
    if (at < victim.table.size()) {
      unfilled_.emplace(victim.table[at], content);
      continue;
    }
    for (std::int64_t id = 1; id <= server_.usable_blocks; ++id) {
      const auto block = static_cast<std::uint32_t>(id);
      if (holders_.count(block) == 0) unfilled_.emplace(block, content);
    }
  }
}

/// Of a full block: the salt, and every token up to its end.
InvariantChecker::Content InvariantChecker::content_of(const Life& life, std::int64_t block) const {
  return {life.request.cache_salt, plain_tokens(life.request, (block + 1) * server_.block_size)};
}

void InvariantChecker::note_contents(const Life& life, std::int64_t from) {
  // What arrived computed, or from the host, was never written by a step.
  const bool steps_only =
      server_.serving.prefill == PrefillMode::computed && server_.host_cache.chunks == 0 && !life.loaded;
  const std::int64_t first = steps_only ? from / server_.block_size : 0;
  for (std::int64_t i = first; i < life.cached / server_.block_size; ++i)
    contents_[life.table.at(static_cast<std::size_t>(i))] = content_of(life, i);
}

}  // namespace decodesim::tests
