#pragma once
// A row of a trace as its file has it, and what its fields mean.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sim/core/check.hpp"
#include "sim/workload/request.hpp"
#include "sim/workload/traces/account.hpp"
#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

/// What a column of a CSV file or a key of a JSON object says of a request.
enum class Meaning {
  ignored,
  unmeasured,    // a text in place of its length, which is refused
  request_type,  // splitwise-sim's: 2 is an LLM's
  batch_size,    // prompts in one request: 1
  time,          // a number of the trace's time unit
  time_s,        // decimal seconds
  time_ns,       // whole nanoseconds
  date_time,     // a date and a time of day
  input_tokens,
  output_tokens,
  max_tokens,
  id,
  priority,
  tenant,
  slo_class,
  prefix_group,
  prefix_tokens,  // part of input_tokens
  session,
  turn,
  think_time,  // a number of the trace's time unit
  think_time_s,
  deadline_s,
  deadline,  // a number of the trace's time unit
  timeout_s,
  cancel_after_s,
  hash_ids,
  hash_block_size,
  cache_salt,
  ignore_eos,
  no_prefix_read,
  remote_tokens,
  load_time_s
};

/// What was made of a row that is nothing wrong with it, to be counted if it is kept.
class RowNotes {
 public:
  /// Both outlive the row.
  void add(const char* reason, const char* action) {
    check(size_ < most, "a row has more notes than any format makes");
    notes_[size_++] = {reason, action};
  }
  void clear() { size_ = 0; }
  void count_in(TraceAccount& account) const {
    for (std::size_t i = 0; i < size_; ++i) account.count(notes_[i].first, notes_[i].second);
  }

 private:
  static constexpr std::size_t most = 4;  // more than any format has
  std::pair<const char*, const char*> notes_[most];
  std::size_t size_ = 0;
};

/// A row before any policy.
struct TraceRow {
  Request request;                 // without an arrival; numbers of tokens may be 0, and ids are not counted out
  std::int64_t time = 0;           // ns since an origin of the file's own
  bool timed = true;               // false for a later turn that comes when it comes
  bool ids_wrong = false;          // their number is not that of the prompt's blocks
  bool states_block_size = false;  // then the ids may be fewer, since what they stand for is no guess
  // Why its call failed, so that its answer is cut short; null: it did not. Such rows are treated as those of no output.
  const char* failed = nullptr;
  bool time_is_none = false;  // of a failed call that has a zero in place of its time
  RowNotes notes{};
  std::int64_t line = 0;  // that it stands in; of a document, its place in the lists
  // Where in the line these stand, in bytes from 0, or in the text of a document.
  std::size_t time_at = 0;
  std::size_t input_at = 0;
  std::size_t output_at = 0;
  std::size_t ids_at = 0;
};

/// What a trace's fields are read by.
struct FieldRules {
  TimeUnit unit = TimeUnit::s;
};

/// Is this said by a number? Others are texts, flags and dates.
bool is_number(Meaning meaning);

/// Puts the text of one field into `row`; an empty one stands for nothing where that is possible. Returns an empty text, or
/// what is wrong with it and how to mend it.
std::string_view set_field(Meaning meaning, std::string_view text, const FieldRules& rules, TraceRow& row);

/// What is wrong with the name of a tenant, a session and so on: nothing, unless it could not be written again.
std::string_view wrong_name(std::string_view text);

/// What must hold between the fields of one row. Returns an empty text, or what is wrong; then `at` is whose field it is.
std::string_view check_row(TraceRow& row, Meaning& at);

/// Blocks of the prompt, where the size of its hash ids' blocks is known; the last one may be partial.
constexpr std::int64_t blocks_of(const Request& request) {
  return (request.input_tokens + request.hash_block_size - 1) / request.hash_block_size;
}

/// Whether the ids of `row` are as many as its prompt has blocks, its block size being known. That of a partial last block may
/// be left out.
bool ids_fit(const TraceRow& row);

}  // namespace decodesim
