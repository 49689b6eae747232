#include "sim/report/physical_bound.hpp"

#include <doctest/doctest.h>

#include "sim/core/check.hpp"
#include "sim/report/measurements.hpp"
#include "tests/report/told_run.hpp"

namespace decodesim {
namespace {

Ledger account_of(double bytes, double flops, Duration time) {
  Ledger account;
  account.of(ByteKind::kv_read) = Bytes(bytes);
  account.flops = Flops(flops);
  account.spend(TimePart::attention, BoundBy::bandwidth, time);
  return account;
}

}  // namespace

TEST_CASE("a step may take what its bytes and its operations take, and no less") {
  const PhysicalBound bound{BytesPerSecond(1e12), FlopsPerSecond(1e15)};
  CHECK(bound.allows(account_of(1e9, 1e12, std::chrono::milliseconds(1))));
  CHECK_FALSE(bound.allows(account_of(1.001e9, 0, std::chrono::milliseconds(1))));
  CHECK_FALSE(bound.allows(account_of(0, 1.001e12, std::chrono::milliseconds(1))));
  CHECK(PhysicalBound{}.allows(account_of(1e30, 1e30, Duration(1))));
}

TEST_CASE("bytes on links do not go through the GPUs' memory") {
  Ledger account = account_of(1e9, 0, std::chrono::milliseconds(1));
  account.of(ByteKind::collective) = Bytes(1e12);
  account.of(ByteKind::host_transfer) = Bytes(1e12);
  CHECK(PhysicalBound{BytesPerSecond(1e12), FlopsPerSecond(0)}.allows(account));
}

TEST_CASE("a run whose step passes the bound is a fault of the program") {
  RunHeader header = tests::header_of(1);
  header.bound = {BytesPerSecond(1e12), FlopsPerSecond(1e15)};
  Measurements measurements(header, {}, {});
  StepFacts facts = tests::step_of(1, tests::at(0), tests::at(1));
  facts.ledger.of(ByteKind::weights) = Bytes(0.9e12);
  measurements.step(facts);
  facts.ledger.of(ByteKind::weights) = Bytes(1.1e12);
  CHECK_THROWS_AS(measurements.step(facts), BrokenInvariant);
}

}  // namespace decodesim
