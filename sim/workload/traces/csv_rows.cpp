// Rows of CSV: a line of column names, which are found by name, and a row a line.

#include <algorithm>

#include "sim/core/suggest.hpp"
#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/format.hpp"
#include "sim/workload/traces/plain_row.hpp"

namespace decodesim {

namespace {

std::vector<std::string_view> names_of(std::span<const TraceKey> keys) {
  std::vector<std::string_view> names;
  for (const TraceKey& key : keys) names.push_back(key.name);
  return names;
}

std::string required_names(std::span<const TraceKey> keys) {
  std::string text;
  for (const TraceKey& key : keys) {
    if (key.required) text += (text.empty() ? "" : ", ") + std::string(key.name);
  }
  return text;
}

class CsvRows final : public TraceRows {
 public:
  CsvRows(TraceInput& input, std::vector<TraceKey> keys, std::size_t indent, TraceMistakes& mistakes)
      : lines_(input.lines),
        mistakes_(mistakes),
        keys_(std::move(keys)),
        declared_(input.format.format == TraceFormat::csv),
        others_ignored_(input.format.others_ignored),
        rules_(input.rules()),
        block_size_(input.block_size()),
        closed_loop_(input.max_concurrency.has_value()),
        indent_(indent) {
    read_names();
  }

  bool next(TraceRow& row) override {
    while (at_row()) {
      if (read_row(row)) return true;
    }
    return false;
  }

 private:
  void read_names() {
    if (!fields_.split(lines_.line(), indent_)) refuse_quote(), mistakes_.throw_if_any();
    check_any_known();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::string_view name = fields_.text(i);
      const auto key =
          std::find_if(keys_.begin(), keys_.end(), [&](const TraceKey& known) { return known.name == name; });
      meanings_.push_back(key == keys_.end() ? Meaning::ignored : key->meaning);
      if (key == keys_.end() && !others_ignored_ && !name.starts_with("x-")) {
        mistakes_.add(lines_, fields_.offset(i),
                      "unknown column '" + std::string(name) + "': " + suggestion(name, names_of(keys_)) +
                          "; columns that begin with x- are ignored");
      }
      if (key != keys_.end() && std::find(names_.begin(), names_.end(), name) != names_.end())
        mistakes_.add(lines_, fields_.offset(i), "column '" + std::string(name) + "' is there twice");
      names_.emplace_back(name);
    }
    check_required();
    mistakes_.throw_if_any();
    plain_ = PlainRow(meanings_, rules_);
  }

