#include "sim/workload/traces/document.hpp"

#include <algorithm>
#include <utility>

namespace decodesim {

TraceDocument::TraceDocument(TraceLines& lines) : first_(std::max<std::int64_t>(lines.number(), 1)) {
  bool more = lines.number() > 0 || lines.next();
  for (; more; more = lines.next()) {
    begins_.push_back(text_.size());
    text_ += lines.line();
    text_ += ' ';
  }
  if (begins_.empty()) begins_.push_back(0);
}

void TraceDocument::add(TraceMistakes& mistakes, std::size_t offset, std::string message) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset);
  const auto line = static_cast<std::size_t>(after - begins_.begin()) - 1;
  const std::size_t begin = begins_[line];
  const std::size_t end = line + 1 < begins_.size() ? begins_[line + 1] : text_.size();
  const std::string_view shown = std::string_view(text_).substr(begin, end > begin ? end - begin - 1 : 0);
  mistakes.add(first_ + static_cast<std::int64_t>(line), std::min(offset - begin, shown.size()), std::move(message),
               shown);
}

}  // namespace decodesim
