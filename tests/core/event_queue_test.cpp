#include "sim/core/event_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/random.hpp"

namespace decodesim {

namespace {

/// An event of the model: a plain list of them, kept in order by std::stable_sort.
struct Modelled {
  Time time;
  std::uint32_t phase;
  int event;
};

bool earlier(const Modelled& a, const Modelled& b) { return a.time != b.time ? a.time < b.time : a.phase < b.phase; }

}  // namespace

TEST_CASE("events come out by time, then phase, then insertion, as a stable sort would order them") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Stream chance(seed, "event queue");
    EventQueue<int> queue;
    std::vector<Modelled> model;
    Time now{};
    int pushed = 0;
    for (int action = 0; action < 400; ++action) {
      if (model.empty() || chance.integer(0, 99) < 55) {
        // Few distinct times and phases, so that ties are the rule.
        const Time time = now + Duration(chance.integer(0, 3));
        const auto phase = static_cast<std::uint32_t>(chance.integer(0, 2));
        queue.push(time, phase, pushed);
        model.push_back({time, phase, pushed});
        ++pushed;
      } else {
        std::stable_sort(model.begin(), model.end(), earlier);
        REQUIRE(queue.next_time() == model.front().time);
        REQUIRE(queue.pop() == model.front().event);
        now = model.front().time;
        model.erase(model.begin());
      }
      REQUIRE(queue.size() == model.size());
      REQUIRE(queue.empty() == model.empty());
    }
  }
}

TEST_CASE("an event pushed while its own instant is played still goes by phase and insertion") {
  EventQueue<std::string> queue;
  queue.push(Time(Duration(5)), 1, "first of phase 1");
  queue.push(Time(Duration(5)), 1, "second of phase 1");
  CHECK(queue.pop() == "first of phase 1");
  queue.push(Time(Duration(5)), 0, "phase 0, late");
  queue.push(Time(Duration(5)), 1, "third of phase 1");
  CHECK(queue.pop() == "phase 0, late");
  CHECK(queue.pop() == "second of phase 1");
  CHECK(queue.pop() == "third of phase 1");
  CHECK(queue.empty());
}

TEST_CASE("nothing is scheduled into the past") {
  EventQueue<int> queue;
  queue.push(Time(Duration(10)), 0, 1);
  queue.push(Time(Duration(3)), 0, 2);  // before anything was taken, any order will do
  CHECK(queue.pop() == 2);
  CHECK_NOTHROW(queue.push(Time(Duration(3)), 0, 3));
  CHECK_THROWS_AS(queue.push(Time(Duration(2)), 0, 4), BrokenInvariant);
  CHECK(queue.size() == 2);
}

}  // namespace decodesim
