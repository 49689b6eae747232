#include "sim/serving/simulation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "sim/core/event_queue.hpp"
#include "sim/serving/leaving.hpp"
#include "sim/serving/replica.hpp"

namespace decodesim {

namespace {

struct StepEnds {};
struct ClientLeaves {
  std::int64_t index = 0;  // of the request, which may have ended by then
};
struct RequestArrives {};
struct PassIsDue {};  // a fixed grid starts its passes on time, not when something happens
struct LoadEnds {};   // nobody runs who would notice
using Event = std::variant<StepEnds, ClientLeaves, RequestArrives, PassIsDue, LoadEnds>;

// More than that in one instant, and eight times as many as there are places, and a loop will not leave the instant.
constexpr std::int64_t ended_at_once_max = 1'000'000;

constexpr Duration year{std::int64_t{365} * 86'400 * 1'000'000'000};

// No sum of a time and a duration of the workload may pass the end of the clock.
Time after(Time time, Duration wait) {
  const Time last = Time{} + horizon;
  return time > last || wait > last - time ? std::max(time, last) : time + wait;
}

// Within an instant: what ends, then who leaves, then who arrives, then what is decided. So who gets the last token in the
// instant of its timeout was answered in time.
enum Phase : std::uint32_t { phase_ends, phase_leaves, phase_arrives, phase_decides };

// Who thinks, by its arrival; in one instant the smaller index goes first.
struct Due {
  Time arrival{};
  std::int64_t index = 0;
  friend auto operator<=>(const Due&, const Due&) = default;
};

class Simulation {
 public:
  Simulation(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers,
             const std::atomic<bool>* stop)
      : server_(server),
        source_(source),
        observers_(observers),
        stop_(stop),
        replica_(server, anyone_wants(&Observer::wants_schedule), anyone_wants(&Observer::wants_memory)) {}

  RunFacts run() {
    open_source();
    settle();
    while (!queue_.empty() && facts_.watchdog.empty() && !stopped()) {
      if (queue_.next_time() > now_) ended_at_once_ = 0;
      now_ = queue_.next_time();
      happened_ = false;
      while (!queue_.empty() && queue_.next_time() == now_ && !stopped())
        std::visit([this](auto event) { handle(event); }, queue_.pop());
      if (happened_) settle();
    }
    close();
    return facts_;
  }

 private:
  [[nodiscard]] bool grid() const { return server_.grid_step > Duration{}; }
  // Asked wherever a run can spend long: at every event, pass and arrival of a closed loop.
  bool stopped() {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) facts_.interrupted = true;
    return facts_.interrupted;
  }
  [[nodiscard]] bool anyone_wants(bool (Observer::*facts)() const) const {
    for (const Observer* observer : observers_) {
      if ((observer->*facts)()) return true;
    }
    return false;
  }

  // Change: arrivals ---------------------------------------------------------------------------------------------------

  void open_source() {
    closes_ = source_.closes();
    if (const auto places = source_.concurrency()) {
      places_free_ = places_untouched_ = *places;
    } else {
      await_next();
    }
  }

  void await_next() {
    upcoming_ = source_.next();
    if (upcoming_) queue_.push(upcoming_->arrival, phase_arrives, RequestArrives{});
  }

  // A turn, or who takes a place: it thinks until its arrival. Nobody asks any more once the source is closed.
  void await(Request&& request) {
    if (closes_ && request.arrival >= *closes_) return;
    if (request.arrival > now_) queue_.push(request.arrival, phase_arrives, RequestArrives{});
    const Due due{request.arrival, request.index};
    thinking_.emplace(due, std::move(request));
  }

  void handle(RequestArrives) { admit_due(); }

  // All who arrive at this instant, by their index: those of an open loop, turns, and who takes a place of a closed one. Who
  // is refused on the spot may free its place again, or set its next turn off.
  void admit_due() {
    for (;;) {
      fill_places();
      const bool open = upcoming_ && upcoming_->arrival == now_;
      const bool thought = !thinking_.empty() && thinking_.begin()->first.arrival == now_;
      if ((!open && !thought) || !facts_.watchdog.empty() || stopped()) return;
      happened_ = true;
      if (open && (!thought || upcoming_->index < thinking_.begin()->first.index)) {
        arrive(std::move(*upcoming_));
        await_next();
      } else {
        auto due = thinking_.extract(thinking_.begin());
        arrive(std::move(due.mapped()));
      }
    }
  }

