// The orders of the queue, against sorting by what they are said to go by.

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <tuple>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/serving/ageing.hpp"
#include "sim/serving/paged_memory.hpp"
#include "sim/serving/policy_factories.hpp"
#include "sim/serving/waiting_queue.hpp"
#include "tests/support/draws.hpp"

namespace decodesim::tests {

namespace {

/// What a policy sees of a waiting sequence, few values each so that there are many ties.
Sequence any_sequence(Draws& draws, std::int64_t index) {
  Sequence sequence;
  sequence.request.index = index;
  sequence.request.arrival = Time(Duration(index));
  if (draws.chance(70)) sequence.request.deadline = Duration(draws.between(0, 9));
  sequence.predicted = draws.between(1, 6);
  sequence.generated = draws.between(0, 3);
  sequence.waited = Duration(draws.between(0, 5));
  sequence.waits_since = Time(Duration(draws.between(0, 12)));
  return sequence;
}

using Precedes = std::function<bool(const Sequence&, const Sequence&)>;

/// Fills a queue at random, takes some out at random, and compares it with a list that is sorted by `precedes`.
void compare(std::unique_ptr<QueueOrder> (*make)(const ServerConfig&), const ServerConfig& server,
             const Precedes& precedes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draws draws(seed);
    WaitingQueue queue(make(server));
    REQUIRE(queue.sorted());
    std::deque<Sequence> storage;
    std::vector<Sequence*> expected;
    for (int step = 0; step < 60; ++step) {
      if (!expected.empty() && draws.chance(30)) {
        const auto place = draws.between(0, static_cast<std::int64_t>(expected.size()) - 1);
        queue.remove(*expected[static_cast<std::size_t>(place)]);
        expected.erase(expected.begin() + place);
      } else {
        storage.push_back(any_sequence(draws, step));
        expected.push_back(&storage.back());
        draws.chance(50) ? queue.push_back(storage.back()) : queue.push_front(storage.back());
      }
      std::sort(expected.begin(), expected.end(),
                [&](const Sequence* a, const Sequence* b) { return precedes(*a, *b); });
      std::vector<const Sequence*> seen;
      queue.for_each([&](const Sequence& sequence) { seen.push_back(&sequence); });
      REQUIRE(seen == std::vector<const Sequence*>(expected.begin(), expected.end()));
      if (!expected.empty()) REQUIRE(&queue.head() == expected.front());
    }
  }
}

}  // namespace

TEST_CASE("under sjf the shortest predicted output goes first, less a token for each so long waited") {
  ServerConfig server;
  SUBCASE("without ageing") {
    compare(make_sjf_order, server, [](const Sequence& a, const Sequence& b) {
      return std::tie(a.predicted, a.request.index) < std::tie(b.predicted, b.request.index);
    });
  }
  SUBCASE("with ageing") {
    server.scheduler.ageing = Duration(2);
    compare(make_sjf_order, server, [](const Sequence& a, const Sequence& b) {
      // As of the instant 12: twice the tokens less what was waited.
      const auto key = [](const Sequence& s) {
        return 2 * s.predicted - (s.waited + (Time(Duration(12)) - s.waits_since)).count();
      };
      return std::tuple(key(a), a.predicted, a.request.index) < std::tuple(key(b), b.predicted, b.request.index);
    });
  }
}

TEST_CASE("under srpt the shortest predicted rest goes first, less a token for each so long waited") {
  ServerConfig server;
  const auto rest = [](const Sequence& s) { return s.predicted - s.generated; };
  SUBCASE("without ageing") {
    compare(make_srpt_order, server, [&](const Sequence& a, const Sequence& b) {
      return std::tuple(rest(a), a.request.index) < std::tuple(rest(b), b.request.index);
    });
  }
  SUBCASE("with ageing") {
    server.scheduler.ageing = Duration(3);
    compare(make_srpt_order, server, [&](const Sequence& a, const Sequence& b) {
      const auto key = [&](const Sequence& s) {
        return 3 * rest(s) - (s.waited + (Time(Duration(12)) - s.waits_since)).count();
      };
      return std::tuple(key(a), rest(a), a.request.index) < std::tuple(key(b), rest(b), b.request.index);
    });
  }
}

TEST_CASE("under deadline the earliest goes first, and those without one last") {
  compare(make_deadline_order, ServerConfig{}, [](const Sequence& a, const Sequence& b) {
    const auto due = [](const Sequence& s) {
      const Request& request = s.request;
      return request.deadline ? (request.arrival + *request.deadline).time_since_epoch().count() : 1'000'000;
    };
    return std::tuple(due(a), a.request.index) < std::tuple(due(b), b.request.index);
  });
}

