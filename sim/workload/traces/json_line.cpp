#include "sim/workload/traces/json_line.hpp"

#include <optional>

#include "sim/workload/traces/fields.hpp"

namespace decodesim {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool blank(char c) { return c == ' ' || c == '\t'; }

void append_utf8(unsigned code, std::string& out) {
  const auto byte = [&](unsigned bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

/// Four hexadecimal digits behind a \u; absent where they are none.
std::optional<unsigned> hex_code(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  unsigned code = 0;
  for (const char c : text.substr(0, 4)) {
    const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!digit(c) && !letter) return std::nullopt;
    code = code * 16 + static_cast<unsigned>(digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return code;
}

/// `text` with its escapes read; `at` is its place.
std::string unescape(std::string_view text, std::size_t at) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const std::size_t escape = i + 1 < text.size() ? letters.find(text[i + 1]) : std::string_view::npos;
    if (escape != std::string_view::npos) {
      out += meant[escape];
      ++i;
      continue;
    }
    auto code = i + 1 < text.size() && text[i + 1] == 'u' ? hex_code(text.substr(i + 2)) : std::nullopt;
    if (!code) throw JsonMistake{at + i, "there is no such escape in JSON"};
    i += 5;
    // Two halves make one character beyond the first 65,536.
    if (*code >= 0xD800 && *code < 0xDC00 && text.substr(i + 1, 2) == "\\u") {
      const auto low = hex_code(text.substr(i + 3));
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
        i += 6;
      }
    }
    if (*code >= 0xD800 && *code < 0xE000) throw JsonMistake{at + i - 5, "half a character alone"};
    append_utf8(*code, out);
  }
  return out;
}

}  // namespace

JsonMistake refused(const JsonMember& member, std::string_view wrong) {
  return {member.at,
          std::string(member.key) + " is '" + std::string(member.text.substr(0, 40)) + "': " + std::string(wrong)};
}

bool json_number(std::string_view text) {
  std::size_t i = text.substr(0, 1) == "-" ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && digit(text[i])) ++i;
    return i > from;
  };
  const std::size_t first = i;
  if (!digits() || (text[first] == '0' && i > first + 1)) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

void JsonLine::skip_blanks() {
  while (position_ < line_.size() && blank(line_[position_])) ++position_;
}

bool JsonLine::take(char wanted) {
  skip_blanks();
  if (position_ == line_.size() || line_[position_] != wanted) return false;
  ++position_;
  return true;
}

void JsonLine::need(char wanted, std::string_view where) {
  if (!take(wanted)) throw JsonMistake{position_, "expected '" + std::string(1, wanted) + "' " + std::string(where)};
}

std::string_view JsonLine::read_text(std::string_view what) {
  need('"', what);
  const std::size_t start = position_;
  bool escaped = false;
  while (position_ < line_.size() && line_[position_] != '"') {
    escaped = escaped || line_[position_] == '\\';
    position_ += line_[position_] == '\\' ? 2 : 1;
  }
  if (position_ >= line_.size()) {
    position_ = line_.size();
    throw JsonMistake{start - 1, "this quote is not closed"};
  }
  const std::string_view raw = line_.substr(start, position_++ - start);
  return escaped ? std::string_view(unescaped_.emplace_back(unescape(raw, start))) : raw;
}

/// A list or an object, to its end.
void JsonLine::skip_nested() {
  std::string closing;  // what is open, the innermost last
  const std::size_t start = position_;
  do {
    skip_blanks();
    if (position_ == line_.size()) throw JsonMistake{start, "this bracket is not closed"};
    const char c = line_[position_];
    if (c == '"') {
      static_cast<void>(read_text("here"));
      continue;
    }
    ++position_;
    if (c == '[') closing += ']';
    if (c == '{') closing += '}';
    if (c != ']' && c != '}') continue;
    if (closing.back() != c) throw JsonMistake{position_ - 1, "this bracket closes none"};
    closing.pop_back();
  } while (!closing.empty());
}

void JsonLine::read_value(JsonMember& member) {
  skip_blanks();
  member.at = position_;
  const char first = position_ < line_.size() ? line_[position_] : '\0';
  if (first == '"') {
    member.kind = JsonKind::text;
    member.text = read_text("before a text");
    return;
  }
  if (first == '[' || first == '{') {
    member.kind = first == '[' ? JsonKind::list : JsonKind::object;
    skip_nested();
  } else {
    while (position_ < line_.size() && std::string_view(",}] \t").find(line_[position_]) == std::string_view::npos)
      ++position_;
  }
  member.text = line_.substr(member.at, position_ - member.at);
  if (member.kind == JsonKind::list || member.kind == JsonKind::object) return;
  if (member.text == "null") {
    member.kind = JsonKind::null;
  } else if (member.text == "true" || member.text == "false") {
    member.kind = JsonKind::flag;
  } else if (json_number(member.text)) {
    member.kind = JsonKind::number;
  } else {
    const std::string name = member.key.empty() ? "an element" : std::string(member.key.substr(0, 40));
    throw JsonMistake{member.at, name + " is '" + std::string(member.text.substr(0, 40)) +
                                     "': expected a number or another value of JSON"};
  }
}

void JsonLine::begin(std::string_view line, std::size_t from) {
  line_ = line;
  position_ = from;
  members_.clear();
  if (!unescaped_.empty()) unescaped_.clear();
}

void JsonLine::end(std::string_view message) {
  skip_blanks();
  if (position_ != line_.size()) throw JsonMistake{position_, std::string(message)};
}

void JsonLine::read_list(std::string_view line, std::size_t from) {
  begin(line, from);
  need('[', "at the beginning of a list");
  if (!take(']')) {
    do {
      JsonMember& element = members_.emplace_back();
      read_value(element);
    } while (take(','));
    need(']', "at the end of the list");
  }
  end("nothing stands behind the list");
}

void JsonLine::read_object(std::string_view line, std::size_t from, std::string_view where, std::string_view behind) {
  begin(line, from);
  need('{', where);
  if (!take('}')) {
    do {
      JsonMember member;
      skip_blanks();
      member.key_at = position_;
      member.key = read_text("before the name of a key");
      for (const JsonMember& other : members_) {
        if (other.key == member.key)
          throw JsonMistake{member.key_at, "'" + std::string(member.key.substr(0, 40)) + "' is there twice"};
      }
      need(':', "behind the name of a key");
      read_value(member);
      members_.push_back(member);
    } while (take(','));
    need('}', "at the end of the object");
  }
  end(behind);
}

void read_json_ids(std::string_view list, std::size_t at, std::vector<std::int64_t>& ids) {
  ids.clear();
  const std::size_t end = list.size() - 1;  // the closing bracket
  std::size_t i = 1;
  const auto skip = [&] {
    while (i < end && blank(list[i])) ++i;
  };
  skip();
  if (i == end) return;
  while (true) {
    skip();
    const std::size_t start = i;
    while (i < end && list[i] != ',' && !blank(list[i])) ++i;
    const std::string_view text = list.substr(start, i - start);
    std::int64_t id = 0;
    const std::string_view wrong =
        json_number(text) ? read_hash_id(text, id) : std::string_view("expected a whole number");
    if (!wrong.empty())
      throw JsonMistake{at + start, "an id is '" + std::string(text.substr(0, 40)) + "': " + std::string(wrong)};
    ids.push_back(id);
    skip();
    if (i == end) return;
    if (list[i] != ',') throw JsonMistake{at + i, "expected ',' or ']' behind an id"};
    ++i;
  }
}

}  // namespace decodesim
