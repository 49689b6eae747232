#include "sim/workload/traces/lines.hpp"

namespace decodesim {

namespace {
constexpr std::size_t piece_size = std::size_t{1} << 18;
constexpr std::size_t readable = 8;  // bytes behind a line
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
/// What is no text of ours, as far as its beginning tells; empty: nothing is wrong with it.
std::string wrong_text(std::string_view begin) {
  const bool marked = begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF");
  const bool every_other = begin.size() > 3 && (begin[0] == '\0') != (begin[1] == '\0') &&
                           (begin[0] == '\0') == (begin[2] == '\0') && (begin[1] == '\0') == (begin[3] == '\0');
  if (marked || every_other) return "the file is UTF-16: write it as UTF-8";
  const std::size_t end = begin.find('\r');
  const bool followed = end != std::string_view::npos && end + 1 < begin.size();
  if (followed && begin.find('\n') == std::string_view::npos)
    return "its lines end in CR alone: write them with LF or CRLF";
  return {};
}

}  // namespace

TraceLines::TraceLines(TraceBytes bytes) : bytes_(std::move(bytes)), piece_(piece_size + readable, '\0') { rewind(); }

void TraceLines::rewind() {
  bytes_.rewind();
  begin_ = end_ = piece_.data();
  ended_ = false;
  line_ = {};
  number_ = 0;
  while (static_cast<std::size_t>(end_ - begin_) < byte_order_mark.size() && fill()) continue;
  if (std::string_view(begin_, static_cast<std::size_t>(end_ - begin_)).starts_with(byte_order_mark))
    begin_ += byte_order_mark.size();
  const std::string wrong = wrong_text({begin_, static_cast<std::size_t>(end_ - begin_)});
  if (!wrong.empty()) throw TraceError(bytes_.name(), {{1, 1, wrong, {}}});
}

bool TraceLines::next_of_head() {
  while (next()) {
    const std::size_t first = line_.find_first_not_of(" \t");
    if (first != std::string_view::npos && line_[first] != '#') return true;
  }
  return false;
}

/// The next line where what is left of the piece does not hold its end.
bool TraceLines::next_across() {
  while (true) {
    const auto left = static_cast<std::size_t>(end_ - begin_);
    if (!fill()) break;
    // Only what has come anew can hold the end of the line.
    const void* end = std::memchr(begin_ + left, '\n', static_cast<std::size_t>(end_ - begin_) - left);
    if (end == nullptr) continue;
    take(static_cast<const char*>(end));
    return true;
  }
  if (begin_ == end_) return false;
  take(end_);
  begin_ = end_;
  return true;
}

/// Puts more bytes behind what is left; false where there are none.
bool TraceLines::fill() {
  if (ended_) return false;
  const auto left = static_cast<std::size_t>(end_ - begin_);
  const auto gone = static_cast<std::size_t>(begin_ - piece_.data());
  if (left + readable == piece_.size()) {
    piece_.resize(2 * piece_.size());
  } else {
    std::memmove(piece_.data(), piece_.data() + gone, left);
  }
  const std::size_t got = bytes_.read(piece_.data() + left, piece_.size() - readable - left);
  ended_ = got == 0;
  // The line before, which is the file's last then, may still be shown with a mistake.
  if (ended_ && left == 0) return false;
  piece_[left + got] = '\n';
  begin_ = piece_.data();
  end_ = begin_ + left + got;
  return got > 0;
}

}  // namespace decodesim
