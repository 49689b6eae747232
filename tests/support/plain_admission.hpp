#pragma once
// The tests that admit a request, over plain sequences, by the names that scenarios use.

#include <functional>
#include <string>
#include <vector>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

/// What a test may look at.
struct PlainAdmission {
  const ServerConfig& server;
  const std::vector<PlainSequence*>& running;
  std::int64_t free_blocks = 0;
  std::int64_t spared = 0;  // blocks that must stay free
  /// Is nothing of this running sequence's prompt left to compute after this pass?
  std::function<bool(const PlainSequence*)> prompt_is_done;
};

/// May `candidate` start, with `found` tokens in place and `tokens` more now?
bool plain_admits(const std::string& test, const PlainAdmission& state, const PlainSequence& candidate,
                  std::int64_t found, std::int64_t tokens);

/// Would the test ever admit it, alone in the empty server?
bool plain_admits_alone(const std::string& test, const ServerConfig& server, const PlainSequence& candidate);

}  // namespace decodesim::tests
