#pragma once
// What one prefill batch of SGLang may take, and what it expects those that run to need.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/rounding.hpp"
#include "sim/serving/sglang_knobs.hpp"

namespace decodesim {

/// The share of their remaining output that running requests are expected to need: falls with every decode step that
/// fits, rises when requests had to be taken back.
class NewTokenRatio {
 public:
  explicit NewTokenRatio(const SglangKnobs& knobs);
  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] double initial() const { return initial_; }
  [[nodiscard]] double minimum() const { return minimum_; }
  [[nodiscard]] double decay() const { return decay_; }

  void decode_step_fitted();
  /// After a retraction: `generated` tokens and `limits` (max_tokens) of the `count` requests that stay.
  void retracted(std::int64_t generated, std::int64_t limits, std::int64_t count);
  void reset() { value_ = initial_; }

 private:
  double initial_;
  double minimum_;
  double decay_;
  double steps_ahead_;
  double value_;
};

/// Why SGLang stops looking at its queue.
enum class PrefillStop {
  no,        // it goes on
  no_token,  // memory: the batch counts as full
  other      // the tokens of the step
};

/// The budgets of a prefill batch. Sums are doubles, and added in the engine's order, because comparisons at the edge
/// depend on it.
struct PrefillBudget {
  std::int64_t room = 0;    // tokens available or evictable now; whoever locks, evicts or takes keeps it up to date
  double total_offset = 0;  // tokens promised: to those that run, by the ratio, and to those that were picked
  std::int64_t current_offset = 0;  // tokens that this step takes
  std::int64_t input = 0;           // of max_prefill_tokens
  std::int64_t chunk = 0;           // of chunked_prefill_size
  bool chunks = true;
  std::int64_t page_size = 1;

  /// Before anything is booked: `promised` to those that run, `carried` of them get a token in this step too.
  static PrefillBudget open(const SglangKnobs& knobs, std::int64_t page_size, std::int64_t room, double promised,
                            std::int64_t carried);

  [[nodiscard]] double total() const { return static_cast<double>(room) - total_offset; }
  [[nodiscard]] std::int64_t current() const { return room - current_offset; }
  [[nodiscard]] std::int64_t ceil_to_page(std::int64_t tokens) const { return ceil_div(tokens, page_size) * page_size; }

  /// Books `tokens` of prompt with a promise of `output` tokens.
  void charge(std::int64_t tokens, std::int64_t output);
  [[nodiscard]] PrefillStop state() const;
};

/// A running request as one that asks for its place sees it.
struct Preemptible {
  std::int64_t priority = 0;  // smaller is more urgent
  std::int64_t queued = 0;    // when it last joined the queue
  double promised = 0;        // tokens
};
/// Whose places a request of this priority takes that `needs` so many tokens more than there are: the least urgent first,
/// then who came last, as long as they are further off than `threshold`. Nobody's, where their promises are not enough.
std::vector<std::size_t> places_taken(const std::vector<Preemptible>& running, std::int64_t priority,
                                      std::int64_t threshold, double needs);

/// A request as the test for requests that ignore the end of text sees it.
struct CompletionState {
  double left = 0;            // tokens until it ends
  std::int64_t occupied = 0;  // tokens that its end gives back
};

/// Plays the completion of all that run and are picked, in the order of their ends, and says whether memory lasts.
class CompletionTest {
 public:
  [[nodiscard]] bool begun() const { return begun_; }
  /// The candidate, then those that run, then those that were picked.
  void begin(const std::vector<CompletionState>& states);
  /// A later candidate of the same pass.
  void add(const CompletionState& candidate);
  /// `current` tokens are left once the candidate's prompt is in.
  [[nodiscard]] bool lasts(std::int64_t current) const;

 private:
  bool begun_ = false;
  std::vector<CompletionState> states_;
};

}  // namespace decodesim
