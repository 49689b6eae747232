// What paging saves against reservation: Kwon et al., SOSP 2023, figure 2 and section 6.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/behaviour.hpp"

namespace decodesim::tests {

TEST_CASE(
    "reservations hold the states of tokens in a fifth to two fifths of the KV memory, paging in nearly all of it") {
  auto cases = play_scenario("paging-against-reservation");
  const auto share = [&](const char* name) { return 100 * cases.at(name).report.waste.token_states; };
  const auto batch = [&](const char* name) { return cases.at(name).report.waste.running_mean; };
  for (const char* name : {"max", "pow2", "oracle", "paged"}) {
    MESSAGE(std::string(name) << ": token states " << share(name) << " %, " << batch(name) << " sequences");
    const WasteReport& waste = cases.at(name).report.waste;
    CHECK(waste.token_states + waste.reservation + waste.internal + waste.other == doctest::Approx(1));
  }
  // Reported: 20.4, 26.8, 38.2 and 96.3 %.
  CHECK(share("max") == doctest::Approx(20.4).epsilon(3 / 20.4));
  CHECK(share("pow2") == doctest::Approx(26.8).epsilon(3 / 26.8));
  CHECK(share("oracle") == doctest::Approx(38.2).epsilon(3 / 38.2));
  CHECK(share("paged") == doctest::Approx(96.3).epsilon(3 / 96.3));
  // "60 to 80 % wasted before paging, under 4 % with it."
  CHECK(share("max") <= 40);
  CHECK(share("oracle") <= 42);
  CHECK(share("paged") >= 96);

  // Reported: exactly 7 sequences and 8.9 % unused under the maximum reservation; both are arithmetic.
  CHECK(batch("max") == doctest::Approx(7));
  CHECK(100 * cases.at("max").report.waste.other == doctest::Approx(8.85).epsilon(0.002));
  // Reported: 13.62 and 30.42. The paper's paged server holds 498 tokens a sequence and its oracle 441, though both serve
  // the same requests; ours hold 452 and 454, so the paged batch comes out larger by what separates 498 from 452.
  CHECK(batch("oracle") == doctest::Approx(13.62).epsilon(0.10));
  CHECK(batch("paged") == doctest::Approx(30.42).epsilon(0.12));
}

}  // namespace decodesim::tests
