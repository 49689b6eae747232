#pragma once
// What the slots of the KV memory were good for while requests waited.

#include <algorithm>
#include <cstdint>

#include "sim/report/report.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// Sums over the time in which requests waited, since only then is an unused slot a waste. The four classes are those of
/// the paged-attention paper (Kwon et al., SOSP 2023, section 3.1), and always add up to all slots:
///
///   token states   slots that hold the KV of a token
///   reservation    slots that their request will fill later; none where memory is taken on demand
///   internal       slots inside what a request asked for that it never fills, or has not filled yet
///   other          the rest: rounding of an allocator, holes between requests, and free slots
class KvWaste {
 public:
  /// A step of the window that counts for so many nanoseconds.
  void add(const StepFacts& facts, double weight) {
    if (facts.waiting == 0 || facts.slots.total == 0) return;
    // Sequences that share blocks cache more tokens than there are slots.
    const std::int64_t tokens = std::min(facts.cached_tokens, facts.slots.requested);
    const std::int64_t promised = std::clamp(facts.slots.final_length.value_or(tokens), tokens, facts.slots.requested);
    time_ += weight;
    running_ += static_cast<double>(facts.running) * weight;
    token_states_ += share(tokens, facts) * weight;
    reservation_ += share(promised - tokens, facts) * weight;
    internal_ += share(facts.slots.requested - promised, facts) * weight;
    other_ += share(facts.slots.total - facts.slots.requested, facts) * weight;
    reserves_ = reserves_ || facts.slots.final_length.has_value();
  }

  [[nodiscard]] WasteReport report() const {
    WasteReport report;
    if (time_ == 0) return report;
    report.seconds = time_ / 1e9;
    report.running_mean = running_ / time_;
    report.token_states = token_states_ / time_;
    report.reservation = reservation_ / time_;
    report.internal = internal_ / time_;
    report.other = other_ / time_;
    report.reserves = reserves_;
    return report;
  }

 private:
  static double share(std::int64_t slots, const StepFacts& facts) {
    return static_cast<double>(slots) / static_cast<double>(facts.slots.total);
  }

  double time_ = 0;
  double running_ = 0;
  double token_states_ = 0;
  double reservation_ = 0;
  double internal_ = 0;
  double other_ = 0;
  bool reserves_ = false;
};

}  // namespace decodesim
