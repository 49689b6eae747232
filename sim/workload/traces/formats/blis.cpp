// BLIS's TraceV2 (inference-sim/inference-sim, sim/workload/tracev2.go): the CSV of the two files, in whole microseconds. The
// header beside it, YAML, says nothing that a replay needs and is not read.
//
// What BLIS's own replay makes of the columns holds here too: prefix_length comes on top of input_tokens; server_input_tokens,
// what a server counted, takes the place of input_tokens where there is one and no prefix_group; deadline_us is absolute, on
// the clock of arrival_time_us, 0 is none, and the client gives up then. Tokens of text, images, audio and video are parts of
// input_tokens, those of reasoning of output_tokens. A request comes at arrival_time_us, not when its client found a place to
// send it, and a later round with a think_time_us so long after the answer before it. The answer of a call whose status is
// error or timeout was cut short, so such rows go the way of those without output tokens.

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {

constexpr TraceKey keys[] = {
    {"request_id", Meaning::id},
    {"tenant_id", Meaning::tenant},
    {"slo_class", Meaning::slo_class},
    {"vllm_priority", Meaning::priority},
    {"session_id", Meaning::session},
    {"input_tokens", Meaning::input_tokens, true},
    {"output_tokens", Meaning::output_tokens, true},
    {"arrival_time_us", Meaning::time, true},
    {"think_time_us", Meaning::think_time},
};

/// Columns whose meaning hangs on others.
enum Column { round_index, prefix_group, prefix_length, deadline_us, server_input_tokens, status, columns };
constexpr std::string_view column_names[columns] = {"round_index", "prefix_group",        "prefix_length",
                                                    "deadline_us", "server_input_tokens", "status"};

class BlisRows final : public TraceRows {
 public:
  BlisRows(TraceInput& input, TraceMistakes& mistakes)
      : input_(input), mistakes_(mistakes), rows_(read_names(input, mistakes)) {}

  bool next(TraceRow& row) override {
    forget_prefix(row.request);
    while (rows_->next(row)) {
      static_cast<void>(fields_.split(input_.lines.line(), 0));  // the plain reader found nothing wrong with it
      const std::size_t before = wrong_;
      take_status(row);
      take_prompt(row.request);
      take_deadline(row);
      take_round(row);
      if (wrong_ == before) return true;
      forget_prefix(row.request);
    }
    return false;
  }

 private:
  std::unique_ptr<TraceRows> read_names(TraceInput& input, TraceMistakes& mistakes) {
    const std::string_view line = input.lines.line();
    if (line.starts_with("trace_version:")) {
      mistakes.add(input.lines, 0, "this is the header of a BLIS trace: name its CSV, which holds the rows");
      mistakes.throw_if_any();
    }
    static_cast<void>(fields_.split(line, 0));
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto name = std::find(std::begin(column_names), std::end(column_names), fields_.text(i));
      if (name != std::end(column_names)) places_[name - std::begin(column_names)] = i;
    }
    return csv_rows(input, mistakes);
  }

  /// That of the row before, which the plain reader knows nothing of.
  static void forget_prefix(Request& request) {
    request.prefix_group.clear();
    request.prefix_tokens = 0;
  }

  [[nodiscard]] std::string_view text(Column column) const {
    return places_[column] ? fields_.text(*places_[column]) : std::string_view();
  }

  void refuse(Column column, std::string_view wrong) {
    ++wrong_;
    mistakes_.add(input_.lines, fields_.offset(*places_[column]),
                  std::string(column_names[column]) + " is '" + std::string(text(column).substr(0, 40)) +
                      "': " + std::string(wrong));
  }

  /// A number of a column that may be empty.
  std::int64_t number(Column column) {
    std::int64_t value = 0;
    if (text(column).empty()) return value;
    const std::string_view wrong = read_tokens_or_zero(text(column), value);
    if (!wrong.empty()) refuse(column, wrong);
    return value;
  }

  void take_status(TraceRow& row) {
    const std::string_view said = text(status);
    row.failed = said == "error" ? "status error" : said == "timeout" ? "status timeout" : nullptr;
    if (!said.empty() && said != "ok" && row.failed == nullptr) refuse(status, "expected ok, error or timeout");
  }

  void take_prompt(Request& request) {
    request.prefix_group = text(prefix_group);
    if (const std::string_view wrong = wrong_name(text(prefix_group)); !wrong.empty()) refuse(prefix_group, wrong);
    request.prefix_tokens = request.prefix_group.empty() ? 0 : number(prefix_length);
    if (request.prefix_tokens == 0) request.prefix_group.clear();
    const std::int64_t counted = text(prefix_group).empty() ? number(server_input_tokens) : 0;
    request.input_tokens = (counted > 0 ? counted : request.input_tokens) + request.prefix_tokens;
  }

  void take_deadline(TraceRow& row) {
    row.request.timeout.reset();
    std::int64_t end = 0;
    if (text(deadline_us).empty()) return;
    const std::string_view wrong = read_time(text(deadline_us), input_.time_unit(), end);
    if (!wrong.empty()) return refuse(deadline_us, wrong);
    if (end == 0) return;
    if (end <= row.time)
      return refuse(deadline_us, "expected a time after arrival_time_us, on the same clock; 0 is none");
    row.request.timeout = Duration(end - row.time);
  }

  /// Rounds of a session stand in their order.
  void take_round(TraceRow& row) {
    const std::string& session = row.request.session;
    if (session.empty()) return;
    const std::int64_t round = number(round_index);
    const auto [last, first] = rounds_.try_emplace(session, round);
    if (!first && places_[round_index] && round <= last->second)
      refuse(round_index, "expected more than the round before it, " + std::to_string(last->second) +
                              ": rounds of a session stand in their order");
    last->second = round;
    if (!first && row.request.think_time > Duration{}) row.timed = false;
    // The talk before it holds the prefix, and more.
    if (!first) forget_prefix(row.request);
  }

  TraceInput& input_;
  TraceMistakes& mistakes_;
  TraceFields fields_;
  std::optional<std::size_t> places_[columns];
  std::unique_ptr<TraceRows> rows_;
  std::unordered_map<std::string, std::int64_t> rounds_;  // the latest of each session
  std::size_t wrong_ = 0;                                 // mistakes found here
};

std::unique_ptr<TraceRows> blis_rows(TraceInput& input, TraceMistakes& mistakes) {
  return std::make_unique<BlisRows>(input, mistakes);
}

}  // namespace

const TraceFormatInfo blis_format{
    .format = TraceFormat::blis,
    .name = "blis",
    .summary = "the CSV of a BLIS TraceV2: arrival_time_us, input_tokens, output_tokens, sessions, prefixes, deadlines",
    .time_unit = TimeUnit::us,
    .zero_output = RowPolicy::drop,
    .keys = keys,
    .others_ignored = true,
    .rows = blis_rows,
};

}  // namespace decodesim
