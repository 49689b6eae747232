#pragma once
// decodesim's own trace, written row by row.

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "sim/core/time.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

/// The YAML trace, whose head says what no row can, or its rows alone.
enum class TraceForm { yaml, csv };

/// What a YAML trace says of the whole.
struct TraceHead {
  std::string name{};                             // empty: none
  std::optional<std::int64_t> max_concurrency{};  // a closed loop, whose requests have no arrivals
  std::optional<Time> closes{};                   // from then on nobody asks
};

/// Which columns requests need; those that say the same of all of them are left out.
class TraceColumns {
 public:
  void note(const Request& request);
  /// Every column there is.
  static TraceColumns all();

 private:
  friend class TraceWriter;
  std::uint32_t needed_ = 0;  // a bit a column
};

/// Writes requests as rows that read back as the same requests, in memory that grows only with sessions. What a later turn of a
/// session repeats of the turn before it is not written, since who plays the trace derives it.
class TraceWriter {
 public:
  /// `out` must outlive it. Throws std::invalid_argument where rows alone cannot say what `head` says, or its name holds
  /// what cannot be read back.
  TraceWriter(std::ostream& out, TraceForm form, const TraceHead& head, TraceColumns columns);
  /// Writes what is left.
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// The requests come in the order of their arrivals, none before time zero, but a later turn that has no arrival of its own
  /// (zero) stands anywhere behind the turn before it. Throws std::invalid_argument, and writes nothing, where the row could
  /// not be read back: names with control characters, no tokens, what a prompt begins with said neither by a prefix group nor
  /// by blocks of one size, turns out of order, a column that is not there.
  void write(const Request& request);

 private:
  void check_order(const Request& request, std::uint32_t needed);

  std::ostream& out_;
  std::string text_;  // that is still to be written
  std::string indent_;
  bool closed_loop_;
  TraceColumns columns_;
  Time last_{};
  std::map<std::string, Request> turns_;  // by session, the last
};

}  // namespace decodesim
