#include "sim/core/name.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace decodesim::tests {

TEST_CASE("a name is its text, whoever shares it and whatever becomes of the others") {
  Name name("anna");
  const Name copy = name;
  name = "bert";
  CHECK(copy == "anna");
  CHECK(name.text() == "bert");
  const Name moved = std::move(name);
  CHECK(moved == std::string("bert"));
  name = copy;
  name.clear();
  CHECK(name.empty());
  CHECK(copy.text() == "anna");
}

TEST_CASE("names with the same text are equal, and sort as their texts do") {
  CHECK(Name("anna") == Name("anna"));
  CHECK(Name("anna") < Name("bert"));
  CHECK(!(Name("anna") < Name("anna")));
  CHECK(Name() < Name("a"));
  CHECK(Name() == Name(""));
  CHECK(Name("").text().empty());
  CHECK("of " + Name("anna") + "!" == "of anna!");
}

}  // namespace decodesim::tests
