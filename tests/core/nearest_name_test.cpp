#include "sim/core/nearest_name.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

namespace decodesim {

TEST_CASE("the nearest name is the one that takes the fewest edits, whatever the case of its letters") {
  constexpr std::array<std::string_view, 5> names{"input_tokens", "output_tokens", "arrival", "id", "memory"};
  CHECK(nearest_name("input_tokens", names) == "input_tokens");
  CHECK(nearest_name("inptu_tokens", names) == "input_tokens");  // swapped
  CHECK(nearest_name("arival", names) == "arrival");             // left out
  CHECK(nearest_name("arrrival", names) == "arrival");           // put in
  CHECK(nearest_name("memoty", names) == "memory");              // replaced
  CHECK(nearest_name("MEMORY", names) == "memory");
  CHECK(nearest_name("ix", names) == "id");  // one edit is always allowed
}

TEST_CASE("no name is nearest where more than a third of the letters differ") {
  constexpr std::array<std::string_view, 2> names{"memory", "scheduler"};
  CHECK(!nearest_name("mxxory_", names));
  CHECK(!nearest_name("", names));
  CHECK(!nearest_name("workload", names));
  CHECK(!nearest_name(std::string(100'000, 'm'), names));
  CHECK(!nearest_name("memory", {}));
}

TEST_CASE("of equally near names the first wins") {
  constexpr std::array<std::string_view, 3> names{"tp", "pp", "dp"};
  CHECK(nearest_name("xp", names) == "tp");
}

}  // namespace decodesim
