#include "sim/workload/traces/reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/check.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/length_fields.hpp"
#include "sim/workload/trace_spec_fields.hpp"

namespace decodesim {

namespace {

/// Rounds half a nanosecond up.
std::int64_t scaled(std::int64_t nanoseconds, double scale) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(nanoseconds) * scale + 0.5));
}

/// Those of blocks that its prompt does not reach.
void drop_surplus_ids(Request& request) {
  const auto blocks = static_cast<std::size_t>(blocks_of(request));
  if (request.content.size() > blocks) request.content.resize(blocks);
}

}  // namespace

TraceReader::TraceReader(TraceBytes bytes, TraceSpec spec, std::optional<std::int64_t> longest, std::uint64_t seed)
    : spec_(std::move(spec)),
      longest_(longest),
      lines_(std::move(bytes)),
      mistakes_(lines_.name()),
      scale_(spec_.time_scale / spec_.rate_scale) {
  const bool told = spec_.format == TraceFormat::told;
  const TraceFormatInfo& format = told ? told_format(lines_, mistakes_) : trace_format(spec_.format);
  if (!told) skip_to_head(format);
  if (format.rates) scale_ = spec_.time_scale;
  input_ = std::make_unique<TraceInput>(TraceInput{.lines = lines_, .format = format, .spec = spec_, .seed = seed});
  input_->at_first_row = told && format.shape == TraceShape::jsonl;
  rows_ = format.rows(*input_, mistakes_);
  const bool dated = !spec_.columns.timestamp.empty() ||
                     std::any_of(format.keys.begin(), format.keys.end(),
                                 [](const TraceKey& key) { return key.meaning == Meaning::date_time; });
  refuse_what_has_no_effect();
  account_.file = lines_.name();
  account_.format = format.name;
  if (!dated) account_.time_unit = time_unit_names[static_cast<std::size_t>(input_->time_unit())];
  account_.block_size = input_->block_size();
  account_.spread = spec_.spread == SpreadPolicy::uniform ? "uniform" : "none";
  account_.time_scale = scale_;
  if (spec_.spread == SpreadPolicy::uniform) spread_ = std::make_unique<TraceSpread>(seed);
}

TraceReader::~TraceReader() = default;

std::optional<Time> TraceReader::closes() const {
  if (!input_->closes) return std::nullopt;
  return Time(Duration(*input_->closes));
}

/// To the names of the columns; rows that have none are read from the first line on.
void TraceReader::skip_to_head(const TraceFormatInfo& format) {
  if (lines_.next_of_head()) {
    refuse_another_format(lines_, format, mistakes_);
  } else if (format.shape == TraceShape::csv) {
    mistakes_.add(lines_, 0, "the file is empty; a trace has names of columns and one row a request");
    mistakes_.throw_if_any();
  }
  if (format.shape != TraceShape::csv) lines_.rewind();
}

const Request* TraceReader::next() {
  while (next_spread(row_)) {
    // A row that was not asked for is left out for that reason alone: what becomes of odd ones is no matter of its.
    if (place_in_window(row_) == Verdict::left_out || judge(row_) == Verdict::left_out ||
        place_on_clock(row_) == Verdict::left_out)
      continue;
    row_.notes.count_in(account_);
    Request& request = row_.request;
    request.index = account_.kept++;
    if (!request.content.empty() || !request.prefix_group.empty()) state_content(request);
    request.turn = request.session.empty() ? 0 : ++turns_[request.session];
    return &request;
  }
  if (too_late_.rows > 0) refuse_too_late();
  show_late_mistakes();
  if (!mistakes_.any() && account_.rows == 0) refuse_no_rows();
  if (!mistakes_.any() && account_.kept == 0) refuse_nothing_kept();
  mistakes_.throw_if_any();
  return nullptr;
}

// From the file to the window ----------------------------------------------------------------------------------------------

/// The next row in the order of the file.
bool TraceReader::next_row(TraceRow& row) {
  while (true) {
    row.notes.clear();
    if (!rows_->next(row)) return false;
    ++account_.rows;
    row.line = rows_->document() != nullptr ? account_.rows - 1 : lines_.number();
    if (row.time_is_none && input_->zero_output() == RowPolicy::drop) {
      judged_ = true;
      drop(row.failed);
      continue;
    }
    if (row.request.session.empty() || meet_session(row)) return true;
  }
}

/// The first turn comes of itself.
bool TraceReader::meet_session(const TraceRow& row) {
  const bool first = turns_.try_emplace(row.request.session, 0).second;
  if (!first || row.timed) return true;
  refuse(row, row.time_at, "expected a time: this is the first turn of its session, which none sets off");
  return false;
}

