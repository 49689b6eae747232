#pragma once
// What became of a trace's rows.

#include <cstdint>
#include <string>
#include <vector>

namespace decodesim {

/// Rows that broke one rule, or lay outside of what was asked for.
struct TraceException {
  std::string reason;  // "no output tokens", "beyond max_requests"
  std::string action;  // "dropped", "clipped", "kept", "sorted"
  std::int64_t rows = 0;
};

/// Rows read = kept + dropped, always.
struct TraceAccount {
  std::string file;
  std::string format;
  std::string time_unit;        // empty: the rows have dates
  std::int64_t block_size = 0;  // tokens behind a hash id; 0: there are none
  std::string spread;           // "none", "uniform"
  double time_scale = 1;        // of gaps and think times, rate_scale included
  std::int64_t rows = 0;
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  std::vector<TraceException> exceptions;  // in the order in which they were first met

  /// Counts a row under the reason and what was done.
  void count(const char* reason, const char* action) {
    for (TraceException& one : exceptions) {
      if (one.reason != reason || one.action != action) continue;
      ++one.rows;
      return;
    }
    exceptions.push_back({reason, action, 1});
  }
};

}  // namespace decodesim
