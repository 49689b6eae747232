#pragma once
// What a workload is like, in words, in pictures of a terminal, and in JSON.

#include <ostream>
#include <string>

#include "sim/workload/request_source.hpp"
#include "sim/workload/statistics.hpp"
#include "sim/workload/traces/account.hpp"

namespace decodesim {

/// What is described.
struct WorkloadReport {
  std::string name;                       // of the file, or of the scenario
  const TraceAccount* account = nullptr;  // where it is a trace
  std::optional<std::int64_t> concurrency{};
  WorkloadStatistics statistics;
};

/// `width`: columns of the pictures, at least 20.
void write_text(const WorkloadReport& report, std::size_t width, std::ostream& out);
/// One JSON document, a newline at its end.
void write_json(const WorkloadReport& report, std::ostream& out);

/// What became of a trace's rows, line by line: what was read and how, and every reason with its number.
void write_account(const TraceAccount& account, std::ostream& out);
void write_account(const TraceAccount& account, class JsonWriter& json);

}  // namespace decodesim
