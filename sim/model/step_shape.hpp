#pragma once
// The aggregate shape of one step: everything a cost model may look at.

#include <cstdint>

namespace decodesim {

/// Sums over what one step computes. A chunk of one token counts as a decode, since it costs the same.
struct StepShape {
  std::int64_t decodes = 0;         // sequences that compute one token
  std::int64_t decode_context = 0;  // tokens they attend to, their own included
  std::int64_t chunks = 0;          // sequences that compute more than one token
  std::int64_t chunk_tokens = 0;    // tokens these compute
  std::int64_t chunk_context = 0;   // tokens already cached before each chunk, which its attention reads
  std::int64_t chunk_pairs = 0;     // query-key pairs of the chunks: n*c + n*(n+1)/2 for n tokens after c cached
  std::int64_t samples = 0;         // sequences that yield a token

  [[nodiscard]] bool empty() const { return decodes == 0 && chunks == 0; }
  [[nodiscard]] std::int64_t tokens() const { return decodes + chunk_tokens; }

  /// Adds a sequence that computes `tokens` after `cached` tokens of context.
  void add(std::int64_t cached, std::int64_t tokens) { add_signed(cached, tokens, 1); }
  /// Takes such a sequence out again.
  void remove(std::int64_t cached, std::int64_t tokens) { add_signed(cached, tokens, -1); }

  friend StepShape operator+(const StepShape& a, const StepShape& b) {
    return {a.decodes + b.decodes,
            a.decode_context + b.decode_context,
            a.chunks + b.chunks,
            a.chunk_tokens + b.chunk_tokens,
            a.chunk_context + b.chunk_context,
            a.chunk_pairs + b.chunk_pairs,
            a.samples + b.samples};
  }
  friend bool operator==(const StepShape&, const StepShape&) = default;

 private:
  void add_signed(std::int64_t cached, std::int64_t tokens, std::int64_t sign) {
    if (tokens == 0) return;
    if (tokens == 1) {
      decodes += sign;
      decode_context += sign * (cached + 1);
    } else {
      chunks += sign;
      chunk_tokens += sign * tokens;
      chunk_context += sign * cached;
      chunk_pairs += sign * (tokens * cached + tokens * (tokens + 1) / 2);
    }
  }
};

}  // namespace decodesim
