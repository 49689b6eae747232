// decodesim's own trace, written.

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>

#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

/// Seconds with as many of nine decimals as it takes, from whole nanoseconds.
std::string seconds_text(std::int64_t nanoseconds) {
  std::string text = std::to_string(nanoseconds / 1'000'000'000);
  std::string decimals = std::to_string(1'000'000'000 + nanoseconds % 1'000'000'000);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  if (decimals.size() > 1) text += '.' + decimals.substr(1);
  return text;
}

void refuse_control_characters(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      throw std::invalid_argument("a name with a control character cannot stand in a trace: '" + std::string(text) +
                                  "'");
    }
  }
}

/// In quotes where the reader would otherwise see a comma, a quote, or blanks that do not belong to it.
std::string field_text(std::string_view text) {
  refuse_control_characters(text);
  const bool plain = text.find_first_of(",\"") == std::string_view::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// A value of the header: in YAML's double quotes, so that no word of it means something.
std::string header_text(std::string_view text) {
  refuse_control_characters(text);
  if (text.find_first_of("\"\\") != std::string_view::npos) {
    throw std::invalid_argument("a trace's name holds neither quotes nor backslashes: " + std::string(text));
  }
  return '"' + std::string(text) + '"';
}

}  // namespace

void write_trace(std::span<const Request> requests, std::string_view name, std::ostream& out) {
  const bool ids = std::any_of(requests.begin(), requests.end(), [](const Request& r) { return !r.id.empty(); });
  const bool limits =
      std::any_of(requests.begin(), requests.end(), [](const Request& r) { return r.max_tokens != r.output_tokens; });
  const bool priorities =
      std::any_of(requests.begin(), requests.end(), [](const Request& r) { return r.priority != 0; });
  const bool groups =
      std::any_of(requests.begin(), requests.end(), [](const Request& r) { return !r.prefix_group.empty(); });
  const bool tenants =
      std::any_of(requests.begin(), requests.end(), [](const Request& r) { return !r.tenant.empty(); });
  const bool classes =
      std::any_of(requests.begin(), requests.end(), [](const Request& r) { return !r.slo_class.empty(); });
  const bool deadlines =
      std::any_of(requests.begin(), requests.end(), [](const Request& r) { return r.deadline.has_value(); });
  std::string text = "version: 1\nformat: decodesim-trace\n";
  if (!name.empty()) text += "name: " + header_text(name) + '\n';
  text += "rows: |\n  arrival_s,input_tokens,output_tokens";
  if (limits) text += ",max_tokens";
  if (priorities) text += ",priority";
  if (groups) text += ",prefix_group,prefix_tokens";
  if (tenants) text += ",tenant";
  if (classes) text += ",slo_class";
  if (deadlines) text += ",deadline_s";
  if (ids) text += ",id";
  text += '\n';
  Time last{};
  for (const Request& request : requests) {
    if (request.arrival < last) throw std::invalid_argument("a trace's requests stand in the order of their arrival");
    last = request.arrival;
    text += "  " + seconds_text(request.arrival.time_since_epoch().count());
    text += ',' + std::to_string(request.input_tokens) + ',' + std::to_string(request.output_tokens);
    if (limits) text += ',' + std::to_string(request.max_tokens);
    if (priorities) text += ',' + std::to_string(request.priority);
    if (request.prefix_group.empty() && !request.content.empty())
      throw std::invalid_argument("a trace has no column for hash ids");
    if (groups) text += ',' + field_text(request.prefix_group) + ',';
    if (request.prefix_tokens > 0) text += std::to_string(request.prefix_tokens);
    if (tenants) text += ',' + field_text(request.tenant);
    if (classes) text += ',' + field_text(request.slo_class);
    if (deadlines) text += ',' + (request.deadline ? seconds_text(request.deadline->count()) : std::string());
    if (ids) text += ',' + field_text(request.id);
    text += '\n';
    if (text.size() > 1 << 16) {
      out << text;
      text.clear();
    }
  }
  out << text;
}

}  // namespace decodesim