  /// A file without a single name that we know: probably one of another kind, or one without a line of names.
  void check_any_known() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < fields_.size(); ++i) names.push_back(fields_.text(i));
    const std::vector<std::string_view> known = names_of(keys_);
    if (std::find_first_of(names.begin(), names.end(), known.begin(), known.end()) != names.end()) return;
    mistakes_.add(
        lines_, indent_,
        "this line should name the columns: expected " + required_names(keys_) + "; " + found_names(names, known));
    mistakes_.throw_if_any();
  }

  void check_required() {
    const auto has = [&](Meaning meaning) {
      return std::find(meanings_.begin(), meanings_.end(), meaning) != meanings_.end();
    };
    if (has(Meaning::time_s) && has(Meaning::time_ns))
      mistakes_.add(lines_, indent_, "the arrival is there twice, as arrival_s and as arrival_ns; keep one");
    if (has(Meaning::time) && has(Meaning::date_time))
      mistakes_.add(lines_, indent_, "the arrival is there twice, as a number and as a date; keep one");
    const bool timed = closed_loop_ || has(Meaning::time_s) || has(Meaning::time_ns);
    if (closed_loop_ && (has(Meaning::time_s) || has(Meaning::time_ns))) {
      mistakes_.add(
          lines_, fields_.offset(place_of(Meaning::time)),
          "in a closed loop a request comes when a place becomes free: take out this column, or max_concurrency");
    }
    for (const TraceKey& key : keys_) {
      if (!key.required || has(key.meaning) || (key.meaning == Meaning::time_s && timed)) continue;
      const bool arrival = key.meaning == Meaning::time || key.meaning == Meaning::date_time;
      mistakes_.add(
          lines_, indent_,
          "there is no column '" + std::string(key.name) + "': expected " + required_names(keys_) +
              (arrival ? "; lengths alone are no trace: give every row its arrival, or state such lengths in a "
                         "workload that draws its arrivals"
                       : ""));
    }
    for (const auto& [one, other] : {std::pair{Meaning::prefix_group, Meaning::prefix_tokens},
                                     std::pair{Meaning::hash_ids, Meaning::hash_block_size}}) {
      if (has(one) == has(other) || (one == Meaning::hash_ids && block_size_ > 0)) continue;
      mistakes_.add(lines_, indent_,
                    "there is no column '" + name_of(has(one) ? other : one) + "', which '" +
                        name_of(has(one) ? one : other) + "' needs");
    }
  }

  [[nodiscard]] std::string name_of(Meaning meaning) const {
    for (const TraceKey& key : keys_) {
      if (key.meaning == meaning) return std::string(key.name);
    }
    return {};
  }

  /// Goes to the next line that should be a row; empty ones are passed over.
  bool at_row() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (indent_ == 0 && !line.empty() && line[0] != ' ') return true;
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent == std::string_view::npos) continue;
      if (indent >= indent_) return true;
      mistakes_.add(lines_, indent,
                    "expected a row, indented by " + std::to_string(indent_) +
                        " as the names of the columns are; nothing follows the rows");
    }
    return false;
  }

  /// What no column says of this row is not left from the row before.
  void begin_row(TraceRow& row) const {
    row.timed = true;
    row.ids_wrong = false;
    row.request.max_tokens = 0;
    row.request.content.clear();
    row.request.hash_block_size = block_size_;
  }

  bool read_row(TraceRow& row) {
    begin_row(row);
    return (plain_.read(lines_.line(), indent_, row) && check_row(row, wrong_at_).empty()) || read_fields(row);
  }

  /// Any row, field by field, and its mistakes.
  bool read_fields(TraceRow& row) {
    begin_row(row);
    if (!fields_.split(lines_.line(), indent_)) return refuse_quote();
    const std::size_t wanted = meanings_.size();
    if (fields_.size() != wanted) {
      const std::size_t place = fields_.size() > wanted ? fields_.offset(wanted) : lines_.line().size();
      mistakes_.add(lines_, place,
                    "expected " + std::to_string(wanted) + " fields, as there are names of columns; found " +
                        std::to_string(fields_.size()));
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < wanted; ++i) {
      const std::string_view wrong = set_field(meanings_[i], fields_.text(i), rules_, row);
      if (!wrong.empty()) {
        refuse(i, std::string(wrong) + declared_otherwise(i));
        good = false;
      }
      note_place(meanings_[i], fields_.offset(i), row);
    }
    if (!good) return false;
    const std::string_view wrong = check_row(row, wrong_at_);
    if (!wrong.empty()) refuse(place_of(wrong_at_), wrong);
    return wrong.empty();
  }

  /// A declared column of times that has dates, or the other way round.
  [[nodiscard]] std::string declared_otherwise(std::size_t i) const {
    if (!declared_) return "";
    std::int64_t time = 0;
    if (meanings_[i] == Meaning::time && read_timestamp(fields_.text(i), time).empty())
      return "; this is a date: declare `timestamp: " + names_[i] + "` in place of `arrival`";
    if (meanings_[i] == Meaning::date_time && read_time(fields_.text(i), TimeUnit::s, time).empty())
      return "; this is a number: declare `arrival: " + names_[i] + "` in place of `timestamp`";
    return "";
  }

  static void note_place(Meaning meaning, std::size_t offset, TraceRow& row) {
    switch (meaning) {
      case Meaning::time:
      case Meaning::time_s:
      case Meaning::time_ns:
      case Meaning::date_time:
        row.time_at = offset;
        return;
      case Meaning::input_tokens:
        row.input_at = offset;
        return;
      case Meaning::output_tokens:
        row.output_at = offset;
        return;
      case Meaning::hash_ids:
        row.ids_at = offset;
        return;
      default:
        return;
    }
  }

  /// The column that a mistake of the whole row is shown at.
  [[nodiscard]] std::size_t place_of(Meaning meaning) const {
    for (std::size_t i = 0; i < meanings_.size(); ++i) {
      const bool time =
          meaning == Meaning::time && (meanings_[i] == Meaning::time_s || meanings_[i] == Meaning::time_ns);
      if (meanings_[i] == meaning || time) return i;
    }
    return 0;
  }

  bool refuse_quote() {
    mistakes_.add(lines_, fields_.offset(fields_.size() - 1), "this quote is not closed before the next comma");
    return false;
  }
  void refuse(std::size_t i, std::string_view what) {
    mistakes_.add(lines_, fields_.offset(i),
                  names_[i] + " is '" + std::string(fields_.text(i).substr(0, 40)) + "': " + std::string(what));
  }

  TraceLines& lines_;
  TraceMistakes& mistakes_;
  std::vector<TraceKey> keys_;
  bool declared_;  // by the user, which column is what
  bool others_ignored_;
  FieldRules rules_;
  std::int64_t block_size_;
  bool closed_loop_;    // whose rows have no times
  std::size_t indent_;  // blanks before each row
  Meaning wrong_at_{};  // whose column does not go with the rest of a row
  PlainRow plain_;
  TraceFields fields_;
  std::vector<Meaning> meanings_;   // of the columns
  std::vector<std::string> names_;  // as the file spells them
};

}  // namespace

std::unique_ptr<TraceRows> csv_rows_of(TraceInput& input, std::vector<TraceKey> keys, std::size_t indent,
                                       TraceMistakes& mistakes) {
  return std::make_unique<CsvRows>(input, std::move(keys), indent, mistakes);
}

std::unique_ptr<TraceRows> csv_rows(TraceInput& input, TraceMistakes& mistakes) {
  return csv_rows_of(input, {input.format.keys.begin(), input.format.keys.end()}, 0, mistakes);
}

}  // namespace decodesim
