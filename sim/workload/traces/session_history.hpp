#pragma once
// Turns of sessions whose rows count only what is new in them.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sim/workload/request.hpp"

namespace decodesim {

/// Puts the talk so far in front of each turn: the prompts and the answers of the turns before it.
class SessionHistory {
 public:
  /// Is there a turn before this one?
  [[nodiscard]] bool has(const std::string& session) const { return tokens_.contains(session); }

  /// `turn` is a turn of a session. Hash ids of a later one are taken away: they stand behind a history that no other
  /// session has, so that no cache finds their blocks again but by this session's own turns, which share them anyway.
  void prepend(Request& turn) {
    const auto [place, first] = tokens_.try_emplace(turn.session, 0);
    if (!first) {
      turn.input_tokens += place->second;
      turn.content.clear();
      turn.hash_block_size = 0;
    }
    place->second = turn.input_tokens + turn.output_tokens;
    turn.max_tokens = turn.output_tokens;
  }

 private:
  std::unordered_map<std::string, std::int64_t> tokens_;  // after the latest turn
};

}  // namespace decodesim
