// The result of vLLM's benchmark client, written with --save-detailed: one JSON object with a list a field. Its start times are
// seconds of a clock of its own; where they are not there, all requests come at once, counted. What was sent while a place
// was waited for (--max-concurrency) started late, and so it comes late here too. A request with a text in `errors` failed,
// and its start time is often a zero, which is none: left out, it lies on no clock and in no window.

#include <string>
#include <string_view>

#include "sim/workload/traces/document.hpp"
#include "sim/workload/traces/formats/formats.hpp"
#include "sim/workload/traces/json_line.hpp"

namespace decodesim {

namespace {

constexpr TraceKey keys[] = {{"input_lens", Meaning::input_tokens, true},
                             {"output_lens", Meaning::output_tokens, true}};

/// A list of the document.
struct Values {
  JsonLine list;
  bool there = false;

  [[nodiscard]] std::size_t size() const { return list.members().size(); }
};

class VllmBenchRows final : public TraceRows {
 public:
  VllmBenchRows(TraceInput& input, TraceMistakes& mistakes)
      : mistakes_(mistakes), rules_(input.rules()), document_(input.lines) {
    try {
      read_lists();
    } catch (const JsonMistake& mistake) {
      document_.add(mistakes_, mistake.at, mistake.message);
    }
    mistakes_.throw_if_any();
  }

  bool next(TraceRow& row) override {
    while (next_ < inputs_.size()) {
      const std::size_t i = next_++;
      row = {};
      row.failed = failed(i);
      bool good = set(Meaning::input_tokens, inputs_, i, row, row.input_at);
      good = set(Meaning::output_tokens, outputs_, i, row, row.output_at) && good;
      if (starts_.there) good = set(Meaning::time, starts_, i, row, row.time_at) && good;
      if (!good) continue;
      row.time_is_none = row.failed != nullptr && starts_.there && row.time == 0;
      if (!starts_.there) row.notes.add("no start_times", "all at once");
      row.request.max_tokens = row.request.output_tokens;
      return true;
    }
    return false;
  }

  [[nodiscard]] const TraceDocument* document() const override { return &document_; }

 private:
  void read_lists() {
    JsonLine object;
    const std::string_view text = document_.text();
    object.read_document(text);
    for (const JsonMember& member : object.members()) {
      for (const auto& [name, values] : {std::pair{"input_lens", &inputs_}, std::pair{"output_lens", &outputs_},
                                         std::pair{"start_times", &starts_}, std::pair{"errors", &errors_}}) {
        if (member.key != name || member.kind == JsonKind::null) continue;
        if (member.kind != JsonKind::list) throw JsonMistake{member.at, std::string(name) + ": expected a list"};
        values->list.read_list(text.substr(0, member.at + member.text.size()), member.at);
        values->there = true;
      }
    }
    if (!inputs_.there || !outputs_.there)
      throw JsonMistake{0, "there are no 'input_lens' and 'output_lens': let the client write them, --save-detailed"};
    for (const JsonMember& member : object.members()) {
      for (const auto& [name, values] :
           {std::pair{"output_lens", &outputs_}, std::pair{"start_times", &starts_}, std::pair{"errors", &errors_}}) {
        if (member.key == name && values->there && values->size() != inputs_.size())
          throw JsonMistake{member.at, std::string(name) + " has " + std::to_string(values->size()) +
                                           " elements, and input_lens " + std::to_string(inputs_.size()) +
                                           ": expected one a request in each"};
      }
    }
  }

  [[nodiscard]] const char* failed(std::size_t i) const {
    if (!errors_.there) return nullptr;
    const JsonMember& error = errors_.list.members()[i];
    return error.kind == JsonKind::null || error.text.empty() ? nullptr : "an error";
  }

  bool set(Meaning meaning, const Values& values, std::size_t i, TraceRow& row, std::size_t& at) {
    const JsonMember& value = values.list.members()[i];
    at = value.at;
    const std::string_view wrong = value.kind == JsonKind::number ? set_field(meaning, value.text, rules_, row)
                                                                  : std::string_view("expected a number");
    if (wrong.empty()) return true;
    document_.add(mistakes_, value.at,
                  "of request " + std::to_string(i) + " it is '" + std::string(value.text.substr(0, 40)) +
                      "': " + std::string(wrong));
    return false;
  }

  TraceMistakes& mistakes_;
  FieldRules rules_;
  TraceDocument document_;
  Values inputs_, outputs_, starts_, errors_;
  std::size_t next_ = 0;
};

std::unique_ptr<TraceRows> vllm_bench_rows(TraceInput& input, TraceMistakes& mistakes) {
  return std::make_unique<VllmBenchRows>(input, mistakes);
}

}  // namespace

const TraceFormatInfo vllm_bench_format{
    .format = TraceFormat::vllm_bench,
    .name = "vllm-bench",
    .summary = "the detailed result of vLLM's benchmark client: input_lens, output_lens, start_times (s)",
    .from_first_row = true,
    .zero_output = RowPolicy::drop,
    .shape = TraceShape::other,
    .keys = keys,
    .others_ignored = true,
    .rows = vllm_bench_rows,
};

}  // namespace decodesim
