#include "sim/study/played_seeds.hpp"

#include <cstddef>
#include <mutex>
#include <utility>

#include "sim/study/metric.hpp"
#include "sim/study/played_scenario.hpp"
#include "sim/study/side_by_side.hpp"

namespace decodesim {

namespace {

/// One run to play, and where it went.
struct Run {
  std::size_t variant = 0;
  std::int64_t seed = 0;  // which one, from 0
};

/// What the threads share: the runs to play, and what became of those before.
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

  /// Plays one of the runs, unless it is not wanted any more. A variant that failed at one seed is not played on later ones.
  /// Earlier ones are still played, so that the seed whose failure is told does not depend on which thread was first.
  void work(std::size_t index) {
    const Run& run = runs_[index];
    if (!is_wanted(run)) return;
    Scenario scenario = *variants_[run.variant].scenario;
    scenario.run.seed = study_.first_seed + static_cast<std::uint64_t>(run.seed);
    note(run, play_scenario(scenario, study_.version, stop_));
  }

  std::vector<PlayedSeeds> results() { return std::move(results_); }
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

 private:
  bool is_wanted(const Run& run) {
    if (stop_.load(std::memory_order_relaxed)) return false;
    const std::scoped_lock lock(mutex_);
    if (run.seed < failed_seed_[run.variant]) return true;
    ++done_;
    return false;
  }

  void note(const Run& run, PlayedScenario played) {
    const std::scoped_lock lock(mutex_);
    ++done_;
    PlayedSeeds& result = results_[run.variant];
    if (!played.interrupted && played.objection.empty()) {
      for (const Metric& metric : metric_table())
        result.seeds[static_cast<std::size_t>(run.seed)].push_back(metric.of(played.report));
      if (run.seed == 0) result.warnings = std::move(played.report.header.warnings);
      if (run.seed == 0) result.oracles = std::move(played.report.header.oracles);
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
  std::int64_t done_ = 0;
};

}  // namespace

std::vector<PlayedSeeds> play_seeds(std::span<const Variant> variants, const StudySpec& study,
                                    const std::atomic<bool>& stop,
                                    const std::function<void(std::int64_t done, std::int64_t all)>& told) {
  Board board(variants, study, stop, told);
  side_by_side(board.runs(), study.jobs, [&board](std::size_t index) { board.work(index); });
  return board.results();
}

}  // namespace decodesim
