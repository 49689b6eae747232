#include "tests/support/plain_admission.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/support/plain_speculation.hpp"

namespace decodesim::tests {

namespace {

std::int64_t blocks_for(const ServerConfig& server, std::int64_t tokens) {
  return (tokens + server.block_size - 1) / server.block_size;
}

/// Blocks for prompt and declared maximum, and for the drafts of a step that begins one token before that.
std::int64_t most_blocks(const ServerConfig& server, const PlainSequence& sequence) {
  const std::int64_t end = std::min(sequence.input + sequence.request->max_tokens, server.max_model_len);
  const std::int64_t with_drafts = end - sequence.input > 1 ? plain_slots(server, end - 2) : 0;
  return blocks_for(server, std::max(end, with_drafts));
}

/// Slots of a sequence that hold none of its tokens: of its last block, and of drafts.
std::int64_t most_unused(const ServerConfig& server) {
  ServerConfig without_end = server;
  without_end.max_model_len = 1'000'000;
  return server.block_size - 1 + plain_slots(without_end, 0) - 1;
}

std::int64_t may_generate(const PlainSequence& sequence) { return sequence.request->max_tokens - sequence.emitted; }

bool prompt_and_max(const PlainAdmission& state, const PlainSequence& candidate) {
  std::int64_t blocks = most_blocks(state.server, candidate);
  for (const PlainSequence* one : state.running) blocks += most_blocks(state.server, *one);
  return blocks + state.spared <= state.server.usable_blocks;
}

bool ratio_weighted(const PlainAdmission& state, const PlainSequence& candidate, std::int64_t found,
                    std::int64_t tokens) {
  const std::int64_t block = state.server.block_size;
  std::int64_t generate = 0;
  std::int64_t prompts = 0;
  for (const PlainSequence* one : state.running) {
    generate += may_generate(*one);
    const std::int64_t room = static_cast<std::int64_t>(one->blocks.size()) * block;
    // Who decodes takes its next block when it needs it.
    if (!state.prompt_is_done(one)) prompts += std::max<std::int64_t>(0, one->known() - room);
  }
  const std::int64_t room = (state.free_blocks - state.spared) * block - prompts;
  const double left =
      static_cast<double>(room) - state.server.scheduler.admission_ratio * static_cast<double>(generate);
  const std::int64_t wants = candidate.known() - found + may_generate(candidate) + block;
  return static_cast<double>(wants) < left &&
         blocks_for(state.server, found + tokens) + state.spared <= state.free_blocks;
}

bool peak_estimate(const PlainAdmission& state, const PlainSequence& candidate, std::int64_t found,
                   std::int64_t tokens) {
  struct Load {
    std::int64_t left;
    std::int64_t now;
  };
  std::vector<Load> loads;
  std::int64_t fixed = 0;  // of prompts under way
  const std::int64_t waste = most_unused(state.server);
  const auto add = [&](const PlainSequence& one, bool done) {
    const Load load{may_generate(one) - 1, one.known()};
    if (done) {
      loads.push_back(load);
    } else {
      fixed += load.left + load.now + waste;
    }
  };
  add(candidate, found + tokens == candidate.known());
  for (const PlainSequence* one : state.running) add(*one, state.prompt_is_done(one));
  std::sort(loads.begin(), loads.end(), [](const Load& a, const Load& b) { return a.left > b.left; });
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    std::int64_t then = 0;
    for (std::size_t j = 0; j <= i; ++j) then += loads[j].now + loads[i].left + waste;
    peak = std::max(peak, then);
  }
  return peak + fixed < (state.server.usable_blocks - state.spared) * state.server.block_size;
}

}  // namespace

bool plain_admits(const std::string& test, const PlainAdmission& state, const PlainSequence& candidate,
                  std::int64_t found, std::int64_t tokens) {
  const ServerConfig& server = state.server;
  const std::int64_t now = blocks_for(server, found + tokens);
  if (test == "first-chunk") return now + state.spared <= state.free_blocks;
  if (test == "whole-sequence") {
    const std::int64_t whole = blocks_for(server, std::min(candidate.known(), server.max_model_len));
    return std::max(whole, now) + state.spared <= state.free_blocks;
  }
  if (test == "prompt-and-max") return prompt_and_max(state, candidate);
  if (test == "ratio-weighted") return ratio_weighted(state, candidate, found, tokens);
  if (test == "peak-estimate") return peak_estimate(state, candidate, found, tokens);
  throw std::invalid_argument("the plain stepper has no admission test '" + test + "'");
}

bool plain_admits_alone(const std::string& test, const ServerConfig& server, const PlainSequence& candidate) {
  const std::int64_t most = candidate.input + candidate.request->max_tokens;
  const std::int64_t pool = server.usable_blocks * server.block_size;
  if (test == "prompt-and-max") return most_blocks(server, candidate) <= server.usable_blocks;
  if (test == "ratio-weighted") return most + server.block_size < pool;
  if (test == "peak-estimate") return most - 1 + most_unused(server) < pool;
  return true;
}

}  // namespace decodesim::tests
