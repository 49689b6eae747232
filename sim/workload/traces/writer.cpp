#include "sim/workload/traces/writer.hpp"

#include <ostream>
#include <span>
#include <stdexcept>
#include <utility>

#include "sim/workload/content.hpp"
#include "sim/workload/traces/trace.hpp"
#include "sim/workload/traces/written_field.hpp"

namespace decodesim {

namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

/// A value of the header: in YAML's double quotes, so that no word of it means something.
std::string header_text(std::string_view text) {
  require_no_controls(text);
  if (text.find_first_of("\"\\") != std::string_view::npos)
    throw std::invalid_argument("a trace's name holds neither quotes nor backslashes: " + std::string(text));
  return '"' + std::string(text) + '"';
}

std::uint32_t needed_by(const Request& request) {
  std::uint32_t needed = 0;
  std::uint32_t bit = 1;
  for (const WrittenColumn& column : written_columns()) {
    if (column.needed(request)) needed |= bit;
    bit <<= 1;
  }
  return needed;
}

/// With its content counted out, as it is once it was read.
Request stated(const Request& request) {
  Request copy = request;
  state_content(copy);
  return copy;
}

}  // namespace

void TraceColumns::note(const Request& request) { needed_ |= needed_by(request); }

TraceColumns TraceColumns::all() {
  TraceColumns columns;
  columns.needed_ = (std::uint32_t{1} << written_columns().size()) - 1;
  return columns;
}

TraceWriter::TraceWriter(std::ostream& out, TraceForm form, const TraceHead& head, TraceColumns columns)
    : out_(out), closed_loop_(head.max_concurrency.has_value()), columns_(columns) {
  if (form == TraceForm::csv && (closed_loop_ || head.closes))
    throw std::invalid_argument("rows alone say neither max_concurrency nor closes_s: write a YAML trace, FILE.yaml");
  if (form == TraceForm::yaml) {
    text_ = "version: 1\nformat: decodesim-trace\n";
    if (!head.name.empty()) text_ += "name: " + header_text(head.name) + '\n';
    if (closed_loop_) text_ += "max_concurrency: " + std::to_string(*head.max_concurrency) + '\n';
    if (head.closes) text_ += "closes_s: " + written_seconds(head.closes->time_since_epoch().count()) + '\n';
    text_ += "rows: |\n";
    indent_ = "  ";
  }
  text_ += indent_ + (closed_loop_ ? "input_tokens,output_tokens" : "arrival_s,input_tokens,output_tokens");
  std::uint32_t bit = 1;
  for (const WrittenColumn& column : written_columns()) {
    if ((columns_.needed_ & bit) != 0) text_ += ',' + std::string(column.name);
    bit <<= 1;
  }
  text_ += '\n';
}

TraceWriter::~TraceWriter() { out_ << text_; }

void TraceWriter::check_order(const Request& request, std::uint32_t needed) {
  if ((needed & ~columns_.needed_) != 0) throw std::invalid_argument("a trace's columns are those of all its requests");
  const auto before = request.session.empty() ? turns_.end() : turns_.find(request.session);
  const bool later_turn = before != turns_.end();
  const std::int64_t turn = request.session.empty() ? 0 : later_turn ? before->second.turn + 1 : 1;
  if (request.turn != turn && request.turn != 0)
    throw std::invalid_argument("the turns of a session are written one by one, from the first");
  if (continues_session(request)) {
    Request derived = request;
    derived.content.clear();
    if (later_turn) continue_session(before->second, derived);
    if (derived.content != request.content)
      throw std::invalid_argument("a later turn begins with the whole turn before it, or with hash ids");
  }
  if (request.arrival < Time{} || (closed_loop_ && request.arrival != Time{}))
    throw std::invalid_argument("a request arrives from time zero on, and in a closed loop when a place is free");
  const bool untimed = later_turn && request.arrival == Time{};
  if (!untimed && request.arrival < last_)
    throw std::invalid_argument("a trace's requests stand in the order of their arrival");
  if (!untimed) last_ = request.arrival;
  if (request.session.empty()) return;
  Request& kept = turns_[request.session];
  kept = request;
  kept.turn = turn;
}

void TraceWriter::write(const Request& request) {
  if ((!request.prefix_group.empty() && request.content.empty()) || request.hash_block_size > 0)
    return write(stated(request));
  require_writable(request);
  const bool later_turn = turns_.contains(request.session);
  check_order(request, needed_by(request));
  text_ += indent_;
  if (!closed_loop_) {
    if (!later_turn || request.arrival > Time{}) text_ += written_seconds(request.arrival.time_since_epoch().count());
    text_ += ',';
  }
  text_ += std::to_string(request.input_tokens) + ',' + std::to_string(request.output_tokens);
  std::uint32_t bit = 1;
  for (const WrittenColumn& column : written_columns()) {
    if ((columns_.needed_ & bit) != 0) {
      text_ += ',';
      column.append(request, text_);
    }
    bit <<= 1;
  }
  text_ += '\n';
  if (text_.size() < piece) return;
  out_ << text_;
  text_.clear();
}

void write_trace(std::span<const Request> requests, std::string_view name, std::ostream& out) {
  TraceColumns columns;
  for (const Request& request : requests) columns.note(request);
  TraceWriter writer(out, TraceForm::yaml, {.name = std::string(name)}, columns);
  for (const Request& request : requests) writer.write(request);
}

}  // namespace decodesim
