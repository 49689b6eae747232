#pragma once
// The aggregate shape of one step: everything a cost model may look at.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace decodesim {

/// Sums over what one step computes. A chunk of one token counts as a decode, since it costs the same.
///
/// Where drafts are verified, a decoding sequence computes its draft tokens beside its newest one: its context is read
/// once for all of them, and each is a query token of its own with logits of its own.
///
/// Layers with a window, or that read only the best tokens, see at most so many: sums with `clipped` in their names are those
/// of what such a layer sees. A draft counts there as its sequence's newest token.
struct StepShape {
  static constexpr std::int64_t unclipped = std::numeric_limits<std::int64_t>::max();

  std::int64_t decodes = 0;         // sequences that compute one known token
  std::int64_t decode_context = 0;  // tokens they attend to, their own included
  std::int64_t chunks = 0;          // sequences that compute more than one token
  std::int64_t chunk_tokens = 0;    // tokens these compute
  std::int64_t chunk_context = 0;   // tokens already cached before each chunk, which its attention reads
  std::int64_t chunk_pairs = 0;     // query-key pairs of the chunks: n*c + n*(n+1)/2 for n tokens after c cached
  std::int64_t samples = 0;         // sequences that yield a token, or more where drafts are accepted
  std::int64_t drafts = 0;          // draft tokens that decodes compute beside their own
  std::int64_t draft_pairs = 0;     // query-key pairs of the drafts: d*(c+1) + d*(d+1)/2 for d drafts after c cached
  std::int64_t decode_clipped = 0;  // decode_context, of each sequence at most the clip
  std::int64_t chunk_clipped = 0;   // chunk_context, of each chunk at most the clip
  std::int64_t chunk_clipped_pairs = 0;  // chunk_pairs, of each query token at most the clip

  [[nodiscard]] bool empty() const { return decodes == 0 && chunks == 0; }
  /// Query tokens: what passes through the layers.
  [[nodiscard]] std::int64_t tokens() const { return known_tokens() + drafts; }
  /// Those that are part of their sequences, whatever becomes of the drafts.
  [[nodiscard]] std::int64_t known_tokens() const { return decodes + chunk_tokens; }
  /// Rows of the output layer: every draft is judged by the logits of the token before it, and the last one has its own.
  [[nodiscard]] std::int64_t logits() const { return samples + drafts; }

  /// Adds a sequence that computes `tokens` after `cached` tokens of context.
  void add(std::int64_t cached, std::int64_t tokens, std::int64_t clip = unclipped) {
    add_signed(cached, tokens, clip, 1);
  }
  /// Adds the drafts of a sequence that decodes after `cached` tokens, which was added before.
  void add_drafts(std::int64_t cached, std::int64_t count) {
    drafts += count;
    draft_pairs += count * (cached + 1) + count * (count + 1) / 2;
  }
  /// Takes a sequence without drafts out again.
  void remove(std::int64_t cached, std::int64_t tokens, std::int64_t clip = unclipped) {
    add_signed(cached, tokens, clip, -1);
  }

  /// Sets the clipped sums to those of other layers, which see at most `clip` tokens, as if all sequences were alike.
  void clip_alike(std::int64_t clip) {
    const auto at_most = [clip](std::int64_t sum, std::int64_t each) {
      return clip == unclipped ? sum : std::min(sum, each * clip);
    };
    decode_clipped = at_most(decode_context, decodes);
    chunk_clipped = at_most(chunk_context, chunks);
    chunk_clipped_pairs = at_most(chunk_pairs, chunk_tokens);
  }

  friend StepShape operator+(const StepShape& a, const StepShape& b) {
    return {a.decodes + b.decodes,
            a.decode_context + b.decode_context,
            a.chunks + b.chunks,
            a.chunk_tokens + b.chunk_tokens,
            a.chunk_context + b.chunk_context,
            a.chunk_pairs + b.chunk_pairs,
            a.samples + b.samples,
            a.drafts + b.drafts,
            a.draft_pairs + b.draft_pairs,
            a.decode_clipped + b.decode_clipped,
            a.chunk_clipped + b.chunk_clipped,
            a.chunk_clipped_pairs + b.chunk_clipped_pairs};
  }
  friend bool operator==(const StepShape&, const StepShape&) = default;

 private:
  /// Query-key pairs of `tokens` after `cached`, where each sees at most `clip`.
  static std::int64_t pairs(std::int64_t cached, std::int64_t tokens, std::int64_t clip) {
    const std::int64_t whole = std::clamp<std::int64_t>(clip - cached, 0, tokens);  // that see everything before them
    const std::int64_t rest = tokens - whole;
    return whole * cached + whole * (whole + 1) / 2 + (rest > 0 ? rest * clip : 0);
  }

  void add_signed(std::int64_t cached, std::int64_t tokens, std::int64_t clip, std::int64_t sign) {
    if (tokens == 0) return;
    if (tokens == 1) {
      decodes += sign;
      decode_context += sign * (cached + 1);
      decode_clipped += sign * std::min(cached + 1, clip);
    } else {
      chunks += sign;
      chunk_tokens += sign * tokens;
      chunk_context += sign * cached;
      chunk_pairs += sign * pairs(cached, tokens, unclipped);
      chunk_clipped += sign * std::min(cached, clip);
      chunk_clipped_pairs += sign * pairs(cached, tokens, clip);
    }
  }
};

}  // namespace decodesim
