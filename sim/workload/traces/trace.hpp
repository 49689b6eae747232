#pragma once
// Request traces: the files we read and the one we write.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/request.hpp"
#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

/// decodesim's own trace is YAML: a header of `key: value` lines, then the rows, as CSV in one block of text, so that a
/// million of them stay readable and fast:
///
///     # comments and empty lines may stand in the header
///     version: 1
///     format: decodesim-trace
///     name: chat                      # optional; so are keys that begin with x-
///     max_concurrency: 8              # optional: a closed loop, whose rows have no arrival_s
///     closes_s: 60                    # optional: from then on nobody asks
///     rows: |
///       arrival_s,input_tokens,output_tokens
///       0,812,96
///       0.25,1024,7
///
/// `rows` is the last key; its lines are indented alike. It is valid YAML, but no YAML library reads it. The same rows can
/// stand alone, as plain CSV. What its columns are called and mean stands in formats/decodesim.cpp and row.hpp; the formats of
/// others have a file each in formats/.
///
/// A field of CSV may stand in double quotes, with "" for a quote in it; no field holds a line break. Lines end in LF or
/// CRLF, the last one also in nothing; empty ones are passed over. A file may be packed with gzip. A row that breaks a rule
/// refuses the file, unless a policy of TraceSpec says what becomes of such rows, and then it is counted: none is dropped or
/// mended in silence.

/// So many mistakes are collected before a trace is refused.
inline constexpr std::size_t most_trace_mistakes = 20;

/// One mistake of a trace. In its message a key of `workload.trace` stands in back-quotes, with its value or alone, so that it can
/// be shown as an option where a command reads the trace.
struct TraceMistake {
  std::int64_t line = 0;    // from 1; 0: the file as a whole
  std::int64_t column = 0;  // in bytes, from 1
  std::string message;      // what is wrong, what was expected, and the fix
  std::string text;         // the line itself, at most its first 200 bytes
};

/// A trace that cannot be read. what() lists its mistakes as `file:line:column: message`, a line each.
class TraceError : public std::runtime_error {
 public:
  /// `unreadable`: the file is not there, or the system refuses it; otherwise what it says is wrong.
  TraceError(std::string file, std::vector<TraceMistake> mistakes, bool unreadable = false);
  [[nodiscard]] const std::string& file() const { return file_; }
  /// The first mistakes in the order of the file; at most most_trace_mistakes.
  [[nodiscard]] const std::vector<TraceMistake>& mistakes() const { return mistakes_; }
  [[nodiscard]] bool unreadable() const { return unreadable_; }
  /// The same of a trace that lengths are drawn from, and which nothing can be said of but its name.
  [[nodiscard]] TraceError of_lengths() const {
    TraceError error = *this;
    error.for_lengths_ = true;
    return error;
  }
  [[nodiscard]] bool for_lengths() const { return for_lengths_; }

 private:
  std::string file_;
  std::vector<TraceMistake> mistakes_;
  bool unreadable_;
  bool for_lengths_ = false;
};

/// All requests of a trace file; those of later turns stand where the file has them. Throws TraceError.
std::vector<Request> read_trace(const std::string& path, TraceSpec spec = {});

/// The same from a text; `name` stands for the file in messages.
std::vector<Request> parse_trace(std::string_view text, const std::string& name, const TraceSpec& spec = {});

/// Writes a YAML trace that reads back as the same requests; columns that no request needs are left out. For more rows than
/// fit into memory, closed loops and plain CSV there is TraceWriter. Throws std::invalid_argument as that does.
void write_trace(std::span<const Request> requests, std::string_view name, std::ostream& out);

}  // namespace decodesim
