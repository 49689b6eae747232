#include "sim/workload/traces/written_field.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/workload/content.hpp"

namespace decodesim {

namespace {

constexpr std::int64_t most_tokens = 1'000'000'000;
constexpr std::uint64_t first_key_of_ours = std::uint64_t{1} << 62;  // of requests' own tokens and prefix groups

void refuse(const std::string& why) { throw std::invalid_argument(why); }

void append_number(std::int64_t number, std::string& row) { row += std::to_string(number); }
void append_positive(std::int64_t number, std::string& row) {
  if (number > 0) append_number(number, row);
}
void append_span(std::optional<Duration> span, std::string& row) {
  if (span) row += written_seconds(span->count());
}
void append_flag(bool flag, std::string& row) {
  if (flag) row += "true";
}

/// In quotes where the reader would otherwise see a comma, a quote, or blanks that do not belong to it.
void append_text(std::string_view text, std::string& row) {
  const bool plain = text.find_first_of(",\"") == std::string_view::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) {
    row += text;
    return;
  }
  row += '"';
  for (const char c : text) row.append(c == '"' ? 2 : 1, c);
  row += '"';
}

bool has_ids(const Request& request) {
  return request.prefix_group.empty() && !request.content.empty() && !continues_session(request);
}

void append_ids(const Request& request, std::string& row) {
  if (!has_ids(request)) return;
  for (const TokenRun& run : request.content) {
    if (&run != &request.content.front()) row += ' ';
    row += std::to_string(run.key);
  }
}

template <auto Field>
constexpr WrittenColumn text_column(std::string_view name) {
  return {name, [](const Request& r) { return !(r.*Field).empty(); },
          [](const Request& r, std::string& row) { append_text(r.*Field, row); }};
}
template <auto Field>
constexpr WrittenColumn span_column(std::string_view name) {
  return {name, [](const Request& r) { return (r.*Field).has_value(); },
          [](const Request& r, std::string& row) { append_span(r.*Field, row); }};
}
template <auto Field>
constexpr WrittenColumn flag_column(std::string_view name) {
  return {name, [](const Request& r) { return r.*Field; },
          [](const Request& r, std::string& row) { append_flag(r.*Field, row); }};
}

constexpr WrittenColumn columns[] = {
    {"max_tokens", [](const Request& r) { return r.max_tokens != r.output_tokens; },
     [](const Request& r, std::string& row) { append_number(r.max_tokens, row); }},
    flag_column<&Request::ignore_eos>("ignore_eos"),
    {"priority", [](const Request& r) { return r.priority != 0; },
     [](const Request& r, std::string& row) { append_number(r.priority, row); }},
    text_column<&Request::prefix_group>("prefix_group"),
    {"prefix_tokens", [](const Request& r) { return !r.prefix_group.empty(); },
     [](const Request& r, std::string& row) { append_positive(r.prefix_tokens, row); }},
    {"hash_ids", has_ids, append_ids},
    {"hash_block_size", has_ids,
     [](const Request& r, std::string& row) {
       if (has_ids(r)) append_number(r.content.front().tokens, row);
     }},
    text_column<&Request::cache_salt>("cache_salt"),
    flag_column<&Request::no_prefix_read>("no_prefix_read"),
    {"remote_tokens", [](const Request& r) { return r.remote_tokens > 0; },
     [](const Request& r, std::string& row) { append_positive(r.remote_tokens, row); }},
    {"load_time_s", [](const Request& r) { return r.load_time > Duration{}; },
     [](const Request& r, std::string& row) {
       if (r.load_time > Duration{}) append_span(r.load_time, row);
     }},
    text_column<&Request::tenant>("tenant"),
    text_column<&Request::slo_class>("slo_class"),
    span_column<&Request::deadline>("deadline_s"),
    span_column<&Request::timeout>("timeout_s"),
    span_column<&Request::cancel_after>("cancel_after_s"),
    text_column<&Request::session>("session"),
    {"think_time_s", [](const Request& r) { return r.think_time > Duration{}; },
     [](const Request& r, std::string& row) {
       if (r.think_time > Duration{}) append_span(r.think_time, row);
     }},
    text_column<&Request::id>("id"),
};

/// What a prompt begins with is its group's prefix, or blocks of one size of which the prompt's end may cut the last.
void require_writable_content(const Request& request) {
  const std::vector<TokenRun>& content = request.content;
  if (!request.prefix_group.empty()) {
    const TokenRun prefix = prefix_of_group(request.prefix_group, request.prefix_tokens);
    if (request.prefix_tokens < 1 || request.prefix_tokens > request.input_tokens ||
        content != std::vector<TokenRun>{prefix})
      refuse("a prompt of a prefix group begins with the group's prefix, and has no other content in a trace");
    return;
  }
  if (request.prefix_tokens != 0) refuse("prefix tokens are a prefix group's");
  if (content.empty() || continues_session(request)) return;
  const std::int64_t size = content.front().tokens;
  std::int64_t left = request.input_tokens;
  for (const TokenRun& run : content) {
    if (run.key >= first_key_of_ours) refuse("a hash id is below 2^62; other keys cannot stand in a trace");
    if (run.tokens < 1 || run.tokens != std::min(size, left))
      refuse("hash ids stand for blocks of one size, of which the prompt's end may cut the last");
    left -= run.tokens;
  }
}

}  // namespace

std::span<const WrittenColumn> written_columns() { return columns; }

std::string written_seconds(std::int64_t nanoseconds) {
  std::string text = std::to_string(nanoseconds / 1'000'000'000);
  std::string decimals = std::to_string(1'000'000'000 + nanoseconds % 1'000'000'000);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  if (decimals.size() > 1) text += '.' + decimals.substr(1);
  return text;
}

bool continues_session(const Request& request) {
  return !request.session.empty() && request.prefix_group.empty() &&
         std::any_of(request.content.begin(), request.content.end(),
                     [](const TokenRun& run) { return run.key >= first_key_of_ours; });
}

void require_no_controls(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      refuse("a name with a control character cannot stand in a trace: '" + std::string(text) + "'");
  }
}

void require_writable(const Request& request) {
  for (const Name* text :
       {&request.id, &request.tenant, &request.slo_class, &request.prefix_group, &request.cache_salt, &request.session})
    require_no_controls(*text);
  if (request.input_tokens < 1 || request.output_tokens < 1 || request.max_tokens < request.output_tokens ||
      request.input_tokens > most_tokens || request.max_tokens > most_tokens)
    refuse("a request has 1 to 1000000000 tokens of either kind, and asks for no fewer than it generates");
  for (const std::optional<Duration> span : {request.deadline, request.timeout, request.cancel_after,
                                             std::optional(request.load_time), std::optional(request.think_time)}) {
    if (span && (*span < Duration{} || *span > Duration(std::int64_t{50} * 365 * 86'400 * 1'000'000'000)))
      refuse("a span of time is neither negative nor longer than fifty years");
  }
  if (request.remote_tokens < 0 || request.remote_tokens > request.input_tokens)
    refuse("tokens whose KV is loaded are part of the prompt");
  if (request.load_time > Duration{} && request.remote_tokens == 0)
    refuse("a load takes time where there are remote tokens");
  require_writable_content(request);
}

}  // namespace decodesim
