// AIPerf's `mooncake_trace` (ai-dynamo/aiperf, genai-perf before it): Mooncake's keys, and sessions.
//
// A row comes at its timestamp or, as a later turn, its delay after the answer before it; one that says neither comes at time
// zero, counted. The input_length of a later turn is what is new in it, since AIPerf sends the talk before it along, so
// prompts and answers are added up here too. Texts (text_input, messages, payload) have no length here.

#include <utility>

#include "sim/workload/traces/formats/formats.hpp"
#include "sim/workload/traces/session_history.hpp"

namespace decodesim {

namespace {

constexpr TraceKey keys[] = {
    {"timestamp", Meaning::time},
    {"delay", Meaning::think_time},
    {"input_length", Meaning::input_tokens, true},
    {"output_length", Meaning::output_tokens},
    {"hash_ids", Meaning::hash_ids},
    {"session_id", Meaning::session},
    {"text_input", Meaning::unmeasured},
    {"messages", Meaning::unmeasured},
    {"payload", Meaning::unmeasured},
    {"type", Meaning::ignored},
    {"tools", Meaning::ignored},
    {"extra", Meaning::ignored},
    {"headers", Meaning::ignored},
};

class AiperfRows final : public TraceRows {
 public:
  AiperfRows(TraceInput& input, TraceMistakes& mistakes)
      : input_(input), mistakes_(mistakes), rows_(json_rows(input, mistakes)) {}

  bool next(TraceRow& row) override {
    while (rows_->next(row)) {
      Request& request = row.request;
      if (row.timed && request.think_time > Duration{}) {
        mistakes_.add(input_.lines, row.time_at,
                      "a row has a timestamp or a delay, not both: a delay counts from the answer before it");
        continue;
      }
      if (request.session.empty()) return true;
      if (!row.timed && !history_.has(request.session)) {
        row.timed = true;
        row.notes.add("no timestamp", "all at once");
      }
      if (history_.has(request.session)) row.ids_wrong = false;
      history_.prepend(request);
      return true;
    }
    return false;
  }

 private:
  TraceInput& input_;
  TraceMistakes& mistakes_;
  std::unique_ptr<TraceRows> rows_;
  SessionHistory history_;
};

std::unique_ptr<TraceRows> aiperf_rows(TraceInput& input, TraceMistakes& mistakes) {
  return std::make_unique<AiperfRows>(input, mistakes);
}

}  // namespace

const TraceFormatInfo aiperf_format{
    .format = TraceFormat::aiperf,
    .name = "aiperf",
    .summary =
        "AIPerf's mooncake_trace: input_length, output_length, timestamp or delay (ms), hash_ids of 512 tokens, "
        "session_id",
    .time_unit = TimeUnit::ms,
    .block_size = 512,
    .shape = TraceShape::jsonl,
    .at_once = true,
    .keys = keys,
    .rows = aiperf_rows,
};

}  // namespace decodesim
