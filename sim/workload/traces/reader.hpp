#pragma once
// The requests of a trace, one by one: its rows after the policies.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/workload/request.hpp"
#include "sim/workload/traces/account.hpp"
#include "sim/workload/traces/format.hpp"
#include "sim/workload/traces/spread.hpp"

namespace decodesim {

/// Walks a trace, row by row, in memory that does not grow with it, unless rows are to be sorted.
class TraceReader {
 public:
  /// `longest` is the most tokens of prompt and answer that the server takes (none: no limit), `seed` the run's. Throws
  /// TraceError where the head of the trace is wrong.
  TraceReader(TraceBytes bytes, TraceSpec spec, std::optional<std::int64_t> longest = std::nullopt,
              std::uint64_t seed = 0);
  ~TraceReader();
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  /// The next request, which is there until the next call; null where there are no more. Mistakes are collected on the way
  /// and thrown, as one TraceError, at the end of the text or when there are 20; so a trace is known to be good only once
  /// null came.
  const Request* next();
  /// Whether turns of sessions were among the rows so far.
  [[nodiscard]] bool has_sessions() const { return !turns_.empty(); }
  /// Of the rows so far.
  [[nodiscard]] const TraceAccount& account() const { return account_; }
  /// What the head of decodesim's own trace says of the whole.
  [[nodiscard]] std::optional<std::int64_t> concurrency() const { return input_->max_concurrency; }
  [[nodiscard]] std::optional<Time> closes() const;

 private:
  static constexpr std::int64_t latest = std::int64_t{1} << 62;  // ns, of the clock of a file
  enum class Verdict { good, left_out };
  void skip_to_head(const TraceFormatInfo& format);
  void refuse_what_has_no_effect();
  bool meet_session(const TraceRow& row);
  bool next_row(TraceRow& row);
  bool next_in_order(TraceRow& row);
  bool next_spread(TraceRow& row);
  void sort_all();
  Verdict judge(TraceRow& row);
  Verdict mend_zeros(TraceRow& row, bool no_input, bool no_output);
  bool mended(RowPolicy policy, std::int64_t& tokens, const char* reason);
  Verdict judge_ids(TraceRow& row);
  Verdict judge_length(TraceRow& row);
  Verdict judge_time(TraceRow& row);
  Verdict place_in_window(TraceRow& row);
  Verdict place_on_clock(TraceRow& row);
  void drop(const char* reason);
  void refuse(const TraceRow& row, std::size_t at, std::string message);
  void refuse_zero(const TraceRow& row, Meaning meaning, const std::string& reason, std::size_t at);
  void show_late_mistakes();
  void refuse_backward(const TraceRow& row);
  void refuse_no_rows();
  void refuse_nothing_kept();
  void refuse_too_late();

  TraceSpec spec_;
  std::optional<std::int64_t> longest_;
  TraceLines lines_;
  TraceMistakes mistakes_;
  TraceAccount account_;
  std::unique_ptr<TraceInput> input_;
  std::unique_ptr<TraceRows> rows_;
  TraceRow row_;
  std::vector<TraceRow> sorted_;
  std::size_t sorted_next_ = 0;
  bool all_sorted_ = false;
  std::unique_ptr<TraceSpread> spread_;
  std::unordered_map<std::string, std::int64_t> turns_;  // of each session met, those that were kept
  std::optional<std::int64_t> origin_;                   // of a clock that does not begin at zero
  std::int64_t segment_ = 0;                             // what a new recording adds
  std::int64_t last_time_ = 0;
  std::int64_t last_line_ = 0;                                  // of the last row that has a time
  std::int64_t last_row_ = 0;                                   // the same, counted in rows
  std::optional<std::pair<std::int64_t, std::int64_t>> reach_;  // ns, of the rows that the window was put to
  bool judged_ = false;                                         // whether any row was in the window
  /// A mistake of a row that is judged when others behind it have been read.
  struct LateMistake {
    std::int64_t line = 0;
    std::size_t at = 0;
    std::string message;
  };
  std::vector<LateMistake> late_;
  /// Rows that come later than a run may begin to serve anybody.
  struct TooLate {
    std::int64_t rows = 0;
    std::int64_t line = 0;  // of the first
    std::size_t at = 0;
    double longest = 0;  // time or pause, ns, before scaling
  };
  TooLate too_late_;
  double scale_ = 1;
};

}  // namespace decodesim
