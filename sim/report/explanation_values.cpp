#include "sim/report/explanation_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "sim/report/number_text.hpp"

namespace decodesim {

namespace {

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Whole numbers in full, others to four digits.
std::string plain(double value) {
  if (std::floor(value) == value && std::fabs(value) < 9e15) return grouped(static_cast<std::int64_t>(value));
  return trimmed(significant(value, 4));
}

/// Small counts of bytes exactly, others to five digits, as an account of memory needs them.
std::string bytes_in_full(double bytes) {
  if (std::fabs(bytes) < 1e7) return plain(bytes) + " B";
  static constexpr std::array<std::string_view, 4> units{"MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  double shown = bytes / 1e6;
  for (; std::fabs(shown) >= 999.995 && unit + 1 < units.size(); ++unit) shown /= 1000;
  return trimmed(significant(shown, 5)) + " " + std::string(units[unit]);
}

/// " (2.5 GiB)" behind amounts that binary units show shorter.
std::string binary_bytes_note(double bytes) {
  static constexpr std::array<std::string_view, 4> units{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 10240) return "";
  std::size_t unit = 0;
  double shown = bytes / 1024;
  for (; shown >= 1024 && unit + 1 < units.size(); ++unit) shown /= 1024;
  return " (" + trimmed(significant(shown, 4)) + " " + std::string(units[unit]) + ")";
}

std::string per_second(double value, std::string_view what) {
  static constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  for (; value >= 999.95 && prefix + 1 < prefixes.size(); ++prefix) value /= 1000;
  return trimmed(significant(value, 4)) + " " + std::string(prefixes[prefix]) + std::string(what);
}

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

const Figure* find(const std::vector<Figure>& inputs, std::string_view name) {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const Figure& figure) { return figure.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}

}  // namespace

std::string factor_text(double factor) {
  return factor >= 9.995 ? grouped(static_cast<std::int64_t>(factor + 0.5)) + "x"
                         : trimmed(significant(factor, 4)) + "x";
}

std::string context_text(std::int64_t tokens) {
  return tokens > 0 && tokens % 1024 == 0 ? std::to_string(tokens / 1024) + "k" : grouped(tokens);
}

std::string figure_text(double value, Unit unit) {
  switch (unit) {
    case Unit::bytes:
    case Unit::binary_bytes:
      return bytes_in_full(value);
    case Unit::seconds:
      return time_text(value);
    case Unit::bytes_per_second:
      return per_second(value, "B/s");
    case Unit::flops:
      return per_second(value, "FLOP");
    case Unit::flops_per_second:
      return per_second(value, "FLOP/s");
    case Unit::share:
      return percent(value);
    case Unit::factor:
      return factor_text(value);
    case Unit::tokens_per_second:
      return value >= 1000 ? grouped(static_cast<std::int64_t>(value + 0.5)) : significant(value, 3);
    case Unit::flops_per_byte:
      return fixed_text(value, 1) + " FLOP/B";
    case Unit::tokens:
      return grouped(static_cast<std::int64_t>(std::floor(value + 0.5)));
    case Unit::count:
    case Unit::blocks:
    case Unit::sequences:
      break;
  }
  return plain(value);
}

std::string value_text(double value, Unit unit) {
  std::string text = figure_text(value, unit);
  switch (unit) {
    case Unit::binary_bytes:
      return text + binary_bytes_note(value);
    case Unit::tokens:
      return text + " tokens";
    case Unit::blocks:
      return text + " blocks";
    case Unit::sequences:
      return text + " sequences";
    case Unit::tokens_per_second:
      return text + " tokens/s";
    default:
      return text;
  }
}

std::string formula_text(const Term& term) {
  std::string text;
  const std::string& formula = term.formula;
  for (std::size_t at = 0; at < formula.size();) {
    std::size_t end = at;
    while (end < formula.size() && is_name(formula[end])) ++end;
    if (end == at) {
      text += formula[at++];
      continue;
    }
    const std::string name = formula.substr(at, end - at);
    const Figure* input = find(term.inputs, name);
    if (input != nullptr) text += figure_text(input->value, input->unit) + " ";
    text += name;
    at = end;
  }
  return text;
}

std::string remark_text(const Remark& remark) {
  std::string text;
  for (std::size_t at = 0; at < remark.text.size();) {
    const std::size_t open = remark.text.find('{', at);
    text += remark.text.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = remark.text.find('}', open);
    const Figure* input = find(remark.inputs, remark.text.substr(open + 1, close - open - 1));
    if (input != nullptr) text += figure_text(input->value, input->unit);
    at = close + 1;
  }
  return text;
}

std::string_view fit_name(Fit fit) {
  switch (fit) {
    case Fit::fits:
      return "fits";
    case Fit::waits:
      return "waits";
    case Fit::never:
      return "never";
    case Fit::beyond_length:
      return "beyond_length";
    case Fit::beyond_sequences:
      return "beyond_sequences";
  }
  return {};
}

std::string_view source_name(Source source) {
  static constexpr std::array<std::string_view, 4> names{"spec", "measured", "assumed", "derived"};
  return names[static_cast<std::size_t>(source)];
}

std::string_view unit_name(Unit unit) {
  static constexpr std::array<std::string_view, 14> names{"1",         "bytes",     "bytes",   "tokens", "blocks",
                                                          "sequences", "s",         "bytes/s", "FLOP",   "FLOP/s",
                                                          "tokens/s",  "FLOP/byte", "share",   "x"};
  return names[static_cast<std::size_t>(unit)];
}

}  // namespace decodesim
