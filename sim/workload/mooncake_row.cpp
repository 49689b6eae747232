#include "sim/workload/mooncake_row.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sim/core/suggest.hpp"
#include "sim/workload/trace_fields.hpp"

namespace decodesim {

namespace {

constexpr std::array<std::string_view, 4> keys{"timestamp", "input_length", "output_length", "hash_ids"};
constexpr std::int64_t latest_timestamp = (std::int64_t{1} << 62) / 1'000'000;

/// What is wrong and where.
struct Mistake {
  std::size_t offset = 0;
  std::string message;
};

/// Reads a line from left to right. The first thing that is not as it should be is thrown as a Mistake, which does not
/// leave this file.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[noreturn]] void refuse(std::size_t offset, std::string message) const { throw Mistake{offset, std::move(message)}; }

  void skip_blanks() {
    while (offset_ < line_.size() && (line_[offset_] == ' ' || line_[offset_] == '\t')) ++offset_;
  }
  /// Is this the next character that is no blank? Then goes behind it.
  bool take(char wanted) {
    skip_blanks();
    if (offset_ == line_.size() || line_[offset_] != wanted) return false;
    ++offset_;
    return true;
  }
  void need(char wanted, std::string_view where) {
    if (!take(wanted)) refuse(offset_, "expected '" + std::string(1, wanted) + "' " + std::string(where));
  }
  void need_end() {
    skip_blanks();
    if (offset_ != line_.size()) refuse(offset_, "nothing stands behind the object; every line holds one");
  }
  std::string_view key() {
    need('"', "before the name of a key");
    const std::size_t start = offset_;
    while (offset_ < line_.size() && line_[offset_] != '"') ++offset_;
    if (offset_ == line_.size()) refuse(start - 1, "this quote is not closed");
    return line_.substr(start, offset_++ - start);
  }
  PlacedNumber whole_number(std::string_view what) {
    skip_blanks();
    const std::size_t start = offset_;
    while (offset_ < line_.size() && std::string_view(",]} \t").find(line_[offset_]) == std::string_view::npos)
      ++offset_;
    const std::string_view text = line_.substr(start, offset_ - start);
    PlacedNumber number{0, start};
    // JSON knows no leading zeros.
    const bool zeros = text.size() > 1 && (text.substr(0, 1) == "0" || text.substr(0, 2) == "-0");
    const std::string_view wrong = zeros ? "a number does not begin with 0" : read_integer(text, number.value);
    if (!wrong.empty())
      refuse(start, std::string(what) + " is '" + std::string(text.substr(0, 40)) + "': " + std::string(wrong));
    return number;
  }

 private:
  std::string_view line_;
  std::size_t offset_ = 0;
};

PlacedNumber tokens(Cursor& cursor, std::string_view key) {
  const PlacedNumber number = cursor.whole_number(key);
  const std::string_view wrong = objection_to_tokens(number.value);
  if (!wrong.empty()) {
    cursor.refuse(number.offset, std::string(key) + " is " + std::to_string(number.value) + ": " + std::string(wrong));
  }
  return number;
}

void read_ids(Cursor& cursor, std::vector<std::int64_t>& ids) {
  cursor.need('[', "before the ids");
  if (cursor.take(']')) return;
  do {
    const PlacedNumber id = cursor.whole_number("an id");
    if (id.value < 0) cursor.refuse(id.offset, "an id is not negative");
    ids.push_back(id.value);
  } while (cursor.take(','));
  cursor.need(']', "behind the ids");
}

void read_value(Cursor& cursor, std::size_t key, MooncakeRow& row) {
  switch (key) {
    case 0:
      row.timestamp = cursor.whole_number("timestamp");
      if (row.timestamp.value < 0) cursor.refuse(row.timestamp.offset, "a request does not arrive before time zero");
      if (row.timestamp.value > latest_timestamp)
        cursor.refuse(row.timestamp.offset, "expected at most 2^62 ns in milliseconds, which is 146 years");
      return;
    case 1:
      row.input_length = tokens(cursor, keys[1]);
      return;
    case 2:
      row.output_length = tokens(cursor, keys[2]);
      return;
    default:
      read_ids(cursor, row.hash_ids);
  }
}

void read_object(Cursor& cursor, MooncakeRow& row) {
  std::array<bool, keys.size()> seen{};
  std::size_t ids_offset = 0;
  cursor.need('{', "at the beginning of every line");
  do {
    cursor.skip_blanks();
    const std::size_t start = cursor.offset();
    const std::string_view name = cursor.key();
    const auto known = std::find(keys.begin(), keys.end(), name);
    if (known == keys.end()) {
      cursor.refuse(start, "unknown key '" + std::string(name.substr(0, 40)) + "': " + suggestion(name, keys) +
                               "; a trace with other keys is of another kind and may mean other units");
    }
    const auto key = static_cast<std::size_t>(known - keys.begin());
    if (seen[key]) cursor.refuse(start, "'" + std::string(name) + "' is there twice");
    seen[key] = true;
    cursor.need(':', "behind the name of a key");
    cursor.skip_blanks();
    if (key == 3) ids_offset = cursor.offset();
    read_value(cursor, key, row);
  } while (cursor.take(','));
  cursor.need('}', "at the end of the object");
  cursor.need_end();
  for (std::size_t key = 0; key < keys.size(); ++key) {
    if (!seen[key]) cursor.refuse(0, "there is no '" + std::string(keys[key]) + "'");
  }
  // Files that count their blocks otherwise, or have another size of block, would be read as other prompts.
  const std::int64_t whole = row.input_length.value / mooncake_block_size;
  const bool partial = row.input_length.value % mooncake_block_size > 0;
  const auto ids = static_cast<std::int64_t>(row.hash_ids.size());
  if (ids != whole && !(partial && ids == whole + 1)) {
    cursor.refuse(ids_offset, "there are " + std::to_string(ids) + " ids, but a prompt of " +
                                  std::to_string(row.input_length.value) + " tokens has " +
                                  std::to_string(whole + (partial ? 1 : 0)) + " blocks of " +
                                  std::to_string(mooncake_block_size));
  }
}

}  // namespace

bool read_mooncake_row(const TraceLines& lines, TraceMistakes& mistakes, MooncakeRow& row) {
  Cursor cursor(lines.line());
  try {
    read_object(cursor, row);
    return true;
  } catch (const Mistake& mistake) {
    mistakes.add(lines, mistake.offset, mistake.message);
    return false;
  }
}

}  // namespace decodesim
