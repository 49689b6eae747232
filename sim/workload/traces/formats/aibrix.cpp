// AIBrix's workloads (vllm-project/aibrix, benchmarks): one line a tick, which lists the requests that come in it. Two
// spellings are about: `Prompt Length` and `Output Length` of older files, `prompt_length` and `output_length` of newer.
//
// An output_length of null, or none, is an answer of unknown length, which the policy for rows without output tokens takes.
// Requests of one session_id are its turns; AIBrix's client sends each with the talk before it, of which its own length says
// nothing, so prompts and answers are added up here too.

#include <optional>
#include <string>
#include <utility>

#include "sim/workload/traces/formats/formats.hpp"
#include "sim/workload/traces/json_line.hpp"
#include "sim/workload/traces/session_history.hpp"

namespace decodesim {

namespace {

/// Of a line; those of its requests are below.
constexpr TraceKey keys[] = {{"timestamp", Meaning::time, true}, {"requests", Meaning::ignored, true}};

constexpr TraceKey request_keys[] = {
    {"prompt_length", Meaning::input_tokens},  {"Prompt Length", Meaning::input_tokens},
    {"output_length", Meaning::output_tokens}, {"Output Length", Meaning::output_tokens},
    {"session_id", Meaning::session},          {"model", Meaning::tenant},
};

class AibrixRows final : public TraceRows {
 public:
  AibrixRows(TraceInput& input, TraceMistakes& mistakes)
      : lines_(input.lines), mistakes_(mistakes), rules_(input.rules()), at_row_(input.at_first_row) {}

  bool next(TraceRow& row) override {
    while (next_request_ < requests_.members().size() || next_tick()) {
      if (next_request_ == requests_.members().size()) continue;
      const JsonMember& request = requests_.members()[next_request_++];
      row = {};
      row.time = time_;
      row.time_at = time_at_;
      try {
        read_request(request, row);
      } catch (const JsonMistake& mistake) {
        mistakes_.add(lines_, mistake.at, mistake.message);
        continue;
      }
      row.request.max_tokens = row.request.output_tokens;
      if (!row.request.session.empty()) history_.prepend(row.request);
      return true;
    }
    return false;
  }

 private:
  /// To the next line that holds an object; its requests are then to be read.
  bool next_tick() {
    while (std::exchange(at_row_, false) || lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      try {
        tick_.read(line);
        read_tick(line);
        return true;
      } catch (const JsonMistake& mistake) {
        mistakes_.add(lines_, mistake.at, mistake.message);
        requests_ = {};
        next_request_ = 0;
      }
    }
    return false;
  }

  void read_tick(std::string_view line) {
    const JsonMember* time = nullptr;
    const JsonMember* list = nullptr;
    for (const JsonMember& member : tick_.members()) {
      if (member.key == "timestamp") time = &member;
      if (member.key == "requests") list = &member;
    }
    if (time == nullptr) throw JsonMistake{0, "there is no 'timestamp'"};
    if (list == nullptr || list->kind != JsonKind::list)
      throw JsonMistake{list == nullptr ? 0 : list->at, "expected 'requests', a list of those that come at this time"};
    TraceRow tick;
    set(Meaning::time, *time, tick);
    time_ = tick.time;
    time_at_ = time->at;
    requests_.read_list(line.substr(0, list->at + list->text.size()), list->at);
    next_request_ = 0;
  }

  void read_request(const JsonMember& request, TraceRow& row) {
    if (request.kind != JsonKind::object) throw JsonMistake{request.at, "expected a request, {...}"};
    one_.read_object(lines_.line().substr(0, request.at + request.text.size()), request.at);
    row.input_at = row.output_at = request.at;
    bool measured = false;
    for (const JsonMember& member : one_.members()) {
      for (const TraceKey& key : request_keys) {
        if (key.name != member.key || member.kind == JsonKind::null) continue;
        set(key.meaning, member, row);
        measured = measured || key.meaning == Meaning::input_tokens;
        if (key.meaning == Meaning::input_tokens) row.input_at = member.at;
        if (key.meaning == Meaning::output_tokens) row.output_at = member.at;
      }
    }
    if (!measured)
      throw JsonMistake{request.at,
                        "there is no 'prompt_length' (or 'Prompt Length'): a prompt's text has no length here, so "
                        "count its tokens first"};
  }

  void set(Meaning meaning, const JsonMember& member, TraceRow& row) {
    const bool single = member.kind == JsonKind::number || (!is_number(meaning) && member.kind == JsonKind::text);
    const std::string_view wrong =
        single ? set_field(meaning, member.text, rules_, row) : std::string_view("expected a number, without quotes");
    if (!wrong.empty()) throw refused(member, wrong);
  }

  TraceLines& lines_;
  TraceMistakes& mistakes_;
  FieldRules rules_;
  bool at_row_;
  JsonLine tick_;
  JsonLine requests_;
  JsonLine one_;
  std::size_t next_request_ = 0;  // of those of the tick
  std::int64_t time_ = 0;
  std::size_t time_at_ = 0;
  SessionHistory history_;
};

std::unique_ptr<TraceRows> aibrix_rows(TraceInput& input, TraceMistakes& mistakes) {
  return std::make_unique<AibrixRows>(input, mistakes);
}

}  // namespace

const TraceFormatInfo aibrix_format{
    .format = TraceFormat::aibrix,
    .name = "aibrix",
    .summary =
        "AIBrix's JSONL: a line a tick (ms) with its requests, each prompt_length, output_length; its model is the "
        "tenant",
    .time_unit = TimeUnit::ms,
    .shape = TraceShape::jsonl,
    .keys = keys,
    .others_ignored = true,
    .rows = aibrix_rows,
};

}  // namespace decodesim
