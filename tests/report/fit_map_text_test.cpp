#include "sim/report/fit_map_text.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace decodesim::tests {

TEST_CASE("columns of what fits stay apart and one below the other, however large their numbers") {
  FitMap map;
  map.contexts = {1024, 1'000'000'000};
  map.batches = {1, 262'144, 10'000'000, 20'000'000};
  map.most = {1'234'567'890, 0};
  map.cells = {std::vector<FitMap::Cell>(4, {Fit::waits, 2.0}), std::vector<FitMap::Cell>(4, {Fit::never, 2.0})};
  std::ostringstream out;
  write_fit_map(out, map, 120);
  std::istringstream lines(out.str());
  std::vector<std::string> table;
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with("20,000,000") || line.ends_with(" wait") || line.ends_with(" never")) table.push_back(line);
  REQUIRE(table.size() == 3);
  for (const std::string& line : table) {
    CHECK(line.size() == table[0].size());
    std::istringstream words(line);
    int count = 0;
    for (std::string word; words >> word;) ++count;
    CHECK(count == (&line == &table[0] ? 7 : 6));  // "at most" is two words
  }
}

}  // namespace decodesim::tests
