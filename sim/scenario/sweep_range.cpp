#include "sim/scenario/sweep_range.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace decodesim {

namespace {

// So many digits before and behind the point together keep every sum far below 2^63.
constexpr std::size_t most_digits = 15;

/// digits x 10^-decimals, and what stands behind the number.
struct Part {
  std::int64_t digits = 0;
  std::size_t decimals = 0;
  std::string suffix;  // as written, with the blanks before the unit
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Part> part_of(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  Part part;
  std::size_t count = 0;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    part.digits = part.digits * 10 + (text[at] - '0');
    if (point) ++part.decimals;
    if (++count > most_digits) return std::nullopt;
  }
  part.suffix = text.substr(at);
  // 1e3 would be read as a number of e3.
  const bool exponent = part.suffix.size() > 1 && (part.suffix[0] == 'e' || part.suffix[0] == 'E') &&
                        (is_digit(part.suffix[1]) || part.suffix[1] == '+' || part.suffix[1] == '-');
  if (count == 0 || exponent) return std::nullopt;
  return part;
}

std::string unit_of(const Part& part) {
  return part.suffix.substr(std::min(part.suffix.find_first_not_of(' '), part.suffix.size()));
}

/// Brings a part to so many decimals; false where it then has too many digits.
bool rescale(Part& part, std::size_t decimals) {
  for (; part.decimals < decimals; ++part.decimals) {
    if (part.digits > INT64_MAX / 1000) return false;
    part.digits *= 10;
  }
  return true;
}

std::string number_text(std::int64_t digits, std::size_t decimals) {
  std::string text = std::to_string(digits);
  if (decimals == 0) return text;
  if (text.size() <= decimals) text.insert(0, decimals + 1 - text.size(), '0');
  text.insert(text.size() - decimals, 1, '.');
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

SweepRange sweep_range(std::string_view from, std::string_view to, std::string_view step, std::size_t most) {
  SweepRange range;
  const auto refuse = [&range](std::string problem, std::string help) {
    range.problem = std::move(problem);
    range.help = std::move(help);
    return range;
  };
  Part parts[3];
  const std::string_view texts[] = {from, to, step};
  std::string suffix;
  std::size_t decimals = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<Part> part = part_of(texts[i]);
    if (!part) {
      return refuse("'" + std::string(texts[i]) + "' is no plain number of at most " + std::to_string(most_digits) +
                        " digits, with or without a unit",
                    "write a range such as 2 to 16 in steps of 2, or list the values");
    }
    parts[i] = *part;
    decimals = std::max(decimals, part->decimals);
    const std::string unit = unit_of(*part);
    if (unit.empty()) continue;
    Part known;
    known.suffix = suffix;
    if (!suffix.empty() && unit_of(known) != unit)
      return refuse("the range has two units, '" + unit_of(known) + "' and '" + unit + "'", "write all in one unit");
    suffix = part->suffix;
  }
  for (Part& part : parts) {
    if (!rescale(part, decimals)) return refuse("the range has too many digits", "list the values");
  }
  const std::int64_t first = parts[0].digits;
  const std::int64_t last = parts[1].digits;
  const std::int64_t by = parts[2].digits;
  if (by == 0) return refuse("the range has a step of zero", "write a step above zero");
  if (first > last) return refuse("the range ends before it begins", "write the smaller end first");
  if (static_cast<std::uint64_t>((last - first) / by) >= most) {
    return refuse("the range has more than " + std::to_string(most) + " values", "write a larger step");
  }
  for (std::int64_t value = first; value <= last; value += by)
    range.values.push_back(number_text(value, decimals) + suffix);
  return range;
}

}  // namespace decodesim
