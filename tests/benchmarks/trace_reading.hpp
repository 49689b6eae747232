#pragma once
// The reading of a trace beside the counting of its lines.

#include <string>

#include "tests/benchmarks/processor_time.hpp"

namespace decodesim {

/// Adds both to the benchmarks, of a file that is there as long as this is.
class TraceReading {
 public:
  TraceReading();
  ~TraceReading();
  TraceReading(const TraceReading&) = delete;
  TraceReading& operator=(const TraceReading&) = delete;

  /// Prints how many times as long reading takes, and says whether that is within its limit.
  [[nodiscard]] bool held() const;

 private:
  std::string path_;
  BestTime reading_;
  BestTime counting_;
};

}  // namespace decodesim
