// Requests that a trace file records.

#include <algorithm>
#include <utility>

#include "sim/workload/sources.hpp"
#include "sim/workload/traces/reader.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

std::vector<Request> all_of(TraceReader& reader) {
  std::vector<Request> requests;
  while (const Request* request = reader.next()) requests.push_back(*request);
  return requests;
}

/// Rows as the run needs them.
class StreamedTrace final : public RequestSource {
 public:
  StreamedTrace(const TraceSpec& spec, std::optional<std::int64_t> longest, std::uint64_t seed, TraceAccount account)
      : reader_(TraceBytes(spec.file), spec, longest, seed), account_(std::move(account)) {}

  std::optional<Request> next() override {
    const Request* request = reader_.next();
    if (request == nullptr) return std::nullopt;
    return *request;
  }
  [[nodiscard]] std::int64_t count() const override { return account_.kept; }
  [[nodiscard]] std::optional<std::int64_t> concurrency() const override { return reader_.concurrency(); }
  [[nodiscard]] std::optional<Time> closes() const override { return reader_.closes(); }
  [[nodiscard]] const TraceAccount* trace_account() const override { return &account_; }

 private:
  TraceReader reader_;
  TraceAccount account_;
};

/// A trace with sessions, which is kept: a turn may stand anywhere behind the one before it.
class KeptTrace final : public RequestSource {
 public:
  explicit KeptTrace(TraceReader& reader) {
    std::vector<Request> requests = all_of(reader);
    account_ = reader.account();
    concurrency_ = reader.concurrency();
    closes_ = reader.closes();
    rows_ = make_list_source(std::move(requests));
  }

  std::optional<Request> next() override { return rows_->next(); }
  std::optional<Request> next_turn(const Request& ended) override { return rows_->next_turn(ended); }
  [[nodiscard]] std::int64_t count() const override { return rows_->count(); }
  [[nodiscard]] std::optional<std::int64_t> concurrency() const override { return concurrency_; }
  [[nodiscard]] std::optional<Time> closes() const override { return closes_; }
  [[nodiscard]] const TraceAccount* trace_account() const override { return &account_; }

 private:
  std::unique_ptr<RequestSource> rows_;
  TraceAccount account_;
  std::optional<std::int64_t> concurrency_;
  std::optional<Time> closes_;
};

}  // namespace

std::unique_ptr<RequestSource> make_trace_source(const TraceSpec& spec, std::optional<std::int64_t> longest,
                                                 std::uint64_t seed) {
  TraceReader checker(TraceBytes(spec.file), spec, longest, seed);
  while (checker.next() != nullptr) continue;
  if (!checker.has_sessions()) return std::make_unique<StreamedTrace>(spec, longest, seed, checker.account());
  TraceReader reader(TraceBytes(spec.file), spec, longest, seed);
  return std::make_unique<KeptTrace>(reader);
}

std::vector<Request> parse_trace(std::string_view text, const std::string& name, const TraceSpec& spec) {
  TraceReader reader(TraceBytes(text, name), spec);
  return all_of(reader);
}

std::vector<Request> read_trace(const std::string& path, TraceSpec spec) {
  spec.file = path;
  TraceReader reader(TraceBytes(path), spec);
  return all_of(reader);
}

}  // namespace decodesim
