#include "sim/scenario/trace_diagnostics.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "sim/scenario/help_words.hpp"
#include "sim/workload/trace_spec_fields.hpp"

namespace decodesim {

namespace {

/// The place in characters of a place in bytes, both from 1.
int character_column(const TraceMistake& mistake) {
  const auto bytes = std::min(static_cast<std::size_t>(mistake.column - 1), mistake.text.size());
  // Bytes of UTF-8 after a character's first.
  const auto more = std::count_if(mistake.text.begin(), mistake.text.begin() + static_cast<std::ptrdiff_t>(bytes),
                                  [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  return static_cast<int>(std::min<std::int64_t>(mistake.column - more, std::numeric_limits<int>::max()));
}

/// What stands in back-quotes: a key of `workload.trace`, perhaps with a value, or something else.
struct Quoted {
  std::string_view key;  // empty: something else
  std::string_view value;
};

Quoted read_quoted(std::string_view text) {
  const std::size_t colon = text.find(": ");
  const std::string_view key = text.substr(0, colon);
  if (find_field(trace_fields, key) == nullptr) return {};
  return {key, colon == std::string_view::npos ? std::string_view() : text.substr(colon + 2)};
}

/// The keys in a message, which TraceMistake spells as a scenario does, as options of a command.
std::string as_options(std::string_view message, TraceAsker asker) {
  constexpr std::string_view place = "workload.trace.";
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t close = message[at] == '`' ? message.find('`', at + 1) : std::string_view::npos;
    if (close != std::string_view::npos) {
      const std::string_view inside = message.substr(at + 1, close - at - 1);
      const Quoted quoted = read_quoted(inside);
      if (quoted.key.empty()) {
        text += '\'' + std::string(inside) + '\'';
      } else {
        text +=
            quoted.value.empty() ? "--set " + std::string(quoted.key) : said_setting(quoted.key, quoted.value, asker);
      }
      at = close + 1;
    } else if (message.substr(at).starts_with(place)) {
      text += "--set ";
      at += place.size();
    } else {
      text += message[at++];
    }
  }
  return text;
}

/// The keys that a message names, in its order.
std::vector<Quoted> quoted_keys(std::string_view message) {
  std::vector<Quoted> keys;
  for (std::size_t open = message.find('`'); open != std::string_view::npos; open = message.find('`', open + 1)) {
    const std::size_t close = message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const Quoted quoted = read_quoted(message.substr(open + 1, close - open - 1));
    if (!quoted.key.empty()) keys.push_back(quoted);
    open = close;
  }
  return keys;
}

/// Where a scenario states the first setting that a message recommends; empty where there is none.
std::string help_of_scenario(std::string_view message, const std::string& file) {
  for (const Quoted& one : quoted_keys(message)) {
    if (one.value.empty()) continue;
    return "it stands beside the trace's file: 'trace: {file: " + file + ", " + std::string(one.key) + ": " +
           std::string(one.value) + "}'";
  }
  return "";
}

/// Beside lengths no setting can stand, so that an import has to take it.
std::string help_of_lengths(std::string_view message, const std::string& file) {
  const std::vector<Quoted> keys = quoted_keys(message);
  if (keys.empty()) return "";
  std::string kind;
  std::string settings;
  for (const Quoted& one : keys) {
    if (one.value.empty()) continue;
    if (one.key == "format") {
      if (kind.empty()) kind = one.value;
    } else if (settings.empty()) {
      settings = ' ' + said_setting(one.key, one.value, TraceAsker::import);
    }
  }
  return "lengths are drawn from a trace that is named alone: 'decodesim import " + (kind.empty() ? "KIND" : kind) +
         ' ' + file + settings + " -o " + file + ".yaml' writes one; name that";
}

/// "; so at 19 more places, of lines 3, 4, 5 and so on" for those behind the first that say the same.
std::string said_of_others(const std::vector<std::int64_t>& lines, bool cut_off) {
  if (lines.empty()) return "";
  constexpr std::size_t most = 3;
  std::string text = "; so at " + std::string(cut_off ? "least " : "") + std::to_string(lines.size()) + " more place" +
                     (lines.size() > 1 ? "s, of lines " : ", of line ");
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) text += (i > 0 ? ", " : "") + std::to_string(lines[i]);
  return lines.size() > most || cut_off ? text + " and so on" : text;
}

}  // namespace

std::string said_setting(std::string_view key, std::string_view value, TraceAsker asker) {
  const std::string what(value);
  if (asker == TraceAsker::scenario) return std::string(key) + ": " + what;
  if (key == "format") return (asker == TraceAsker::import ? "import " : "--format ") + what;
  return "--set " + std::string(key) + "=" + what;
}

std::vector<Diagnostic> trace_diagnostics(const TraceError& error, TraceAsker asker) {
  std::vector<Diagnostic> diagnostics;
  const std::vector<TraceMistake>& mistakes = error.mistakes();
  const bool cut_off = mistakes.size() >= most_trace_mistakes;
  for (auto mistake = mistakes.begin(); mistake != mistakes.end(); ++mistake) {
    const auto says_the_same = [&](const TraceMistake& other) { return other.message == mistake->message; };
    if (std::any_of(mistakes.begin(), mistake, says_the_same)) continue;
    std::vector<std::int64_t> others;
    for (auto other = mistake + 1; other != mistakes.end(); ++other) {
      if (says_the_same(*other)) others.push_back(other->line);
    }
    Diagnostic diagnostic;
    diagnostic.code = error.unreadable() ? "unreadable-file" : "trace";
    diagnostic.message = asker == TraceAsker::scenario ? mistake->message : as_options(mistake->message, asker);
    diagnostic.message += said_of_others(others, cut_off);
    diagnostic.file = error.file();
    diagnostic.line = static_cast<int>(std::min<std::int64_t>(mistake->line, std::numeric_limits<int>::max()));
    if (mistake->line > 0) diagnostic.column = character_column(*mistake);
    diagnostic.source_line = mistake->text;
    if (asker == TraceAsker::scenario && error.for_lengths()) {
      diagnostic.help = help_of_lengths(mistake->message, error.file());
    } else if (asker == TraceAsker::scenario) {
      diagnostic.help = help_of_scenario(mistake->message, error.file());
    }
    diagnostics.push_back(diagnostic);
  }
  return diagnostics;
}

}  // namespace decodesim
