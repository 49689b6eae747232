#pragma once
// A trace read from a text: what came of it, and its account or its mistakes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/request.hpp"
#include "sim/workload/traces/account.hpp"
#include "sim/workload/traces/trace.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

struct ReadText {
  std::vector<Request> requests;
  TraceAccount account;
  std::vector<TraceMistake> mistakes;

  /// Rows counted under a reason; 0 where there are none.
  [[nodiscard]] std::int64_t counted(std::string_view reason, std::string_view action) const;
  /// Is there a mistake at this place that says so?
  [[nodiscard]] bool refused(std::int64_t line, std::int64_t column, std::string_view saying) const;
  /// Of all requests, in ns.
  [[nodiscard]] std::vector<std::int64_t> arrivals() const;
};

/// Reads `text`, called "t", as `spec` says, with the seed of a run and the most tokens that a server takes.
ReadText read_text(std::string_view text, const TraceSpec& spec, std::uint64_t seed = 0,
                   std::optional<std::int64_t> longest = std::nullopt);
/// The same with nothing but a format said.
ReadText read_text(std::string_view text, TraceFormat format);

/// A file of its own for one test, which goes with it.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text) : path_(folder_.write(name, text)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

/// `text` packed as gzip does.
std::string gzipped(std::string_view text);

}  // namespace decodesim::tests
