#include "tests/support/read_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <fstream>

#include "sim/workload/traces/reader.hpp"

namespace decodesim::tests {

std::int64_t ReadText::counted(std::string_view reason, std::string_view action) const {
  for (const TraceException& one : account.exceptions) {
    if (one.reason == reason && one.action == action) return one.rows;
  }
  return 0;
}

bool ReadText::refused(std::int64_t line, std::int64_t column, std::string_view saying) const {
  return std::any_of(mistakes.begin(), mistakes.end(), [&](const TraceMistake& mistake) {
    return mistake.line == line && mistake.column == column && mistake.message.find(saying) != std::string::npos;
  });
}

std::vector<std::int64_t> ReadText::arrivals() const {
  std::vector<std::int64_t> times;
  for (const Request& request : requests) times.push_back(request.arrival.time_since_epoch().count());
  return times;
}

ReadText read_text(std::string_view text, const TraceSpec& spec, std::uint64_t seed,
                   std::optional<std::int64_t> longest) {
  ReadText out;
  try {
    TraceReader reader(TraceBytes(text, "t"), spec, longest, seed);
    while (const Request* request = reader.next()) out.requests.push_back(*request);
    out.account = reader.account();
  } catch (const TraceError& error) {
    out.mistakes = error.mistakes();
    out.requests.clear();
  }
  return out;
}

ReadText read_text(std::string_view text, TraceFormat format) {
  TraceSpec spec;
  spec.format = format;
  return read_text(text, spec);
}

std::string gzipped(std::string_view text) {
  const TemporaryFile file("packed.gz", "");
  gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace decodesim::tests
