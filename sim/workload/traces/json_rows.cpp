// Rows of JSONL: an object a line, whose keys are found by name.

#include <algorithm>
#include <utility>

#include "sim/core/suggest.hpp"
#include "sim/workload/traces/format.hpp"
#include "sim/workload/traces/json_line.hpp"

namespace decodesim {

namespace {

class JsonRows final : public TraceRows {
 public:
  JsonRows(TraceInput& input, TraceMistakes& mistakes)
      : lines_(input.lines),
        mistakes_(mistakes),
        format_(input.format),
        rules_(input.rules()),
        block_size_(input.block_size()),
        at_row_(input.at_first_row) {}

  bool next(TraceRow& row) override {
    while (std::exchange(at_row_, false) || lines_.next()) {
      if (lines_.line().find_first_not_of(" \t") == std::string_view::npos) continue;
      row = {};
      row.request.hash_block_size = block_size_;
      try {
        line_.read(lines_.line());
        read_members(row);
        return true;
      } catch (const JsonMistake& mistake) {
        mistakes_.add(lines_, mistake.at, mistake.message);
      }
    }
    return false;
  }

 private:
  void read_members(TraceRow& row) {
    bool timed = false;
    for (const JsonMember& member : line_.members()) {
      const auto key = std::find_if(format_.keys.begin(), format_.keys.end(),
                                    [&](const TraceKey& known) { return known.name == member.key; });
      if (key == format_.keys.end()) {
        if (!format_.others_ignored) refuse_unknown(member);
        continue;
      }
      if (key->meaning == Meaning::time) timed = member.kind != JsonKind::null;
      note_place(key->meaning, member.at, row);
      set(*key, member, row);
    }
    row.timed = timed || (format_.at_once && row.request.session.empty());
    for (const TraceKey& key : format_.keys) {
      const bool there = std::any_of(line_.members().begin(), line_.members().end(),
                                     [&](const JsonMember& member) { return member.key == key.name; });
      if (key.required && !there) throw JsonMistake{0, "there is no '" + std::string(key.name) + "'"};
    }
    Meaning at{};
    const std::string_view wrong = check_row(row, at);
    if (wrong.empty() && row.timed && !timed) row.notes.add("no timestamp", "all at once");
    if (wrong.empty()) return;
    for (const JsonMember& member : line_.members()) {
      for (const TraceKey& key : format_.keys) {
        if (key.name == member.key && key.meaning == at)
          throw JsonMistake{member.at, std::string(member.key) + ": " + std::string(wrong)};
      }
    }
    throw JsonMistake{0, std::string(wrong)};
  }

  void set(const TraceKey& key, const JsonMember& member, TraceRow& row) {
    if (key.meaning == Meaning::ignored || (member.kind == JsonKind::null && !key.required)) return;
    if (key.meaning == Meaning::hash_ids && member.kind == JsonKind::list) {
      read_json_ids(member.text, member.at, ids_);
      for (const std::int64_t id : ids_) row.request.content.push_back({static_cast<std::uint64_t>(id), 0});
      return;
    }
    if (key.meaning == Meaning::hash_ids && member.kind != JsonKind::null)
      throw JsonMistake{member.at, std::string(member.key) + ": expected a list, such as [0, 1, 2]"};
    const std::string_view text = member.kind == JsonKind::null ? std::string_view() : member.text;
    if (is_number(key.meaning) && member.kind == JsonKind::text) {
      throw JsonMistake{member.at, std::string(member.key) + " is a text, '" + std::string(member.text.substr(0, 40)) +
                                       "': expected a number, without quotes"};
    }
    const bool single =
        (member.kind != JsonKind::list && member.kind != JsonKind::object) || key.meaning == Meaning::unmeasured;
    const std::string_view wrong =
        single ? set_field(key.meaning, text, rules_, row) : std::string_view("expected a single value");
    if (!wrong.empty()) throw refused(member, wrong);
  }

  [[noreturn]] void refuse_unknown(const JsonMember& member) const {
    std::vector<std::string_view> names;
    for (const TraceKey& key : format_.keys) names.push_back(key.name);
    throw JsonMistake{member.key_at, "unknown key '" + std::string(member.key.substr(0, 40)) +
                                         "': " + suggestion(member.key, names) +
                                         "; a trace with other keys is of another kind and may mean other units"};
  }

  static void note_place(Meaning meaning, std::size_t at, TraceRow& row) {
    if (meaning == Meaning::time) row.time_at = at;
    if (meaning == Meaning::input_tokens) row.input_at = at;
    if (meaning == Meaning::output_tokens) row.output_at = at;
    if (meaning == Meaning::hash_ids) row.ids_at = at;
  }

  TraceLines& lines_;
  TraceMistakes& mistakes_;
  const TraceFormatInfo& format_;
  FieldRules rules_;
  std::int64_t block_size_;
  bool at_row_;
  JsonLine line_;
  std::vector<std::int64_t> ids_;
};

}  // namespace

std::unique_ptr<TraceRows> json_rows(TraceInput& input, TraceMistakes& mistakes) {
  return std::make_unique<JsonRows>(input, mistakes);
}

}  // namespace decodesim
