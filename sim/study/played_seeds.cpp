#include "sim/study/played_seeds.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "sim/report/measurements.hpp"
#include "sim/scenario/assemble.hpp"
#include "sim/study/metric.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

/// One run to play, and where it went.
struct Run {
  std::size_t variant = 0;
  std::int64_t seed = 0;  // which one, from 0
};

struct Played {
  std::vector<double> metrics;
  std::string objection;
  std::vector<std::string> warnings;
  std::vector<std::string> oracles;
  bool interrupted = false;
};

Played play(Scenario scenario, std::uint64_t seed, const std::string& version, const std::atomic<bool>& stop) {
  scenario.run.seed = seed;
  Played played;
  try {
    Assembly parts = assemble(scenario, version);
    played.warnings = parts.header.warnings;
    played.oracles = parts.header.oracles;
    Measurements measurements(std::move(parts.header), scenario.run, scenario.slo, parts.class_slos);
    Observer* const observers[] = {&measurements};
    const RunFacts facts = simulate(parts.server, *parts.source, observers, &stop);
    played.interrupted = facts.interrupted;
    if (!facts.watchdog.empty()) played.objection = "the watchdog ended the run: " + facts.watchdog;
    const Report report = measurements.report();
    for (const Metric& metric : metric_table()) played.metrics.push_back(metric.of(report));
  } catch (const TraceError& error) {
    played.objection = error.what();
  }
  return played;
}

/// What the threads share: the next run to play, and what became of those before.
class Board {
 public:
  Board(std::span<const Variant> variants, const StudySpec& study, const std::atomic<bool>& stop,
        const std::function<void(std::int64_t, std::int64_t)>& told)
      : variants_(variants), study_(study), stop_(stop), told_(told), results_(variants.size()) {
    for (std::size_t v = 0; v < variants.size(); ++v) {
      results_[v].seeds.resize(static_cast<std::size_t>(study.seeds));
      results_[v].objection = variants[v].objection;
      failed_seed_.push_back(study.seeds);
    }
    // Seed by seed, so that an interruption leaves as many whole rows as it can.
    for (std::int64_t seed = 0; seed < study.seeds; ++seed) {
      for (std::size_t v = 0; v < variants.size(); ++v) {
        if (variants[v].scenario && variants[v].objection.empty()) runs_.push_back({v, seed});
      }
    }
  }

  /// Plays one run after the other until none is left. Never throws.
  void work() {
    while (const std::optional<Run> run = take()) {
      try {
        const std::uint64_t seed = study_.first_seed + static_cast<std::uint64_t>(run->seed);
        note(*run, play(*variants_[run->variant].scenario, seed, study_.version, stop_));
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        // The fault of the earliest run is told, whichever thread was first.
        if (!fault_ || place(*run) < fault_place_) {
          fault_ = std::current_exception();
          fault_place_ = place(*run);
        }
        next_ = runs_.size();
      }
    }
  }

  std::vector<PlayedSeeds> results() {
    if (fault_) std::rethrow_exception(fault_);
    return std::move(results_);
  }
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

 private:
  [[nodiscard]] std::size_t place(const Run& run) const {
    return static_cast<std::size_t>(run.seed) * variants_.size() + run.variant;
  }

  // A variant that failed at one seed is not played on later ones. Earlier ones are still played, so that the seed whose
  // failure is told does not depend on which thread was first.
  std::optional<Run> take() {
    const std::scoped_lock lock(mutex_);
    while (next_ < runs_.size() && !stop_.load(std::memory_order_relaxed)) {
      const Run run = runs_[next_++];
      if (run.seed < failed_seed_[run.variant]) return run;
      ++done_;
    }
    return std::nullopt;
  }

  void note(const Run& run, Played played) {
    const std::scoped_lock lock(mutex_);
    ++done_;
    PlayedSeeds& result = results_[run.variant];
    if (!played.interrupted && played.objection.empty()) {
      result.seeds[static_cast<std::size_t>(run.seed)] = std::move(played.metrics);
      if (run.seed == 0) result.warnings = std::move(played.warnings);
      if (run.seed == 0) result.oracles = std::move(played.oracles);
    } else if (!played.interrupted && run.seed < failed_seed_[run.variant]) {
      failed_seed_[run.variant] = run.seed;
      const std::uint64_t seed = study_.first_seed + static_cast<std::uint64_t>(run.seed);
      result.objection = "seed " + std::to_string(seed) + ": " + played.objection;
    }
    if (told_) told_(done_, static_cast<std::int64_t>(runs_.size()));
  }

  std::span<const Variant> variants_;
  const StudySpec& study_;
  const std::atomic<bool>& stop_;
  const std::function<void(std::int64_t, std::int64_t)>& told_;
  std::vector<PlayedSeeds> results_;
  std::vector<std::int64_t> failed_seed_;  // of each variant the lowest; the number of seeds where none failed
  std::vector<Run> runs_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::int64_t done_ = 0;
  std::exception_ptr fault_;
  std::size_t fault_place_ = 0;
};

}  // namespace

std::vector<PlayedSeeds> play_seeds(std::span<const Variant> variants, const StudySpec& study,
                                    const std::atomic<bool>& stop,
                                    const std::function<void(std::int64_t done, std::int64_t all)>& told) {
  Board board(variants, study, stop, told);
  const std::size_t threads = std::min(static_cast<std::size_t>(study.jobs), board.runs());
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < threads) others.emplace_back([&board] { board.work(); });
  } catch (const std::system_error&) {
    // Fewer threads than were asked for are as good, only slower.
  }
  board.work();
  for (std::thread& thread : others) thread.join();
  return board.results();
}

}  // namespace decodesim
