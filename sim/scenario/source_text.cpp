#include "sim/scenario/source_text.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace decodesim {

namespace {

std::string_view line_of(const SourceText& source, std::size_t offset) {
  const std::string_view text = source.text;
  const std::size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is the start of the text
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  std::string_view line = text.substr(start, end - start);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

Locator::Locator(const SourceText& source) : source_(source) {
  starts_.push_back(0);
  for (std::size_t at = source.text.find('\n'); at != std::string::npos; at = source.text.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::size_t Locator::offset(std::size_t line, std::size_t column) const {
  return std::min(starts_[std::min(line, starts_.size() - 1)] + column, source_.text.size());
}

Position Locator::position(std::size_t offset, std::size_t bytes) {
  const std::string_view text = source_.text;
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const std::size_t start = *std::prev(next);
  const std::size_t line_end = next == starts_.end() ? text.size() : *next - 1;
  // Places come nearly in order, so a long line is counted on from the last place and not from its start.
  if (last_offset_ < start || last_offset_ > offset) {
    last_offset_ = start;
    last_column_ = 1;
  }
  last_column_ += characters(text.substr(last_offset_, offset - last_offset_));
  last_offset_ = offset;
  Position at;
  at.source = &source_;
  at.line = static_cast<int>(next - starts_.begin());
  at.column = last_column_;
  const std::size_t end = std::max(std::min(line_end, offset + bytes), offset);
  at.length = std::max(characters(text.substr(offset, end - offset)), 1);
  return at;
}

Position Locator::scalar(std::size_t offset, const std::string& value) {
  const std::string_view text = source_.text;
  if (offset < text.size() && (text[offset] == '"' || text[offset] == '\'')) {
    const char quote = text[offset];
    std::size_t end = offset + 1;
    while (end < text.size() && text[end] != quote && text[end] != '\n') {
      end += text[end] == '\\' && quote == '"' ? 2 : 1;
    }
    return position(offset, end + 1 - offset);
  }
  return position(offset, text.substr(offset, value.size()) == value ? value.size() : 1);
}

Diagnostic diagnostic_at(const Position& at, Severity severity, std::string code, std::string message,
                         std::string help) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  if (at.source == nullptr) return diagnostic;
  diagnostic.file = at.source->name;
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  diagnostic.length = at.length;
  std::size_t offset = 0;
  for (int line = 1; line < at.line && offset != std::string::npos; ++line) {
    offset = at.source->text.find('\n', offset);
    if (offset != std::string::npos) ++offset;
  }
  if (offset != std::string::npos) diagnostic.source_line = std::string(line_of(*at.source, offset));
  return diagnostic;
}

}  // namespace decodesim