TEST_CASE("under random each request keeps the number that it drew, and another seed draws others") {
  ServerConfig server;
  server.seed = 11;
  const IndexedDraws draws(11, "queue order");
  compare(make_random_order, server, [&](const Sequence& a, const Sequence& b) {
    return draws.number(a.request.index) < draws.number(b.request.index);
  });
  ServerConfig other;
  other.seed = 12;
  const auto one = make_random_order(server);
  const auto two = make_random_order(other);
  std::int64_t agree = 0;
  Draws any(1);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Sequence a = any_sequence(any, 2 * i);
    const Sequence b = any_sequence(any, 2 * i + 1);
    agree += one->before(a, b) == two->before(a, b) ? 1 : 0;
  }
  CHECK(agree > 400);
  CHECK(agree < 600);
}

TEST_CASE("under longest-prefix the head is who finds most by a full look-up, at any state of the cache") {
  std::int64_t overtakes = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draws draws(seed);
    const std::int64_t block_size = draws.between(1, 3);
    PagedMemory memory(draws.between(8, 30), block_size, {.on = true, .uncached_free_to_front = draws.chance(50)});
    std::unique_ptr<QueueOrder> order = make_longest_prefix_order({});
    order->finds_in(memory);
    WaitingQueue queue(std::move(order));
    std::deque<Sequence> storage;
    std::vector<Sequence*> waiting;  // in the order in which they came
    std::vector<Sequence*> running;
    for (int step = 0; step < 80; ++step) {
      if (draws.chance(50)) {
        Sequence& sequence = storage.emplace_back();
        sequence.request.index = step;
        sequence.request.arrival = Time(Duration(step));
        sequence.request.input_tokens = draws.between(1, 15);
        sequence.request.no_prefix_read = draws.chance(10);
        for (std::int64_t token = 0; token < sequence.request.input_tokens; ++token)
          sequence.request.content.push_back({draws.chance(80) ? std::uint64_t{1} : std::uint64_t{2}, 1});
        queue.push_back(sequence);
        waiting.push_back(&sequence);
      } else if (!running.empty() && draws.chance(50)) {
        memory.release(*running.front(), Released::finished);
        running.erase(running.begin());
      }
      if (waiting.empty()) continue;
      Sequence* most = waiting.front();
      for (Sequence* one : waiting) {
        if (memory.find_prefix(*one).blocks > memory.find_prefix(*most).blocks) most = one;
      }
      REQUIRE(&queue.head() == most);
      overtakes += most != waiting.front() ? 1 : 0;
      const PrefixHit hit = memory.find_prefix(*most);
      if (draws.chance(40) || memory.missing(*most, most->known()) + hit.unreferenced > memory.free()) continue;
      queue.admit(*most);
      std::erase(waiting, most);
      memory.take_prefix(*most, hit.blocks);
      REQUIRE(memory.grow(*most, most->known()));
      memory.register_full(*most, hit.blocks * block_size, most->known());
      running.push_back(most);
    }
  }
  CHECK(overtakes > 500);
}

TEST_CASE("ageing compares tokens less waiting exactly, and nothing overflows") {
  Draws draws(7);
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t per_token = draws.between(1, 9);
    const std::int64_t a = draws.between(0, 20);
    const std::int64_t b = draws.between(0, 20);
    const std::int64_t a_waited = draws.between(-90, 90);
    const std::int64_t b_waited = draws.between(-90, 90);
    const std::int64_t difference = (a * per_token - a_waited) - (b * per_token - b_waited);
    const bool before = Ageing(Duration(per_token)).before({a, Duration(a_waited), i % 2}, {b, Duration(b_waited), 1});
    // Of equal ones the one of fewer tokens, then the first that came.
    REQUIRE(before == (difference != 0 ? difference < 0 : a != b ? a < b : i % 2 == 0));
  }
  const Ageing slow(std::chrono::hours(1000));
  CHECK(!slow.before({1'000'000'000'000, Duration(0), 0}, {1, Duration(0), 1}));
  CHECK(slow.before({1, std::chrono::hours(24 * 365 * 100), 1}, {1'000'000'000'000, Duration(0), 0}));
  CHECK(!Ageing(Duration(0)).before({2, std::chrono::hours(9), 0}, {1, Duration(0), 1}));
}

}  // namespace decodesim::tests
