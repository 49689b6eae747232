#pragma once
// The levels of a multi-level feedback queue, and where each sequence stands in them.

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/serving/sequence.hpp"
#include "sim/serving/serving_spec.hpp"

namespace decodesim {

/// Queues without an end, one a level; a place in them is a number that is smaller nearer to the front.
class MlfqLevels {
 public:
  struct Note {
    std::int64_t level = 0;
    std::int64_t place = 0;
    Duration used{};  // at this level, but for the stretch that it is in the batch now
    Duration end{};   // while it is in the batch: of its quantum, on the batch's clock
    Time last_run{};
  };

  explicit MlfqLevels(const MlfqKnobs& knobs) : knobs_(knobs) {}

  [[nodiscard]] Note& note(const Sequence& sequence) {
    if (notes_.size() <= sequence.slot) notes_.resize(sequence.slot + 1);
    return notes_[sequence.slot];
  }
  [[nodiscard]] const Note& note(const Sequence& sequence) const { return notes_[sequence.slot]; }

  [[nodiscard]] bool before(const Sequence& a, const Sequence& b) const {
    const Note& one = note(a);
    const Note& other = note(b);
    return one.level != other.level ? one.level < other.level : one.place < other.place;
  }

  /// The first quantum, times the growth for each level below the first; it stops growing far beyond the longest run.
  [[nodiscard]] Duration quantum(std::int64_t level) const {
    std::int64_t length = knobs_.quantum.count();
    for (std::int64_t i = 0; i < level; ++i) {
      if (length > std::numeric_limits<std::int64_t>::max() / 4 / knobs_.growth) break;
      length *= knobs_.growth;
    }
    return Duration(length);
  }
  /// The first level whose quantum is not below `time`.
  [[nodiscard]] std::int64_t level_for(Duration time) const {
    std::int64_t level = 0;
    while (quantum(level) < time && quantum(level) < quantum(level + 1)) ++level;
    return level;
  }

  void put_at_back(const Sequence& sequence, std::int64_t level) {
    note(sequence).level = level;
    note(sequence).place = ends(level).back++;
  }
  void put_in_front(const Sequence& sequence, std::int64_t level) {
    note(sequence).level = level;
    note(sequence).place = ends(level).front--;
  }

 private:
  struct Ends {
    std::int64_t front = -1;
    std::int64_t back = 0;
  };
  Ends& ends(std::int64_t level) {
    const auto at = static_cast<std::size_t>(level);
    if (queues_.size() <= at) queues_.resize(at + 1);
    return queues_[at];
  }

  MlfqKnobs knobs_;
  std::vector<Note> notes_;  // by slot
  std::vector<Ends> queues_;
};

}  // namespace decodesim
