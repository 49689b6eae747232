#include "tests/support/damage.hpp"

namespace decodesim::tests {

std::string damaged(std::string text, std::string_view letters, std::mt19937_64& random) {
  for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    const char letter = letters[random() % letters.size()];
    if (random() % 3 == 0) {
      text.erase(at, 1 + random() % 5);
    } else if (random() % 2 == 0) {
      text[at] = letter;
    } else {
      text.insert(at, 1, letter);
    }
  }
  return text;
}

std::string mutated(std::string text, std::string_view letters, Stream& chance) {
  for (std::int64_t edits = chance.integer(1, 3); edits > 0; --edits) {
    const auto place = static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(text.size()) - 1));
    const auto letter = static_cast<std::size_t>(chance.integer(0, static_cast<std::int64_t>(letters.size()) - 1));
    if (chance.integer(0, 1) == 0) {
      text[place] = letters[letter];
    } else {
      text.erase(place, 1);
    }
  }
  return text;
}

}  // namespace decodesim::tests
