#pragma once
// How a trace is to be read: what its file cannot say, and what becomes of rows that break a rule.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/time.hpp"

namespace decodesim {

/// `told`: by the head of the file; only decodesim's own, Azure's and Mooncake's are told by it. The names are those of
/// trace_formats().
enum class TraceFormat {
  told,
  decodesim,
  csv,
  azure,
  mooncake,
  burstgpt,
  qwen_bailian,
  servegen,
  vidur,
  splitwise_sim,
  aibrix,
  aiperf,
  blis,
  vllm_bench
};

/// Of the numbers that say when a row arrives, and how long it waits.
enum class TimeUnit { ns, us, ms, s };

/// What becomes of a row that breaks a rule: the file is refused, the row is mended or left out, both counted, or the row
/// is played as it stands. Not every rule can be mended, and not every row can be played.
enum class RowPolicy { reject, clip, drop, keep };

/// What becomes of a row that is earlier than the row before it. `segment`: its time counts on from there, since another
/// recording begins.
enum class BackwardPolicy { reject, drop, sort, segment };

/// What becomes of rows with one and the same time, where the recording has a coarse clock. `uniform`: they arrive at random
/// before the next time that is recorded, in their order.
enum class SpreadPolicy { none, uniform };

/// The names that a CSV file gives to what is read from it; empty: there is no such column.
struct TraceColumnsSpec {
  std::string arrival;    // a number of time_unit
  std::string timestamp;  // a date and a time of day, in place of `arrival`
  std::string input_tokens;
  std::string output_tokens;
  std::string max_tokens;
  std::string id;
  std::string priority;
  std::string tenant;
  std::string slo_class;
  std::string session;
  std::string think_time;  // a number of time_unit

  friend bool operator==(const TraceColumnsSpec&, const TraceColumnsSpec&) = default;
};

struct TraceSpec {
  std::string file;  // made absolute against the scenario's folder
  TraceFormat format = TraceFormat::told;
  std::string second_file;                 // where a format has two: ServeGen's dataset
  std::optional<TimeUnit> time_unit;       // absent: the format's
  std::optional<std::int64_t> block_size;  // tokens behind a hash id; absent: the format's
  TraceColumnsSpec columns;                // of format csv
  RowPolicy zero_input = RowPolicy::reject;
  std::optional<RowPolicy> zero_output;      // absent: the format's
  RowPolicy over_context = RowPolicy::keep;  // rows that no sequence of the server is long enough for
  RowPolicy wrong_id_count = RowPolicy::reject;
  BackwardPolicy backward_time = BackwardPolicy::reject;
  SpreadPolicy spread = SpreadPolicy::none;
  Duration start{};                          // rows before it are left out, and it becomes time zero
  std::optional<Duration> duration;          // from `start` on; rows after it are left out
  std::optional<std::int64_t> max_requests;  // that are kept; the rows after them are left out
  double time_scale = 1;                     // multiplies gaps and think times
  double rate_scale = 1;                     // divides them

  friend bool operator==(const TraceSpec&, const TraceSpec&) = default;
};

}  // namespace decodesim
