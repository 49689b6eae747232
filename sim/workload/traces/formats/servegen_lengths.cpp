#include "sim/workload/traces/formats/servegen_lengths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/core/suggest.hpp"
#include "sim/workload/traces/document.hpp"
#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/json_line.hpp"

namespace decodesim {

namespace {

constexpr std::array<std::string_view, 10> field_names{"input_tokens", "output_tokens", "reason_ratio", "text_tokens",
                                                       "image_tokens", "image_count",   "audio_tokens", "audio_count",
                                                       "video_tokens", "video_count"};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t'\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t'\"") - first + 1);
}

}  // namespace

std::string_view DrawnValue::read(std::string_view dict, bool share) {
  const std::size_t open = dict.find_first_not_of(" \t");
  const std::size_t close = dict.find_last_not_of(" \t");
  if (open == std::string_view::npos || dict[open] != '{' || dict[close] != '}' || open == close)
    return "expected a dict of Python, such as {9: 0.25, 12: 0.75}";
  std::string_view rest = dict.substr(open + 1, close - open - 1);
  std::vector<std::pair<double, double>> pairs;
  while (!trimmed(rest).empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t colon = pair.find(':');
    double value = 0;
    double probability = 0;
    if (colon == std::string_view::npos || !read_number(trimmed(pair.substr(0, colon)), value).empty() ||
        !read_number(trimmed(pair.substr(colon + 1)), probability).empty())
      return "expected numbers and their probabilities, such as {9: 0.25, 12: 0.75}";
    if (share ? value > 1 : value > 1e9 || value != std::floor(value))
      return share ? "expected shares from 0 to 1" : "expected whole numbers up to 1000000000";
    pairs.emplace_back(value, probability);
  }
  std::sort(pairs.begin(), pairs.end());
  double sum = 0;
  for (const auto& [value, probability] : pairs) {
    values_.push_back(value);
    sums_.push_back(sum += probability);
  }
  // What ServeGen itself takes.
  return pairs.empty() || std::abs(sum - 1) <= 1e-6 ? "" : "expected probabilities whose sum is 1, to a millionth";
}

double DrawnValue::at(double unit) const {
  const double wanted = unit * sums_.back();
  const auto found = std::lower_bound(sums_.begin(), sums_.end(), wanted);
  return values_[static_cast<std::size_t>(found == sums_.end() ? sums_.end() - sums_.begin() - 1
                                                               : found - sums_.begin())];
}

ServegenLengths::ServegenLengths(const std::string& path, std::uint64_t seed)
    : inputs_(seed, "trace input lengths"), outputs_(seed, "trace output lengths") {
  TraceLines lines{TraceBytes(path)};
  TraceMistakes mistakes(path);
  const TraceDocument document(lines);
  const std::string_view text = document.text();
  JsonLine all;
  JsonLine fields;
  try {
    all.read_document(text);
    for (const JsonMember& member : all.members()) {
      Window window;
      const std::string_view wrong = read_time(member.key, TimeUnit::s, window.begin);
      if (!wrong.empty() || member.kind != JsonKind::object)
        throw JsonMistake{member.key_at,
                          "expected a window: the second that it begins at, and its distributions, as in "
                          "\"0\": {\"input_tokens\": \"{9: 1.0}\", ...}"};
      fields.read_object(text.substr(0, member.at + member.text.size()), member.at);
      bool complete = true;
      for (const JsonMember& field : fields.members()) {
        const std::string name(field.key);
        if (std::find(field_names.begin(), field_names.end(), field.key) == field_names.end())
          throw JsonMistake{field.key_at, "unknown field '" + name + "': " + suggestion(name, field_names)};
        DrawnValue& values = window.fields[name];
        const std::string_view broken = field.kind == JsonKind::text ? values.read(field.text, name == "reason_ratio")
                                                                     : std::string_view("expected a text, \"{...}\"");
        if (!broken.empty()) document.add(mistakes, field.at, name + ": " + std::string(broken));
        complete = complete && !values.empty();
      }
      if (fields.members().empty() || !complete) continue;
      if (!window.fields.contains("output_tokens") ||
          (!window.fields.contains("input_tokens") && !window.fields.contains("text_tokens")))
        throw JsonMistake{member.key_at, "expected output_tokens, and input_tokens or text_tokens"};
      windows_.push_back(std::move(window));
    }
    if (windows_.empty() && !mistakes.any()) throw JsonMistake{0, "no window of this dataset has lengths"};
  } catch (const JsonMistake& mistake) {
    document.add(mistakes, mistake.at, mistake.message);
  }
  mistakes.throw_if_any();
  std::stable_sort(windows_.begin(), windows_.end(),
                   [](const Window& a, const Window& b) { return a.begin < b.begin; });
}

double ServegenLengths::drawn_sum(const Window& window, std::string_view tokens, std::string_view count) {
  const auto values = window.fields.find(tokens);
  if (values == window.fields.end()) return 0;
  const auto counts = window.fields.find(count);
  double sum = 0;
  for (double left = counts == window.fields.end() ? 1 : counts->second.at(inputs_.unit()); left > 0; --left)
    sum += values->second.at(inputs_.unit());
  return sum;
}

ServegenLengths::Lengths ServegenLengths::draw(std::int64_t time) {
  const auto after = std::upper_bound(windows_.begin(), windows_.end(), time,
                                      [](std::int64_t t, const Window& window) { return t < window.begin; });
  const Window& window = after == windows_.begin() ? *after : *(after - 1);
  double input = 0;
  if (window.fields.contains("input_tokens")) {
    input = drawn_sum(window, "input_tokens", "");
  } else {
    input = drawn_sum(window, "text_tokens", "") + drawn_sum(window, "image_tokens", "image_count") +
            drawn_sum(window, "audio_tokens", "audio_count") + drawn_sum(window, "video_tokens", "video_count");
  }
  return {.input = static_cast<std::int64_t>(std::min(input, 1e9)),
          .output = static_cast<std::int64_t>(window.fields.find("output_tokens")->second.at(outputs_.unit())),
          .reasons = window.fields.contains("reason_ratio"),
          .early = after == windows_.begin()};
}

}  // namespace decodesim
