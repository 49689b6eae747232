#include "sim/report/eviction_ledger.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/report/late_endings.hpp"
#include "sim/report/measurements.hpp"
#include "tests/report/told_run.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/random_scenario.hpp"

using namespace decodesim;
using namespace decodesim::tests;

namespace {

/// Keeps every fact that evictions are counted by.
struct Told : Observer {
  EvictionAccount sum;
  std::map<std::int64_t, EvictionAccount> requests;
  std::map<std::int64_t, std::string> classes;
  Duration busy{};
  std::vector<RequestFacts> ends;
  TransferTime transfers;
  Victims victims;
  LateEndings late;
  EvictionAccount of_requests;
  void arrived(const Request& request) override { classes[request.index] = request.slo_class; }
  void step(const StepFacts& facts) override {
    for (const EvictionFacts& one : facts.evictions) {
      sum.add(one);
      requests[one.victim->index].add(one);
    }
    for (const SwapFacts& one : facts.swaps) sum.add(one);
    transfers.total += facts.transfer_time;
    transfers.waited += facts.ledger.of(TimePart::transfers);
    CHECK(facts.end - facts.start == facts.ledger.duration());
    victims.step(facts);
    late.settle([this](const RequestFacts& left) { book(left); });
    sum.recompute_time += facts.recompute_time;
    sum.recomputed_tokens += facts.recomputed_tokens;
    busy += facts.end - facts.start;
    std::int64_t tokens = 0;
    for (const RecomputeFacts& one : facts.recomputes) tokens += one.tokens;
    CHECK(tokens == facts.recomputed_tokens);
  }
  void ended(const RequestFacts& facts) override {
    ends.push_back(facts);
    if (!late.keep(facts)) book(facts);
  }
  void run_ended(const RunFacts&) override {
    late.settle([this](const RequestFacts& left) { book(left); });
  }
  void book(const RequestFacts& facts) {
    const EvictionAccount account = victims.ended(facts);
    CHECK(account.transfers.waited <= account.transfers.total);
    CHECK(account.swapped_in_blocks <= account.swapped_out_blocks);
    of_requests += account;
  }
};

template <std::size_t size>
std::int64_t total(const std::array<std::int64_t, size>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

/// What was swapped, and the host tier's part, are all that moved.
void check_transfers(const Report& report, const Told& told, const HostTransfer& host) {
  const EvictionAccount& run = report.evictions.run.account;
  CHECK(run.swapped_out_blocks == told.sum.swapped_out_blocks);
  CHECK(run.swapped_in_blocks == told.sum.swapped_in_blocks);
  CHECK(host.bytes(run.swapped_out_blocks) == report.transfers.out);
  CHECK(host.bytes(run.swapped_in_blocks) == report.transfers.in);
  CHECK(report.transfers.time == told.transfers);
  TransferTime parts = run.transfers;
  parts += report.transfers.host_tier;
  CHECK(parts == told.transfers);
  if (!host.beside_step) CHECK(told.transfers.overlapped() == Duration{});
  if (report.transfers.stored + report.transfers.loaded == Bytes{}) CHECK(report.transfers.host_tier == TransferTime{});
}

std::int64_t requests_in(const std::vector<PreemptionHistogram::Bin>& bins) {
  std::int64_t sum = 0;
  for (const PreemptionHistogram::Bin& bin : bins) sum += bin.requests;
  return sum;
}

}  // namespace

TEST_CASE("in random runs evictions by reason, by request and by class are those of the run") {
  std::int64_t evicting = 0;
  std::int64_t overlapping = 0;
  for (std::uint64_t seed = 1; seed <= last_seed() / 4; ++seed) {
    CAPTURE(seed);
    RandomScenario scenario = random_scenario(seed);
    for (Request& request : scenario.requests) {
      request.slo_class = request.index % 3 == 0 ? "" : request.index % 3 == 1 ? "chat" : "batch";
      request.tenant = std::to_string(request.index % 2);
    }
    RunHeader header;
    header.requests = static_cast<std::int64_t>(scenario.requests.size());
    header.usable_blocks = scenario.server.usable_blocks;
    header.block_size = scenario.server.block_size;
    header.moved_block = scenario.server.host.bytes(1);
    header.closed_loop = scenario.concurrency.has_value();
    Measurements measurements(header, scenario.run, scenario.slo);
    Told told;
    play(engines().back(), scenario.server, scenario.requests, scenario.concurrency, {&measurements, &told},
         scenario.closes);
    const Report report = measurements.report();
    const EvictionSummary& run = report.evictions.run;

    CHECK(run.account.preemptions == told.sum.preemptions);
    CHECK(run.account.by_reason == told.sum.by_reason);
    CHECK(run.account.by_fate == told.sum.by_fate);
    CHECK(run.account.blocks == told.sum.blocks);
    CHECK(run.account.blocks_by_reason == told.sum.blocks_by_reason);
    CHECK(run.account.recompute_time == told.sum.recompute_time);
    CHECK(run.account.recomputed_tokens == told.sum.recomputed_tokens);
    CHECK(total(run.account.by_reason) == run.account.preemptions);
    CHECK(total(run.account.by_fate) == run.account.preemptions);
    CHECK(total(run.account.blocks_by_reason) == run.account.blocks);
    CHECK(run.account.blocks_for_itself + run.account.blocks_for_nobody + run.blocks_received == run.account.blocks);
    CHECK(run.requests == report.requests_in);
    CHECK(requests_in(run.histogram) == run.requests);

    EvictionAccount classes;
    std::int64_t received = 0;
    for (const EvictionSummary& one : report.evictions.classes) {
      classes += one.account;
      received += one.blocks_received;
      CHECK(requests_in(one.histogram) == one.requests);
      std::int64_t of_class = 0;
      for (const auto& [index, account] : told.requests) {
        if (told.classes[index] == one.name) of_class += account.preemptions;
      }
      CHECK(one.account.preemptions == of_class);
    }
    CHECK(classes == run.account);
    GoodputLost lost;
    for (const EvictionSummary& one : report.evictions.classes) lost += one.goodput_lost.value_or(GoodputLost{});
    const GoodputLost in_all = run.goodput_lost.value_or(GoodputLost{});
    CHECK(lost.missed == in_all.missed);
    CHECK(lost.missed_preempted == in_all.missed_preempted);
    CHECK(lost.missed_by_recompute == in_all.missed_by_recompute);
    CHECK(in_all.missed_by_recompute <= in_all.missed);
    CHECK(told.of_requests == run.account);
    check_transfers(report, told, scenario.server.host);
    overlapping += run.account.transfers.overlapped() > Duration{} ? 1 : 0;
    CHECK(received == run.blocks_received);

    const auto ends = told.ends;
    std::int64_t discarded = 0;
    std::int64_t most = 0;
    for (const RequestFacts& facts : ends) {
      discarded += facts.discarded_tokens;
      most = std::max(most, facts.preemptions);
      CHECK(facts.recompute_to_first_token <= facts.recompute_to_end);
      CHECK(facts.recompute_to_end <= run.account.recompute_time);
    }
    CHECK(run.account.discarded_tokens == discarded);
    CHECK(run.most == most);
    CHECK(run.account.recompute_time <= told.busy);
    evicting += run.account.preemptions > 0 ? 1 : 0;
    for (const std::vector<GroupReport>* groups : {&report.classes, &report.tenants, &report.priorities}) {
      std::int64_t requests = 0;
      std::int64_t preemptions = 0;
      std::int64_t completed = 0;
      for (const GroupReport& one : *groups) {
        requests += one.requests;
        preemptions += one.preemptions;
        completed += one.completed;
        CHECK(one.longest_wait <= report.starvation.longest_wait);
      }
      CHECK(requests == report.requests_in);
      CHECK(preemptions == run.account.preemptions);
      CHECK(completed == report.completed);
    }
  }
  CHECK(evicting > static_cast<std::int64_t>(last_seed() / 40));
  CHECK(overlapping > static_cast<std::int64_t>(last_seed() / 400));
}

TEST_CASE("a step's recompute time is split by tokens, to the nanosecond") {
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 4; ++i) requests.push_back(request_of(i, "", at(0), 1, 1));
  const std::vector<RecomputeFacts> three{{&requests[2], 1}, {&requests[0], 1}, {&requests[1], 1}};
  // 100 = 34 + 33 + 33: of equal remainders the lowest index gets the one that is left.
  CHECK(split_recompute_time(Duration(100), three) == std::vector<Duration>{Duration(33), Duration(34), Duration(33)});
  const std::vector<RecomputeFacts> uneven{{&requests[0], 1}, {&requests[1], 6}};
  // 10 / 7 = 1 and 3 left, 60 / 7 = 8 and 4 left.
  CHECK(split_recompute_time(Duration(10), uneven) == std::vector<Duration>{Duration(1), Duration(9)});
  CHECK(split_recompute_time(Duration(0), uneven) == std::vector<Duration>{Duration(0), Duration(0)});
  // Hours of recompute times a billion tokens leave 64 bits.
  const std::vector<RecomputeFacts> large{{&requests[0], 999'999'999}, {&requests[1], 1'000'000'000}};
  const std::vector<Duration> shares = split_recompute_time(Duration(40'000'000'000'001), large);
  CHECK(shares[0] + shares[1] == Duration(40'000'000'000'001));
}

TEST_CASE("a step's transfers are split by blocks among its swaps and the host tier, to the nanosecond") {
  const Request a = request_of(0, "", at(0), 1, 1);
  const Request b = request_of(1, "", at(0), 1, 1);
  const std::vector<SwapFacts> swaps{{&b, true, 1}, {&a, false, 1}};
  StepFacts facts;
  facts.swaps = swaps;
  facts.host_tier_blocks = 1;
  facts.transfer_time = Duration(100);
  facts.ledger.spend(TimePart::fixed, BoundBy::fixed, Duration(90));
  facts.ledger.spend_transfers(facts.transfer_time, true);
  CHECK(facts.ledger.duration() == Duration(100));
  CHECK(facts.ledger.hidden_transfers == Duration(90));
  // 100 = 34 + 33 + 33, the lower index before the higher and the host tier last; of the 10 that are waited for 3.4 go to
  // the first, whose remainder is the largest.
  CHECK(split_transfers(facts) == std::vector<TransferTime>{{Duration(33), Duration(3)},
                                                            {Duration(34), Duration(4)},
                                                            {Duration(33), Duration(3)}});
  // Longer than everything else, and shorter than a nanosecond each.
  facts.transfer_time = Duration(2);
  facts.ledger = {};
  facts.ledger.spend_transfers(facts.transfer_time, true);
  CHECK(split_transfers(facts) ==
        std::vector<TransferTime>{{Duration(1), Duration(1)}, {Duration(1), Duration(1)}, {Duration(0), Duration(0)}});
  // Where no time passes nothing is split.
  facts.transfer_time = {};
  facts.ledger = {};
  CHECK(split_transfers(facts) == std::vector<TransferTime>(3));
}

TEST_CASE("the histogram counts requests by their evictions, singly up to four and then in doubling bins") {
  PreemptionHistogram histogram;
  CHECK(histogram.bins().empty());
  for (std::int64_t preemptions : {0, 0, 1, 4, 5, 8, 9, 16, 17}) histogram.add(preemptions);
  const auto bins = histogram.bins();
  REQUIRE(bins.size() == 8);
  const std::vector<std::vector<std::int64_t>> expected{{0, 0, 2}, {1, 1, 1}, {2, 2, 0},  {3, 3, 0},
                                                        {4, 4, 1}, {5, 8, 2}, {9, 16, 2}, {17, 32, 1}};
  for (std::size_t i = 0; i < bins.size(); ++i) {
    CHECK(std::vector<std::int64_t>{bins[i].from, bins[i].to, bins[i].requests} == expected[i]);
  }
  histogram.add(1'000'000'000'000);
  CHECK(requests_in(histogram.bins()) == 10);
  CHECK(histogram.bins().back().from <= 1'000'000'000'000);
  CHECK(histogram.bins().back().to >= 1'000'000'000'000);
}

TEST_CASE("a victim is away from its eviction until it has a place again, or to its end") {
  const Request a = request_of(0, "", at(0), 8, 3);
  Victims victims;
  const std::vector<EvictionFacts> eviction{{.victim = &a, .requester = &a, .tokens = 8, .blocks = 2}};
  StepFacts step = step_of(1, at(1), at(2));
  step.evictions = eviction;
  victims.step(step);
  const std::vector<const Request*> back{&a};
  StepFacts later = step_of(2, at(5), at(6));
  later.entered = back;
  victims.step(later);
  CHECK(victims.longest_away() == seconds(4));
  CHECK(victims.oldest_return() == seconds(5));
  // Evicted and admitted again within one pass it was not away.
  StepFacts both = step_of(3, at(7), at(8));
  both.evictions = eviction;
  both.entered = back;
  victims.step(both);
  victims.step(step_of(4, at(8), at(9)));
  StepFacts last = step_of(5, at(9), at(10));
  last.evictions = eviction;
  victims.step(last);
  RequestFacts end = failed(a, Outcome::unfinished, "the run was interrupted", at(12));
  end.preemptions = 3;
  end.discarded_tokens = 24;
  CHECK(victims.ended(end).away == seconds(4 + 0 + 3));
}

TEST_CASE("an eviction that a request does not know of, or recompute that no step told, is a broken invariant") {
  const Request a = request_of(0, "", at(0), 8, 1);
  RequestFacts end = completed(a, at(0), at(1), at(1));
  CHECK_NOTHROW(Victims().ended(end));
  end.preemptions = 1;
  CHECK_THROWS_AS(Victims().ended(end), BrokenInvariant);
  end.preemptions = 0;
  end.recomputed_tokens = 3;
  CHECK_THROWS_AS(Victims().ended(end), BrokenInvariant);
}

TEST_CASE("goodput lost counts who missed a limit and would have kept it on a clock without recompute") {
  SloSpec slo;
  slo.ttft_p99 = seconds(3);
  slo.e2el_p99 = seconds(8);
  Measurements measurements(header_of(4), {}, slo);
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 4; ++i) requests.push_back(request_of(i, "", at(0), 4, 1));
  for (const Request& request : requests) measurements.arrived(request);
  // Ten steps of a second, of which two seconds are recompute.
  StepFacts step = step_of(1, at(0), at(10));
  step.shape.samples = 4;
  step.recompute_time = seconds(2);
  measurements.step(step);
  const auto end = [&](std::size_t i, std::int64_t first, std::int64_t last, Duration to_first, Duration to_end) {
    RequestFacts facts = completed(requests[i], at(0), at(first), at(last));
    facts.recompute_to_first_token = to_first;
    facts.recompute_to_end = to_end;
    measurements.ended(facts);
  };
  end(0, 3, 8, seconds(1), seconds(2));   // keeps both limits
  end(1, 4, 9, seconds(1), seconds(1));   // keeps both without recompute, exactly
  end(2, 4, 9, seconds(0), seconds(2));   // its first token would still be late
  end(3, 2, 11, seconds(0), seconds(2));  // so would its last
  CHECK(measurements.report().evictions.run.goodput_lost->missed == 3);
  CHECK(measurements.report().evictions.run.goodput_lost->missed_preempted == 0);
  CHECK(measurements.report().evictions.run.goodput_lost->missed_by_recompute == 1);
  CHECK(measurements.report().evictions.run.goodput_lost->per_second == doctest::Approx(1.0 / 11));
}