/// The same in the order of time.
bool TraceReader::next_in_order(TraceRow& row) {
  if (spec_.backward_time != BackwardPolicy::sort) {
    while (next_row(row)) {
      if (judge_time(row) == Verdict::good) return true;
    }
    return false;
  }
  if (!all_sorted_) sort_all();
  if (sorted_next_ == sorted_.size()) return false;
  row = std::move(sorted_[sorted_next_++]);
  return judge_time(row) == Verdict::good;
}

/// Turns without a time of their own stay behind the row before them.
void TraceReader::sort_all() {
  std::int64_t before = 0;
  TraceRow row;
  while (next_row(row)) {
    if (!row.timed) row.time = before;
    if (row.time < before) row.notes.add("earlier than the row before", "sorted");
    before = row.time;
    sorted_.push_back(row);
  }
  all_sorted_ = true;
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [](const TraceRow& a, const TraceRow& b) { return a.time < b.time; });
}

bool TraceReader::next_spread(TraceRow& row) {
  if (!spread_) return next_in_order(row);
  while (!spread_->ready()) {
    TraceRow fresh;
    if (next_in_order(fresh)) {
      spread_->put(std::move(fresh));
    } else {
      spread_->end();
      if (!spread_->ready()) return false;
    }
  }
  row = spread_->take();
  return true;
}

// The policies -------------------------------------------------------------------------------------------------------------

TraceReader::Verdict TraceReader::judge(TraceRow& row) {
  Request& request = row.request;
  judged_ = true;
  const bool no_input = request.input_tokens == 0;
  const bool no_output = request.output_tokens == 0 || row.failed != nullptr;
  if ((no_input || no_output) && mend_zeros(row, no_input, no_output) == Verdict::left_out) return Verdict::left_out;
  if (row.ids_wrong && judge_ids(row) == Verdict::left_out) return Verdict::left_out;
  if (longest_ && judge_length(row) == Verdict::left_out) return Verdict::left_out;
  if (request.input_tokens <= longest_request) return Verdict::good;
  refuse(row, row.input_at,
         "the prompt has " + std::to_string(request.input_tokens) +
             " tokens with what stands before it, the talk so far or its prefix: expected at most " +
             std::to_string(longest_request) +
             "; leave such rows out of the file, or cut them off with `max_requests`");
  return Verdict::left_out;
}

/// A row that one policy leaves out is refused all the same where another refuses it.
TraceReader::Verdict TraceReader::mend_zeros(TraceRow& row, bool no_input, bool no_output) {
  Request& request = row.request;
  const char* const reason = row.failed != nullptr ? row.failed : "no output tokens";
  const RowPolicy output_policy = input_->zero_output();
  const bool bad_input = no_input && spec_.zero_input == RowPolicy::reject;
  const bool bad_output = no_output && output_policy == RowPolicy::reject;
  if (bad_input) refuse_zero(row, Meaning::input_tokens, "no input tokens", row.input_at);
  if (bad_output) refuse_zero(row, Meaning::output_tokens, reason, row.output_at);
  if (bad_input || bad_output) return Verdict::left_out;
  if (no_input) {
    if (!mended(spec_.zero_input, request.input_tokens, "no input tokens")) return Verdict::left_out;
    row.ids_wrong = !request.content.empty() && !ids_fit(row);
  }
  if (no_output) {
    if (!mended(output_policy, request.output_tokens, reason)) return Verdict::left_out;
    request.max_tokens = std::max(request.max_tokens, request.output_tokens);
  }
  return Verdict::good;
}

/// Cut to one token, or left out.
bool TraceReader::mended(RowPolicy policy, std::int64_t& tokens, const char* reason) {
  if (policy == RowPolicy::clip) {
    account_.count(reason, tokens > 0 ? "kept" : "clipped");
    tokens = std::max<std::int64_t>(tokens, 1);
    return true;
  }
  drop(reason);
  return false;
}

/// Files that count their blocks otherwise, or have another size of block, would be read as other prompts.
TraceReader::Verdict TraceReader::judge_ids(TraceRow& row) {
  const Request& request = row.request;
  constexpr const char* reason = "another number of hash ids than blocks";
  const auto ids = static_cast<std::int64_t>(request.content.size());
  switch (spec_.wrong_id_count) {
    case RowPolicy::drop:
      drop(reason);
      return Verdict::left_out;
    case RowPolicy::clip:  // ids beyond the prompt go, and what has none is the prompt's own
    case RowPolicy::keep:
      account_.count(reason, "clipped");
      drop_surplus_ids(row.request);
      return Verdict::good;
    case RowPolicy::reject:
      refuse(row, row.ids_at,
             "there are " + std::to_string(ids) + " ids, but a prompt of " + std::to_string(request.input_tokens) +
                 " tokens has " + std::to_string(blocks_of(request)) + " blocks of " +
                 std::to_string(request.hash_block_size) +
                 ": state the trace's `block_size`, or say `wrong_id_count: drop` or `clip`");
  }
  return Verdict::left_out;
}