  // In a closed loop every place that became free is taken by the next request, which thinks before it arrives; but the first
  // ones have thought when the run begins.
  void fill_places() {
    while (places_free_ > 0 && !closed() && !stopped()) {
      std::optional<Request> request = source_.next();
      if (!request) {
        places_free_ = 0;
        return;
      }
      --places_free_;
      request->arrival = places_untouched_ > 0 ? now_ : after(now_, request->think_time);
      if (places_untouched_ > 0) --places_untouched_;
      await(std::move(*request));
    }
  }
  [[nodiscard]] bool closed() const { return closes_ && now_ >= *closes_; }

  void arrive(Request&& request) {
    for (Observer* observer : observers_) observer->arrived(request);
    const std::string_view refusal = replica_.refusal(request);
    if (!refusal.empty()) {
      replica_.note_refusal();
      return tell_ended({.request = &request, .outcome = Outcome::rejected, .reason = refusal, .ended = now_});
    }
    if (const auto leaving = leaving_of(request))
      queue_.push(after(now_, leaving->after), phase_leaves, ClientLeaves{request.index});
    replica_.enqueue(std::move(request));
  }

  // Change: who leaves -------------------------------------------------------------------------------------------------

  void handle(ClientLeaves event) { leave(event.index); }

  void leave(std::int64_t index) {
    if (!replica_.leave(index, now_)) return;
    happened_ = true;
    tell_departures();
  }

  void tell_ended(const RequestFacts& facts) {
    facts_.end = now_;
    for (Observer* observer : observers_) observer->ended(facts);
    if (facts.outcome == Outcome::unfinished) return;
    watch_the_clock();
    go_on(*facts.request, facts.outcome == Outcome::completed);
  }

  // A loop that only a duration closes never comes to it where whoever takes a place leaves it again at once.
  void watch_the_clock() {
    const auto places = source_.concurrency();
    if (++ended_at_once_ <= ended_at_once_max || !closes_ || !places || ended_at_once_ <= 8 * *places) return;
    facts_.watchdog =
        "the clock stands still: more than a million requests came and ended within one instant; state "
        "workload.num_requests or workload.think_time, or requests that the server can take";
  }

  // What follows in the session of a request that ended. Where it was not answered its other turns are not asked: they come
  // and go at this instant. The place of a session is free when its last turn ended.
  void go_on(const Request& ended, bool answered) {
    std::optional<Request> turn = source_.next_turn(ended);
    while (turn && !answered && !closed()) {
      turn->arrival = now_;
      for (Observer* observer : observers_) observer->arrived(*turn);
      const RequestFacts facts{
          .request = &*turn, .outcome = Outcome::cancelled, .reason = reason_turn_unanswered, .ended = now_};
      for (Observer* observer : observers_) observer->ended(facts);
      turn = source_.next_turn(*turn);
    }
    if (turn && answered) {
      turn->arrival = std::max(after(now_, turn->think_time), turn->arrival);
      return await(std::move(*turn));
    }
    if (!turn && source_.concurrency()) ++places_free_;
  }

  // Change: the step that ends -----------------------------------------------------------------------------------------

  void handle(StepEnds) {
    happened_ = true;
    end_step();
  }

  void end_step() {
    replica_.complete(now_);
    facts_.end = now_;
    for (Observer* observer : observers_) observer->step(replica_.facts());
    tell_departures();
  }

  void tell_departures() {
    for (const Departure& departure : replica_.departures()) tell_ended(replica_.facts_of(departure, now_));
    replica_.dismiss_departed();
  }

  // Decide -------------------------------------------------------------------------------------------------------------

  void handle(PassIsDue) {
    happened_ = true;
    pass_due_ = false;
  }
  // Who loaded may have left meanwhile, and the server may wait for another by now.
  void handle(LoadEnds) { happened_ = happened_ || awaited_load_ == now_; }

