#pragma once
// Who asks for what, when.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/name.hpp"
#include "sim/core/quantity.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// Consecutive tokens that several prompts may share: at the same offset of a run with the same key stands the same
/// token, in whatever prompt.
struct TokenRun {
  std::uint64_t key = 0;
  std::int64_t tokens = 0;

  friend bool operator==(const TokenRun&, const TokenRun&) = default;
};

struct Request {
  std::int64_t index = 0;              // position in the workload, from 0; ties in arrival are served in this order
  Name id;                             // the user's name for it; empty: its index
  Time arrival{};                      // closed loop: set when a place becomes free
  std::int64_t input_tokens = 0;       // at least 1
  std::int64_t output_tokens = 0;      // what it will really generate, at least 1; no policy sees it
  std::int64_t max_tokens = 0;         // what the client asks for, at least output_tokens; policies see it
  std::int64_t priority = 0;           // smaller is more urgent, as in vLLM
  Name tenant{};                       // whose it is, for fair shares; empty: nobody's in particular
  Name slo_class{};                    // what reports group it under; empty: all are one class
  std::optional<Duration> deadline{};  // after its arrival, when its last token should be there
  std::vector<TokenRun> content{};     // what its prompt begins with; the tokens beyond, and its output, are its own
  Name prefix_group{};                 // whose shared prefix `content` is; empty: nobody's in particular
  std::int64_t prefix_tokens = 0;      // of that prefix, which is part of the prompt
  std::int64_t hash_block_size = 0;    // tokens behind each run of `content`, while its tokens are not counted out yet
  Name cache_salt{};                   // only requests with the same one share KV
  std::int64_t remote_tokens = 0;      // of its prompt, whose KV is computed elsewhere and loaded once
  Duration load_time{};                // how long that takes
  std::optional<Duration> timeout{};   // after its arrival, when its client gives up on it
  std::optional<Duration> cancel_after{};  // after its arrival, when its user does not want it any more
  // A session is a talk of several requests, its turns, in the order of their indexes. A turn is asked when the one before
  // it was answered: its think time later, or at its own arrival where that is later still.
  Name session{};               // that it is a turn of; empty: it stands alone
  std::int64_t turn = 0;        // of its session, from 1; 0: it stands alone
  Duration think_time{};        // between the answer before it and this request; in a closed loop without sessions too
  bool no_prefix_read = false;  // wants log-probabilities of its prompt: its KV is cached, but it reads none

  bool ignore_eos = false;  // the client wants all of max_tokens, whatever the model says

  friend bool operator==(const Request&, const Request&) = default;
};

/// The key of the run that a request's own tokens make: those of its prompt beyond `content`, and then its output. A later
/// turn of the same talk can name it in its content. Hash ids are smaller, and prefix groups have the bit above.
constexpr std::uint64_t own_run_key(std::int64_t index) {
  return (std::uint64_t{1} << 62) | static_cast<std::uint64_t>(index);
}
constexpr bool is_own_run_key(std::uint64_t key) { return key >> 62 == 1; }
constexpr bool is_hash_id(std::uint64_t key) { return key >> 62 == 0; }

}  // namespace decodesim