/// The answer is cut first, down to a token; then the prompt.
TraceReader::Verdict TraceReader::judge_length(TraceRow& row) {
  Request& request = row.request;
  if (request.input_tokens + request.output_tokens <= *longest_) return Verdict::good;
  constexpr const char* reason = "longer than the context of the server";
  switch (spec_.over_context) {
    case RowPolicy::keep:
      account_.count(reason, "kept");
      return Verdict::good;
    case RowPolicy::drop:
      drop(reason);
      return Verdict::left_out;
    case RowPolicy::clip:
      account_.count(reason, "clipped");
      request.output_tokens = std::max<std::int64_t>(1, *longest_ - request.input_tokens);
      request.input_tokens = std::max<std::int64_t>(1, std::min(request.input_tokens, *longest_ - 1));
      request.max_tokens =
          std::max(request.output_tokens, std::min(request.max_tokens, *longest_ - request.input_tokens));
      request.prefix_tokens = std::min(request.prefix_tokens, request.input_tokens);
      request.remote_tokens = std::min(request.remote_tokens, request.input_tokens);
      if (request.hash_block_size > 0) drop_surplus_ids(request);
      return Verdict::good;
    case RowPolicy::reject:
      refuse(row, row.input_at,
             "prompt and answer have " + std::to_string(request.input_tokens + request.output_tokens) +
                 " tokens, and the server takes " + std::to_string(*longest_) +
                 ": raise max_model_len, or say `over_context: keep`, `clip` or `drop`");
  }
  return Verdict::left_out;
}

/// Time zero is the earliest row where the clock says none, and time never runs backward.
TraceReader::Verdict TraceReader::judge_time(TraceRow& row) {
  if (!row.timed) {
    row.time = last_row_ > 0 ? last_time_ : 0;
    return Verdict::good;
  }
  if (!origin_) origin_ = input_->format.from_first_row ? row.time : 0;
  const std::int64_t since = row.time - *origin_;
  if (since > latest - segment_) {
    refuse(row, row.time_at,
           "expected at most 2^62 ns, which is 146 years, with the segments before it: say another `backward_time`");
    return Verdict::left_out;
  }
  std::int64_t time = since + segment_;
  const bool first = last_row_ == 0;
  if (!first && time < last_time_) {
    constexpr const char* reason = "earlier than the row before";
    switch (spec_.backward_time) {
      case BackwardPolicy::drop:
        drop(reason);
        return Verdict::left_out;
      case BackwardPolicy::segment:
        row.notes.add(reason, "a new segment");
        segment_ += last_time_ - time;
        time = last_time_;
        break;
      case BackwardPolicy::sort:
        throw BrokenInvariant("sorted rows are in order");
      case BackwardPolicy::reject:
        refuse_backward(row);
        return Verdict::left_out;
    }
  }
  row.time = last_time_ = time;
  last_line_ = row.line;
  last_row_ = account_.rows;
  return Verdict::good;
}

/// What was asked for of the trace.
TraceReader::Verdict TraceReader::place_in_window(TraceRow& row) {
  const std::int64_t start = spec_.start.count();
  if (!reach_) reach_.emplace(row.time, row.time);
  reach_->second = std::max(reach_->second, row.time);
  if (row.time < start) {
    drop("before the start of the window");
    return Verdict::left_out;
  }
  if (spec_.duration && row.time - start >= spec_.duration->count()) {
    drop("after the end of the window");
    return Verdict::left_out;
  }
  if (spec_.max_requests && account_.kept == *spec_.max_requests) {
    drop("beyond max_requests");
    return Verdict::left_out;
  }
  if (!row.timed && turns_[row.request.session] == 0) {
    drop("the turns before it were left out, and it has no time of its own");
    return Verdict::left_out;
  }
  return Verdict::good;
}

/// At the pace that was asked for.
TraceReader::Verdict TraceReader::place_on_clock(TraceRow& row) {
  Request& request = row.request;
  std::int64_t time = row.timed ? row.time - spec_.start.count() : 0;
  const auto longest = static_cast<double>(std::max(time, request.think_time.count()));
  if (longest * scale_ > latest_arrival * 1e9) {
    if (too_late_.rows++ == 0) too_late_.line = row.line, too_late_.at = row.time_at;
    too_late_.longest = std::max(too_late_.longest, longest);
    return Verdict::left_out;
  }
  if (scale_ != 1) {
    time = scaled(time, scale_);
    request.think_time = Duration(scaled(request.think_time.count(), scale_));
  }
  request.arrival = Time(Duration(time));
  return Verdict::good;
}

// Counting -----------------------------------------------------------------------------------------------------------------

void TraceReader::drop(const char* reason) {
  ++account_.dropped;
  account_.count(reason, "dropped");
}

}  // namespace decodesim
