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

}  // namespace decodesim::tests
