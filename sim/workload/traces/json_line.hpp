#pragma once
// A line that holds a JSON object, member by member and each with its place.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace decodesim {

enum class JsonKind { number, text, flag, null, list, object };

/// A member of an object. `text` is a number, true, false, null, a list or an object as the line spells it, or a text
/// without its quotes. Offsets are in bytes from the beginning of the line.
struct JsonMember {
  std::string_view key;
  std::size_t key_at = 0;
  JsonKind kind = JsonKind::null;
  std::string_view text;
  std::size_t at = 0;
};

/// What is wrong and where.
struct JsonMistake {
  std::size_t at = 0;
  std::string message;
};

/// The mistake of a member whose value is not what it should be.
JsonMistake refused(const JsonMember& member, std::string_view wrong);

/// Reads objects; reused from line to line.
class JsonLine {
 public:
  /// Reads `line`, a whole object and nothing behind it, whose keys stand in it once each. What lies in lists and objects is
  /// passed over, of any depth, but must close. Throws JsonMistake.
  void read(std::string_view line) {
    read_object(line, 0, "at the beginning of every line", "nothing stands behind the object; every line holds one");
  }
  /// The same of an object that begins at `from` and ends where `line` does.
  void read_object(std::string_view line, std::size_t from, std::string_view where = "at the beginning of an object",
                   std::string_view behind = "nothing stands behind the object");
  /// The same of a whole file, of any number of lines.
  void read_document(std::string_view text) {
    read_object(text, 0, "at the beginning of the file", "nothing stands behind the object");
  }
  /// The elements of a list that begins at `from` and ends where `line` does; they have no keys.
  void read_list(std::string_view line, std::size_t from);
  [[nodiscard]] const std::vector<JsonMember>& members() const { return members_; }

 private:
  void skip_blanks();
  bool take(char wanted);
  void need(char wanted, std::string_view where);
  [[nodiscard]] std::string_view read_text(std::string_view what);
  void begin(std::string_view line, std::size_t from);
  void end(std::string_view message);
  void read_value(JsonMember& member);
  void skip_nested();

  std::string_view line_;
  std::size_t position_ = 0;
  std::vector<JsonMember> members_;
  std::deque<std::string> unescaped_;  // a deque, since members look into it
};

/// The whole numbers of a list's text. Throws JsonMistake, whose place counts from `at`, that of the list.
void read_json_ids(std::string_view list, std::size_t at, std::vector<std::int64_t>& ids);

/// Is this a number as JSON spells it?
bool json_number(std::string_view text);

}  // namespace decodesim
