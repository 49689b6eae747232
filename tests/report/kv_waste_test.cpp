// What the slots of the KV memory were good for while requests waited.

#include "sim/report/kv_waste.hpp"

#include <doctest/doctest.h>

namespace decodesim::tests {

namespace {
StepFacts step(std::int64_t waiting, std::int64_t cached, KvSlots slots) {
  StepFacts facts;
  facts.waiting = waiting;
  facts.running = 2;
  facts.cached_tokens = cached;
  facts.slots = slots;
  return facts;
}
}  // namespace

TEST_CASE("the four classes of slots add up to all of them, weighted by time") {
  KvWaste waste;
  waste.add(step(1, 40, {.total = 100, .requested = 90, .final_length = 60}), 1e9);
  waste.add(step(3, 10, {.total = 100, .requested = 50, .final_length = 20}), 3e9);
  const WasteReport report = waste.report();
  CHECK(report.seconds == 4);
  CHECK(report.token_states == doctest::Approx((0.4 + 3 * 0.1) / 4));
  CHECK(report.reservation == doctest::Approx((0.2 + 3 * 0.1) / 4));
  CHECK(report.internal == doctest::Approx((0.3 + 3 * 0.3) / 4));
  CHECK(report.other == doctest::Approx((0.1 + 3 * 0.5) / 4));
  CHECK(report.token_states + report.reservation + report.internal + report.other == doctest::Approx(1));
  CHECK(report.reserves);
}

TEST_CASE("where memory is taken on demand nothing is reserved, and shared blocks count once") {
  KvWaste waste;
  waste.add(step(1, 70, {.total = 100, .requested = 60, .final_length = {}}), 1e9);
  const WasteReport report = waste.report();
  CHECK(report.token_states == doctest::Approx(0.6));
  CHECK(report.reservation == 0);
  CHECK(report.internal == 0);
  CHECK(report.other == doctest::Approx(0.4));
  CHECK_FALSE(report.reserves);
}

TEST_CASE("an unused slot is no waste where nobody waits") {
  KvWaste waste;
  waste.add(step(0, 10, {.total = 100, .requested = 90, .final_length = 60}), 1e9);
  CHECK(waste.report().seconds == 0);
}

}  // namespace decodesim::tests
