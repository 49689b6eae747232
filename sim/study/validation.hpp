#pragma once
// Predictions held against measurements, row by row, and what the errors come to.

#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/study/measured_point.hpp"
#include "sim/study/played_seeds.hpp"
#include "sim/study/point_variant.hpp"
#include "sim/study/setups.hpp"

namespace decodesim {

/// A measured number beside the simulator's.
struct ValidatedRow {
  std::size_t point = 0;  // of Validation::points
  MeasuredValue measured;
  double predicted = not_measured;
  bool derived = false;  // throughput that follows from TTFT and TPOT, measured and predicted alike; no row of a file
  std::string why_not_held;  // empty: it counts

  /// (predicted - measured) / measured.
  [[nodiscard]] double error() const { return predicted / measured.value - 1; }
  [[nodiscard]] bool held() const { return why_not_held.empty(); }
};

/// A point that is not predicted, and why.
struct RefusedPoint {
  std::size_t point = 0;
  std::string why;
};

/// What a point ran on, as its scenario says.
struct PointDeployment {
  std::string setup;  // name of its set-up; empty: none
  std::string gpu;
  std::string engine;
  std::string cost;       // the cost model
  std::string constants;  // of the engine under it, see trust.hpp
  std::int64_t tp = 0;
  std::string served;  // the model and the format of its weights, as served_in() names them
  bool weak_evidence = false;
};

/// Relative errors of rows that have something in common.
struct ErrorGroup {
  PointDeployment of;            // empty and zero where rows differ
  std::set<std::string> served;  // what the rows ran
  MeasuredMetric metric = MeasuredMetric::ttft_ms;
  std::int64_t rows = 0;
  double median_error = not_measured;  // of absolute relative errors, as is p90
  double p90_error = not_measured;
  double median_signed_error = not_measured;
};

struct Validation {
  std::string version;
  std::vector<std::string> files;
  std::vector<MeasuredPoint> points;
  std::vector<PointDeployment> deployments;  // of each point
  std::int64_t rows_in = 0;                  // measured numbers of all points
  std::int64_t rows_left_out = 0;            // by --only
  std::vector<ValidatedRow> rows;
  std::vector<RefusedPoint> refused;
  std::vector<std::string> warnings;
  bool interrupted = false;

  [[nodiscard]] std::int64_t rows_refused() const;
  [[nodiscard]] std::int64_t rows_predicted() const;  // without derived ones
  [[nodiscard]] std::int64_t rows_not_held() const;   // of those predicted
};

/// Plays every point and compares. Points that a run in progress was stopped for are refused.
Validation validate(std::vector<MeasuredPoint> points, const Setups& setups, const PointBases& bases,
                    const StudySpec& study, const std::atomic<bool>& stop,
                    const std::function<void(std::int64_t done, std::int64_t all)>& told);

/// What rows of a group have in common beside the metric: set-up, GPU, engine, cost model and number of GPUs; the same over
/// all numbers of GPUs; or GPU, engine and cost model, without rows of weak evidence.
enum class GroupBy { deployment_and_tp, deployment, gpu_and_engine };
/// Errors of the rows that are held, in the order in which groups come up, by number of GPUs where they differ in that alone.
std::vector<ErrorGroup> error_groups(const Validation& validation, GroupBy by);
/// Those with the largest absolute errors among the rows held, worst first.
std::vector<const ValidatedRow*> worst_rows(const Validation& validation, std::size_t most);

/// Every row, those refused with the reason, and the groups, for people.
void write_text(const Validation& validation, std::ostream& out);
/// The groups and the ten worst rows, for docs/validation.md.
void write_markdown(const Validation& validation, std::ostream& out);
/// One JSON document with everything.
void write_json(const Validation& validation, std::ostream& out);
/// A line a row, predicted or refused.
void write_csv(const Validation& validation, std::ostream& out);

}  // namespace decodesim
