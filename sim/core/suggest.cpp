#include "sim/core/suggest.hpp"

#include "sim/core/letters.hpp"
#include "sim/core/nearest_name.hpp"

namespace decodesim {

namespace {
constexpr std::size_t list_max = 12;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> allowed) {
  std::string list;
  for (std::string_view candidate : allowed) {
    if (!list.empty()) list += ", ";
    list += candidate;
  }
  const std::optional<std::string_view> near = nearest_name(word, allowed);
  // Between words of a letter or two, as units are, an edit may replace everything.
  const bool alike = near && lower(word).find_first_of(lower(*near)) != std::string::npos;
  if (!alike) return "allowed: " + list;
  const std::string question = "did you mean '" + std::string(*near) + "'?";
  // Beside a name that is near, a list that fills the screen helps nobody.
  return allowed.size() > list_max ? question : question + " (allowed: " + list + ")";
}

}  // namespace decodesim
