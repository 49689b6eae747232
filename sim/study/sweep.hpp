#pragma once
// Every point of a sweep played, and a row for each.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/scenario/sweep_points.hpp"

namespace decodesim {

/// What became of a point. `infeasible`: no server could be started with it; `failed`: its run could not go on;
/// `not_played`: an interruption came first, or the points were only to be listed.
enum class PointStatus { done, infeasible, failed, not_played };
inline constexpr std::array<std::string_view, 4> point_status_names{"done", "infeasible", "failed", "not_played"};

/// All that a row says beside its point. It depends on the point's scenario alone, so it can be kept under its hash.
struct PointResult {
  PointStatus status = PointStatus::not_played;
  std::string why;                    // it is infeasible or failed, as a sentence
  std::vector<double> metrics;        // of sweep_metrics(); empty unless it is done
  std::string batch_limit;            // what held the batch down, as a noun
  std::string binding;                // the same as a sentence, with what steps waited for
  std::optional<bool> slo_met;        // absent where the scenario sets no limit
  std::vector<std::string> warnings;  // of its deployment, and of its run: too few requests, a window that never closed
  std::vector<std::string> deployment_warnings;
  std::vector<std::string> oracles;  // what its policies know that no real server could
};

/// A column of numbers.
struct SweepMetric {
  std::string_view name;   // as JSON and CSV call it; that of `run --json` where it has it
  std::string_view label;  // in tables; empty: tables leave it out
  bool count = false;      // a whole number
};
std::span<const SweepMetric> sweep_metrics();

struct Sweep {
  std::string version;
  std::string file;  // as the user named it
  SweepPoints points;
  std::vector<PointResult> results;  // of each point
  bool interrupted = false;

  [[nodiscard]] bool any(PointStatus status) const;
};

/// One point played from its beginning to its end.
PointResult play_point(const SweepPoint& point, const std::string& version, const std::atomic<bool>& stop);

/// Plays all points, `jobs` at a time. No result depends on `jobs`, and results stand in the order of the points. Where `stop`
/// becomes true, runs in progress are thrown away and the rest is not played. `told` is called after every point that
/// was played with how many of those are done, from one thread at a time.
Sweep run_sweep(SweepPoints points, const std::string& version, std::int64_t jobs, const std::atomic<bool>& stop,
                const std::function<void(std::int64_t done, std::int64_t all)>& told);

/// The same with no point played, so that they can be looked at first; only what is infeasible is known.
Sweep listed(SweepPoints points, const std::string& version);

/// A row a point with what is varied and what came of it, then why points could not be played.
void write_text(const Sweep& sweep, std::ostream& out);
/// The points alone, with the hashes of their scenarios.
void write_list(const Sweep& sweep, std::ostream& out);
/// One JSON document with everything.
void write_json(const Sweep& sweep, std::ostream& out);
/// A line a point; what is varied has columns named by its paths.
void write_csv(const Sweep& sweep, std::ostream& out);

}  // namespace decodesim
