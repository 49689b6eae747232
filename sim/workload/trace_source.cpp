// Requests that a trace file records.

#include "sim/workload/sources.hpp"
#include "sim/workload/trace.hpp"
#include "sim/workload/trace_file.hpp"
#include "sim/workload/trace_reader.hpp"

namespace decodesim {

namespace {

class TraceSource final : public RequestSource {
 public:
  explicit TraceSource(const std::string& path) : file_(path), reader_(file_.text(), path) {
    TraceReader checker(file_.text(), path);
    while (checker.next()) ++count_;
  }

  std::optional<Request> next() override { return reader_.next(); }
  [[nodiscard]] std::int64_t count() const override { return count_; }

 private:
  TraceFile file_;
  TraceReader reader_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<RequestSource> make_trace_source(const std::string& path) {
  return std::make_unique<TraceSource>(path);
}

std::vector<Request> parse_trace(std::string_view text, const std::string& name) {
  TraceReader reader(text, name);
  std::vector<Request> requests;
  while (auto request = reader.next()) requests.push_back(std::move(*request));
  return requests;
}

std::vector<Request> read_trace(const std::string& path) {
  const TraceFile file(path);
  return parse_trace(file.text(), path);
}

}  // namespace decodesim