  // Everything of this instant has been applied, but for arrivals that it set off: lets these come and the scheduler decide,
  // again where a pass took no time.
  void settle() {
    admit_due();
    while (!replica_.busy() && replica_.in_system() > 0 && facts_.watchdog.empty()) {
      if (stopped() || (grid() && !on_grid())) return;
      const bool planned = replica_.plan(next_pass_, now_, grid());
      facts_.watchdog = replica_.stuck(!planned, nothing_is_due());
      if (!planned && !grid()) return await_load();
      ++next_pass_;
      // An engine that plans ahead lets go only now who got its last token with the step before, or takes that token back.
      tell_departures();
      for (const std::int64_t index : replica_.take_due()) leave(index);
      admit_due();
      const Duration duration = replica_.step_duration();
      if (duration > horizon - now_.time_since_epoch()) {
        facts_.watchdog = "the clock of the simulation would pass " + std::to_string(horizon / year) + " years";
        return;
      }
      if (duration > Duration{}) {
        queue_.push(now_ + duration, phase_ends, StepEnds{});
      } else {
        end_step();
        admit_due();
      }
    }
  }

  void await_load() {
    const std::optional<Time> next = replica_.next_load();
    if (next && next != awaited_load_) queue_.push(*next, phase_decides, LoadEnds{});
    awaited_load_ = next;
  }

  // Pass t of a grid starts at (t-1) steps. True where one starts now; passes that went by while the server was empty are
  // told first. Otherwise the next one is awaited.
  bool on_grid() {
    const Time start = Time{} + (next_pass_ - 1) * server_.grid_step;
    const std::int64_t gone = (now_ - start + server_.grid_step - Duration(1)) / server_.grid_step;
    const Time due = start + gone * server_.grid_step;
    if (due > now_) {
      if (!pass_due_) queue_.push(due, phase_decides, PassIsDue{});
      pass_due_ = true;
      return false;
    }
    if (gone > 0) {
      for (Observer* observer : observers_) observer->idle(next_pass_, gone, start, replica_.free_blocks());
      next_pass_ += gone;
    }
    return true;
  }

  // Nobody comes who could change anything, and nobody leaves. In a closed loop nobody arrives unless somebody leaves.
  [[nodiscard]] bool nothing_is_due() const { return !upcoming_ && thinking_.empty() && !replica_.anyone_may_leave(); }

  // The end ------------------------------------------------------------------------------------------------------------

  void close() {
    // A pass that was planned is still played and told, whatever ends the run: what it evicted and computed again is
    // already in its requests' accounts. Its end lies below two horizons, which is no overflow.
    if (replica_.busy()) {
      now_ = replica_.facts().start + replica_.step_duration();
      end_step();
    }
    replica_.release_held();
    tell_departures();
    replica_.abandon(facts_.interrupted ? reason_interrupted : reason_watchdog);
    for (const Departure& departure : replica_.departures()) tell_ended(replica_.facts_of(departure, now_));
    for (Observer* observer : observers_) observer->run_ended(facts_);
  }

  const ServerConfig& server_;
  RequestSource& source_;
  std::span<Observer* const> observers_;
  const std::atomic<bool>* stop_;
  Replica replica_;
  EventQueue<Event> queue_;
  Time now_{};
  std::int64_t ended_at_once_ = 0;     // requests, in this instant
  bool happened_ = false;              // in this instant, so that deciding again may come to something else
  std::optional<Time> closes_;         // nobody asks from then on
  std::optional<Request> upcoming_;    // open loop: the next arrival
  std::map<Due, Request> thinking_;    // turns, and who takes a place of a closed loop
  std::int64_t places_free_ = 0;       // closed loop: places that no request has taken yet
  std::int64_t places_untouched_ = 0;  // that none ever took
  bool pass_due_ = false;
  std::optional<Time> awaited_load_;
  std::int64_t next_pass_ = 1;
  RunFacts facts_;
};

}  // namespace

RunFacts simulate(const ServerConfig& server, RequestSource& source, std::span<Observer* const> observers,
                  const std::atomic<bool>* stop) {
  return Simulation(server, source, observers, stop).run();
}

}  // namespace decodesim
