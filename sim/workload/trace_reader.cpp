#include "sim/workload/trace_reader.hpp"

namespace decodesim {

TraceReader::TraceReader(std::string_view text, const std::string& name)
    : lines_(text), mistakes_(name), layout_(read_trace_layout(lines_, mistakes_)) {}

std::optional<Request> TraceReader::next() {
  Request request;
  while (at_row()) {
    const bool good = read_row(request);
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
  while (lines_.next()) {
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
  if (request.max_tokens >= request.output_tokens) return true;
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
    case TraceColumn::arrival_s:
      wrong = read_seconds(field, arrival);
      if (wrong.empty()) return take_arrival(arrival, i, request);
      break;
    case TraceColumn::arrival_ns:
      wrong = read_nanoseconds(field, arrival);
      if (wrong.empty()) return take_arrival(arrival, i, request);
      break;
    case TraceColumn::timestamp:
      wrong = read_timestamp(field, arrival);
      if (!wrong.empty()) break;
      if (!origin_) origin_ = arrival;
      return take_arrival(arrival - *origin_, i, request);
      break;
  }
  if (wrong.empty()) return true;
  field_mistake(i, wrong);
  return false;
}

bool TraceReader::take_arrival(std::int64_t nanoseconds, std::size_t i, Request& request) {
  if (last_line_ > 0 && nanoseconds < last_arrival_) {
    field_mistake(i, "earlier than line " + std::to_string(last_line_) +
                         "; rows stand in the order of their arrival, so "
                         "sort the file by it");
    return false;
  }
  last_arrival_ = nanoseconds;
  last_line_ = lines_.number();
  request.arrival = Time(Duration(nanoseconds));
  return true;
}

void TraceReader::field_mistake(std::size_t i, std::string_view what) {
  mistakes_.add(lines_, fields_.offset(i),
                layout_.names[i] + " is '" + std::string(fields_.text(i).substr(0, 40)) + "': " + std::string(what));
}

}  // namespace decodesim
