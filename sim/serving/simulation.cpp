#include "sim/serving/simulation.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "sim/core/event_queue.hpp"
#include "sim/serving/replica.hpp"

namespace decodesim {

namespace {

struct StepEnds {};
struct RequestArrives {};
struct PassIsDue {};  // a fixed grid starts its passes on time, not when something happens
struct LoadEnds {};   // nobody runs who would notice
using Event = std::variant<StepEnds, RequestArrives, PassIsDue, LoadEnds>;

constexpr Duration year{std::int64_t{365} * 86'400 * 1'000'000'000};

// Within an instant: what ends, then what arrives, then what is decided.
enum Phase : std::uint32_t { phase_ends, phase_arrives, phase_decides };

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
      now_ = queue_.next_time();
      while (!queue_.empty() && queue_.next_time() == now_ && !stopped())
        std::visit([this](auto event) { handle(event); }, queue_.pop());
      settle();
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
    if (const auto places = source_.concurrency()) {
      places_free_ = *places;
    } else {
      await_next();
    }
  }

  void await_next() {
    upcoming_ = source_.next();
    if (upcoming_) queue_.push(upcoming_->arrival, phase_arrives, RequestArrives{});
  }

  void handle(RequestArrives) {
    Request request = std::move(*upcoming_);
    await_next();
    arrive(std::move(request));
  }

  // In a closed loop every place that became free is taken at once by the next request. A request that is refused on the
  // spot frees its place again.
  void fill_places() {
    while (places_free_ > 0 && !stopped()) {
      std::optional<Request> request = source_.next();
      if (!request) {
        places_free_ = 0;
        return;
      }
      --places_free_;
      request->arrival = now_;
      arrive(std::move(*request));
    }
  }

  void arrive(Request request) {
    for (Observer* observer : observers_) observer->arrived(request);
    const std::string_view refusal = replica_.refusal(request);
    if (refusal.empty()) return replica_.enqueue(std::move(request));
    replica_.note_refusal();
    tell_ended({.request = &request, .outcome = Outcome::rejected, .reason = refusal, .ended = now_});
  }

  void tell_ended(const RequestFacts& facts) {
    facts_.end = now_;
    for (Observer* observer : observers_) observer->ended(facts);
    if (source_.concurrency()) ++places_free_;
  }

  // Change: the step that ends -----------------------------------------------------------------------------------------

  void handle(StepEnds) { end_step(); }

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

  void handle(PassIsDue) { pass_due_ = false; }
  void handle(LoadEnds) {}

  // Everything of this instant has been applied: fills the places of a closed loop and lets the scheduler decide, again
  // where a pass took no time.
  void settle() {
    fill_places();
    while (!replica_.busy() && replica_.in_system() > 0 && facts_.watchdog.empty()) {
      if (stopped() || (grid() && !on_grid())) return;
      const bool planned = replica_.plan(next_pass_, now_, grid());
      facts_.watchdog = replica_.stuck(!planned, no_more_arrivals());
      if (!planned && !grid()) return await_load();
      ++next_pass_;
      // An engine that plans ahead lets go only now who got its last token with the step before.
      tell_departures();
      fill_places();
      const Duration duration = replica_.step_duration();
      if (duration > horizon - now_.time_since_epoch()) {
        facts_.watchdog = "the clock of the simulation would pass " + std::to_string(horizon / year) + " years";
        return;
      }
      if (duration > Duration{}) {
        queue_.push(now_ + duration, phase_ends, StepEnds{});
      } else {
        end_step();
        fill_places();
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

  // In a closed loop nobody arrives unless somebody leaves.
  [[nodiscard]] bool no_more_arrivals() const { return source_.concurrency().has_value() || !upcoming_; }

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
  std::optional<Request> upcoming_;  // open loop: the next arrival
  std::int64_t places_free_ = 0;     // closed loop: places that no request has taken yet
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
