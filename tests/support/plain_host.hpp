#pragma once
// Room on the host, and what a scenario wants done with a victim's KV, for the plain engines.

#include <string>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

/// Blocks of the host, counted.
class PlainHost {
 public:
  explicit PlainHost(const ServerConfig& server) : server_(server), free_(server.host_blocks) {}

  /// Shall the KV of this victim move to the host? `own` is the engine's choice where the scenario makes none.
  [[nodiscard]] bool takes(const PlainSequence& victim, const PlainSequence* requester, const std::string& own) const;
  void put(const PlainSequence& sequence) { free_ -= sequence.host_blocks; }
  /// Gives the room of a sequence back and returns how many blocks it had.
  std::int64_t give_back(PlainSequence& sequence) {
    const std::int64_t blocks = sequence.host_blocks;
    free_ += blocks;
    sequence.host_blocks = 0;
    return blocks;
  }

 private:
  const ServerConfig& server_;
  std::int64_t free_;
};

}  // namespace decodesim::tests
