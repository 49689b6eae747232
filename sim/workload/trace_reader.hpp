#pragma once
// The requests of a trace, one by one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/workload/request.hpp"
#include "sim/workload/trace_fields.hpp"
#include "sim/workload/trace_layout.hpp"
#include "sim/workload/trace_lines.hpp"

namespace decodesim {

/// Walks a trace's text, which must outlive it; formats and rules are those of trace.hpp.
class TraceReader {
 public:
  /// `name` stands for the file in messages. Throws TraceError where the head of the trace is wrong.
  TraceReader(std::string_view text, const std::string& name);

  /// The next good row. Mistakes are collected on the way and thrown, as one TraceError, at the end of the text or when
  /// there are 20; so a trace is known to be good only once nothing came.
  std::optional<Request> next();

 private:
  bool at_row();
  bool read_row(Request& request);
  bool read_json_row(Request& request);
  bool read_field(std::size_t i, Request& request);
  bool check_content(Request& request);
  bool take_arrival(std::int64_t nanoseconds, Request& request);
  [[nodiscard]] std::string earlier() const;
  void field_mistake(std::size_t i, std::string_view what);

  TraceLines lines_;
  TraceMistakes mistakes_;
  TraceLayout layout_;
  TraceFields fields_;
  std::int64_t rows_ = 0;
  std::optional<std::int64_t> origin_;  // of TIMESTAMP: the first row's
  std::int64_t last_arrival_ = 0;
  std::int64_t last_line_ = 0;
  bool on_first_row_ = false;  // the line that told the layout is a row itself
};

}  // namespace decodesim
