#pragma once
// Request traces: the files we read and the one we write.

#include <cstdint>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim {

/// A trace is one of four files, told apart by what they say and not by their names:
///
/// 1. decodesim's own YAML trace. A header of `key: value` lines, then the rows, as CSV in one block of text, so that a
///    million of them stay readable and fast:
///
///        # comments and empty lines may stand in the header
///        version: 1
///        format: decodesim-trace
///        name: chat                      # optional; so are keys that begin with x-
///        rows: |
///          arrival_s,input_tokens,output_tokens
///          0,812,96
///          0.25,1024,7
///
///    `rows` is the last key; its lines are indented alike. It is valid YAML, but no YAML library reads it.
/// 2. The same rows as plain CSV.
/// 3. CSV with the columns of the public Azure LLM inference traces: TIMESTAMP, ContextTokens, GeneratedTokens, in any
///    order, other columns ignored. TIMESTAMP is `2023-11-16 18:15:46.6805900`: up to nine decimals or none, a blank or
///    a T between date and time, and at its end Z, an offset such as +02:00, or nothing (UTC). Time zero is the first
///    row.
/// 4. JSONL as the public Mooncake traces have it: an object a line, of `timestamp` (whole milliseconds from 0),
///    `input_length`, `output_length` and `hash_ids`. An id stands for the tokens of a block of 512, and the last one for
///    the rest of the prompt; it may be left out where the rest is no whole block. Other keys are refused, since traces
///    with more keys mean other units by the same names.
///
/// Our own columns, found by name, in any order: `arrival_s` (decimal seconds, rounded to the nanosecond) or
/// `arrival_ns` (a whole number), `input_tokens`, `output_tokens`; and, optional and empty where a row has none, `id`,
/// `max_tokens` (at least output_tokens, which is also the default), `priority` (0), `prefix_group` with
/// `prefix_tokens` (prompts of one group begin with the same so many of their input tokens), `tenant` (whose request it
/// is), `slo_class` (what reports group it under) and `deadline_s` (decimal seconds from its arrival to when its last token
/// should be there). Columns that begin with x- are ignored.
///
/// A field may stand in double quotes, with "" for a quote in it; no field holds a line break. Lines end in LF or CRLF,
/// the last one also in nothing. Rows stand in the order of their arrival, and each has 1 to 1,000,000,000 tokens of
/// either kind. A row that breaks a rule refuses the file: no row is dropped or repaired in silence.

/// One mistake of a trace.
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
  /// The first mistakes in the order of the file; at most 20.
  [[nodiscard]] const std::vector<TraceMistake>& mistakes() const { return mistakes_; }
  [[nodiscard]] bool unreadable() const { return unreadable_; }

 private:
  std::string file_;
  std::vector<TraceMistake> mistakes_;
  bool unreadable_;
};

/// All requests of a trace file. Throws TraceError.
std::vector<Request> read_trace(const std::string& path);

/// The same from a text; `name` stands for the file in messages.
std::vector<Request> parse_trace(std::string_view text, const std::string& name);

/// Writes a YAML trace that reads back as the same requests. They must be in the order of arrival, none before time
/// zero; ids hold no control characters; what prompts begin with is said by prefix groups alone. Columns that no request needs are left out. Throws std::invalid_argument.
void write_trace(std::span<const Request> requests, std::string_view name, std::ostream& out);

}  // namespace decodesim
