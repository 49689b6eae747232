#pragma once
// Orders by length, over plain sequences: what is predicted, what waiting counts, and who goes first.

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

/// Output tokens that the scenario's predictor tells of this request.
std::int64_t plain_prediction(const ServerConfig& server, const PlainSequence& sequence);

/// What an order by length knows of a sequence.
struct PlainLength {
  std::int64_t tokens = 0;  // predicted, in all or still lacking
  Duration waited{};        // until now
  std::int64_t index = 0;   // of its request
};

/// Does `a` go before `b`? By tokens less one for each `ageing` waited, then by tokens, then by index.
bool shorter(Duration ageing, const PlainLength& a, const PlainLength& b);

}  // namespace decodesim::tests
