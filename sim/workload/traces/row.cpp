#include "sim/workload/traces/row.hpp"

#include <algorithm>

#include "sim/workload/traces/fields.hpp"

namespace decodesim {

namespace {

// Fifty years, so that the end of a pause or of a limit still fits 64 bits.
constexpr std::int64_t longest_span = std::int64_t{50} * 365 * 86'400 * 1'000'000'000;

std::string_view set_span(std::string_view text, TimeUnit unit, std::int64_t& nanoseconds) {
  const std::string_view wrong = read_time(text, unit, nanoseconds);
  if (!wrong.empty()) return wrong;
  return nanoseconds > longest_span ? "expected at most fifty years" : "";
}

std::string_view set_span(std::string_view text, TimeUnit unit, Duration& span) {
  span = {};
  if (text.empty()) return {};
  std::int64_t nanoseconds = 0;
  const std::string_view wrong = set_span(text, unit, nanoseconds);
  span = Duration(nanoseconds);
  return wrong;
}

std::string_view set_span(std::string_view text, TimeUnit unit, std::optional<Duration>& span) {
  span.reset();
  if (text.empty()) return {};
  return set_span(text, unit, span.emplace());
}

std::string_view set_tokens_or_none(std::string_view text, std::int64_t& tokens) {
  tokens = 0;
  return text.empty() ? std::string_view() : read_tokens(text, tokens);
}

std::string_view set_integer_or_none(std::string_view text, std::int64_t& number) {
  number = 0;
  return text.empty() ? std::string_view() : read_integer(text, number);
}

std::string_view set_flag(std::string_view text, bool& flag) {
  flag = text == "true";
  return text.empty() || flag || text == "false" ? "" : "expected true or false";
}

std::string_view set_ids(std::string_view text, std::vector<TokenRun>& content) {
  content.clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::int64_t id = 0;
    const std::string_view wrong = end > 0 ? read_hash_id(text.substr(0, end), id) : std::string_view();
    if (!wrong.empty()) return wrong;
    if (end > 0) content.push_back({static_cast<std::uint64_t>(id), 0});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::string_view set_name(std::string_view text, Name& name) {
  name = text;
  return wrong_name(text);
}

/// A later turn may have no time of its own.
std::string_view set_time(std::string_view text, TimeUnit unit, TraceRow& row) {
  row.timed = !text.empty();
  row.time = 0;
  return row.timed ? read_time(text, unit, row.time) : std::string_view();
}

}  // namespace

std::string_view wrong_name(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  return std::any_of(text.begin(), text.end(), control)
             ? "a name holds no control character, such as a tab or a line break: take it out"
             : "";
}

std::string_view set_field(Meaning meaning, std::string_view text, const FieldRules& rules, TraceRow& row) {
  Request& request = row.request;
  switch (meaning) {
    case Meaning::ignored:
    case Meaning::turn:  // of a session's turns the order of the rows decides
      return {};
    case Meaning::unmeasured:
      return "a text has no length here: give its number of tokens, input_length, in its place";
    case Meaning::request_type:
      return text.empty() || text == "2" ? "" : "expected 2, a request of an LLM; leave others out of the file";
    case Meaning::batch_size:
      return text.empty() || text == "1" ? "" : "expected 1: a request is one prompt here";
    case Meaning::time:
      return set_time(text, rules.unit, row);
    case Meaning::time_s:
      return set_time(text, TimeUnit::s, row);
    case Meaning::time_ns:
      row.timed = !text.empty();
      row.time = 0;
      return row.timed ? read_nanoseconds(text, row.time) : std::string_view();
    case Meaning::date_time:
      return read_timestamp(text, row.time);
    case Meaning::input_tokens:
      return read_tokens_or_zero(text, request.input_tokens);
    case Meaning::output_tokens:
      return read_tokens_or_zero(text, request.output_tokens);
    case Meaning::max_tokens:
      return set_tokens_or_none(text, request.max_tokens);
    case Meaning::id:
      return set_name(text, request.id);
    case Meaning::priority:
      return set_integer_or_none(text, request.priority);
    case Meaning::tenant:
      return set_name(text, request.tenant);
    case Meaning::slo_class:
      return set_name(text, request.slo_class);
    case Meaning::prefix_group:
      return set_name(text, request.prefix_group);
    case Meaning::prefix_tokens:
      return set_tokens_or_none(text, request.prefix_tokens);
    case Meaning::session:
      return set_name(text, request.session);
    case Meaning::think_time:
      return set_span(text, rules.unit, request.think_time);
    case Meaning::think_time_s:
      return set_span(text, TimeUnit::s, request.think_time);
    case Meaning::deadline:
      return set_span(text, rules.unit, request.deadline);
    case Meaning::deadline_s:
      return set_span(text, TimeUnit::s, request.deadline);
    case Meaning::timeout_s:
      return set_span(text, TimeUnit::s, request.timeout);
    case Meaning::cancel_after_s:
      return set_span(text, TimeUnit::s, request.cancel_after);
    case Meaning::hash_ids:
      return set_ids(text, request.content);
    case Meaning::hash_block_size:
      row.states_block_size = true;
      return set_tokens_or_none(text, request.hash_block_size);
    case Meaning::cache_salt:
      return set_name(text, request.cache_salt);
    case Meaning::ignore_eos:
      return set_flag(text, request.ignore_eos);
    case Meaning::no_prefix_read:
      return set_flag(text, request.no_prefix_read);
    case Meaning::remote_tokens:
      return set_tokens_or_none(text, request.remote_tokens);
    case Meaning::load_time_s:
      return set_span(text, TimeUnit::s, request.load_time);
  }
  return {};
}

bool is_number(Meaning meaning) {
  switch (meaning) {
    case Meaning::time:
    case Meaning::time_s:
    case Meaning::time_ns:
    case Meaning::input_tokens:
    case Meaning::output_tokens:
    case Meaning::max_tokens:
    case Meaning::priority:
    case Meaning::prefix_tokens:
    case Meaning::think_time:
    case Meaning::think_time_s:
    case Meaning::deadline:
    case Meaning::deadline_s:
    case Meaning::timeout_s:
    case Meaning::cancel_after_s:
    case Meaning::hash_block_size:
    case Meaning::remote_tokens:
    case Meaning::load_time_s:
      return true;
    default:
      return false;
  }
}

bool ids_fit(const TraceRow& row) {
  const Request& request = row.request;
  const auto ids = static_cast<std::int64_t>(request.content.size());
  const std::int64_t whole = request.input_tokens / request.hash_block_size;
  return ids == whole || ids == blocks_of(request) || (row.states_block_size && ids < whole);
}

std::string_view check_row(TraceRow& row, Meaning& at) {
  Request& request = row.request;
  at = Meaning::max_tokens;
  if (request.max_tokens == 0) request.max_tokens = request.output_tokens;
  if (request.max_tokens < request.output_tokens)
    return "expected at least output_tokens, which is what the request really generates";
  at = Meaning::prefix_tokens;
  if (request.prefix_group.empty() != (request.prefix_tokens == 0))
    return "a row has both its prefix_group and its prefix_tokens, or neither";
  if (request.prefix_tokens > request.input_tokens)
    return "expected at most input_tokens: the prefix is part of the prompt";
  at = Meaning::remote_tokens;
  if (request.remote_tokens > request.input_tokens) return "expected at most input_tokens: it is part of the prompt";
  at = Meaning::load_time_s;
  if (request.load_time > Duration{} && request.remote_tokens == 0) return "only remote_tokens are loaded";
  at = Meaning::time;
  if (!row.timed && request.session.empty()) return "expected a time: only a session's later turn comes without one";
  at = Meaning::hash_ids;
  if (request.content.empty()) {
    request.hash_block_size = 0;
    return {};
  }
  if (request.hash_block_size == 0) return "hash ids need the size of their blocks";
  if (!request.prefix_group.empty())
    return "what a prompt begins with is said by hash_ids or by prefix_group, not by both";
  row.ids_wrong = !ids_fit(row);
  return {};
}

}  // namespace decodesim
