#include "sim/workload/trace_reader.hpp"

#include <utility>

#include "sim/workload/content.hpp"
#include "sim/workload/mooncake_row.hpp"

namespace decodesim {

namespace {
bool is_arrival(TraceColumn column) {
  return column == TraceColumn::arrival_s || column == TraceColumn::arrival_ns || column == TraceColumn::timestamp;
}

// Fifty years, so that a deadline's own time still fits 64 bits.
constexpr std::int64_t longest_deadline = std::int64_t{50} * 365 * 86'400 * 1'000'000'000;
}  // namespace

TraceReader::TraceReader(std::string_view text, const std::string& name)
    : lines_(text), mistakes_(name), layout_(read_trace_layout(lines_, mistakes_)), on_first_row_(layout_.json) {}

std::optional<Request> TraceReader::next() {
  Request request;
  while (at_row()) {
    const bool good = layout_.json ? read_json_row(request) : read_row(request);
    ++rows_;
    if (good) return request;
    request = {};
  }
  if (rows_ == 0) mistakes_.add(lines_, lines_.line().size(), "there are no rows below the names of the columns");
  mistakes_.throw_if_any();
  return std::nullopt;
}

/// Goes to the next line that should be a row. Only at its end may a trace have empty lines.
bool TraceReader::at_row() {
  while (std::exchange(on_first_row_, false) || lines_.next()) {
    const std::string_view line = lines_.line();
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) {
      if (lines_.rest_is_blank()) return false;
      mistakes_.add(lines_, 0, "an empty line between rows; take it out");
      continue;
    }
    if (indent >= layout_.indent) return true;
    mistakes_.add(lines_, indent,
                  "expected a row, indented by " + std::to_string(layout_.indent) +
                      " as the names of the columns are; nothing follows the rows");
  }
  return false;
}

bool TraceReader::read_row(Request& request) {
  if (!fields_.split(lines_.line(), layout_.indent)) {
    mistakes_.add(lines_, fields_.offset(fields_.size() - 1), "this quote is not closed before the next comma");
    return false;
  }
  const std::size_t wanted = layout_.columns.size();
  if (fields_.size() != wanted) {
    const std::size_t place = fields_.size() > wanted ? fields_.offset(wanted) : lines_.line().size();
    mistakes_.add(lines_, place,
                  "expected " + std::to_string(wanted) + " fields, as there are names of columns; found " +
                      std::to_string(fields_.size()));
    return false;
  }
  request.index = rows_;
  bool good = true;
  for (std::size_t i = 0; i < wanted; ++i) good = read_field(i, request) && good;
  if (!good) return false;
  if (request.max_tokens == 0) request.max_tokens = request.output_tokens;
  if (request.max_tokens >= request.output_tokens) return check_content(request);
  for (std::size_t i = 0; i < wanted; ++i) {
    if (layout_.columns[i] == TraceColumn::max_tokens) {
      field_mistake(i, "expected at least output_tokens, which is what the request really generates");
    }
  }
  return false;
}

bool TraceReader::read_field(std::size_t i, Request& request) {
  const std::string_view field = fields_.text(i);
  std::string_view wrong;
  std::int64_t arrival = 0;
  switch (layout_.columns[i]) {
    case TraceColumn::ignored:
      return true;
    case TraceColumn::id:
      request.id = field;
      return true;
    case TraceColumn::input_tokens:
      wrong = read_tokens(field, request.input_tokens);
      break;
    case TraceColumn::output_tokens:
      wrong = read_tokens(field, request.output_tokens);
      break;
    case TraceColumn::max_tokens:
      if (!field.empty()) wrong = read_tokens(field, request.max_tokens);
      break;
    case TraceColumn::priority:
      if (!field.empty()) wrong = read_integer(field, request.priority);
      break;
    case TraceColumn::prefix_group:
      request.prefix_group = field;
      return true;
    case TraceColumn::prefix_tokens:
      if (!field.empty()) wrong = read_tokens(field, request.prefix_tokens);
      break;
    case TraceColumn::tenant:
      request.tenant = field;
      return true;
    case TraceColumn::slo_class:
      request.slo_class = field;
      return true;
    case TraceColumn::deadline_s: {
      if (field.empty()) return true;
      std::int64_t after = 0;
      wrong = read_seconds(field, after);
      if (wrong.empty() && after > longest_deadline) wrong = "expected at most fifty years";
      if (wrong.empty()) request.deadline = Duration(after);
      break;
    }
    case TraceColumn::arrival_s:
      wrong = read_seconds(field, arrival);
      if (wrong.empty() && take_arrival(arrival, request)) return true;
      break;
    case TraceColumn::arrival_ns:
      wrong = read_nanoseconds(field, arrival);
      if (wrong.empty() && take_arrival(arrival, request)) return true;
      break;
    case TraceColumn::timestamp:
      wrong = read_timestamp(field, arrival);
      if (!wrong.empty()) break;
      if (!origin_) origin_ = arrival;
      if (take_arrival(arrival - *origin_, request)) return true;
      break;
  }
  if (wrong.empty() && !is_arrival(layout_.columns[i])) return true;
  field_mistake(i, wrong.empty() ? earlier() : std::string(wrong));
  return false;
}

bool TraceReader::check_content(Request& request) {
  const bool grouped = !request.prefix_group.empty();
  std::string_view wrong;
  if (grouped != (request.prefix_tokens > 0)) {
    wrong = "a row has both its prefix_group and its prefix_tokens, or neither";
  } else if (request.prefix_tokens > request.input_tokens) {
    wrong = "expected at most input_tokens: the prefix is part of the prompt";
  }
  for (std::size_t i = 0; i < layout_.columns.size() && !wrong.empty(); ++i) {
    if (layout_.columns[i] == TraceColumn::prefix_tokens) field_mistake(i, wrong);
  }
  if (!wrong.empty()) return false;
  state_content(request);
  return true;
}

bool TraceReader::read_json_row(Request& request) {
  MooncakeRow row;
  if (!read_mooncake_row(lines_, mistakes_, row)) return false;
  request.index = rows_;
  request.input_tokens = row.input_length.value;
  request.output_tokens = request.max_tokens = row.output_length.value;
  for (const std::int64_t id : row.hash_ids) request.content.push_back({static_cast<std::uint64_t>(id), 0});
  request.hash_block_size = mooncake_block_size;
  state_content(request);
  if (take_arrival(row.timestamp.value * 1'000'000, request)) return true;
  mistakes_.add(lines_, row.timestamp.offset, "timestamp is " + std::to_string(row.timestamp.value) + ": " + earlier());
  return false;
}

/// False where the row before came later.
bool TraceReader::take_arrival(std::int64_t nanoseconds, Request& request) {
  if (last_line_ > 0 && nanoseconds < last_arrival_) return false;
  last_arrival_ = nanoseconds;
  last_line_ = lines_.number();
  request.arrival = Time(Duration(nanoseconds));
  return true;
}

std::string TraceReader::earlier() const {
  return "earlier than line " + std::to_string(last_line_) +
         "; rows stand in the order of their arrival, so sort the file by it";
}

void TraceReader::field_mistake(std::size_t i, std::string_view what) {
  mistakes_.add(lines_, fields_.offset(i),
                layout_.names[i] + " is '" + std::string(fields_.text(i).substr(0, 40)) + "': " + std::string(what));
}

}  // namespace decodesim
