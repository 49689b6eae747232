// A calibration for people, and as a scenario to be used as a base.

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/core/math.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/study/calibration.hpp"
#include "sim/study/relative_errors.hpp"
#include "sim/study/signed_percent.hpp"
#include "sim/study/table_text.hpp"

namespace decodesim {

namespace {

std::string row_name(const Calibration& calibration, const CalibratedRow& row) {
  const MeasuredPoint& point = calibration.points[row.point];
  const std::string name = row.measured.id.empty() ? point_name(point) : row.measured.id;
  return name + " " + std::string(measured_metric_name(row.measured.metric));
}

/// The rows that say most of a constant: "m.csv:3 tpot_ms 31 %, ...".
std::string tellers(const Calibration& calibration, std::size_t constant) {
  constexpr std::size_t most = 3;
  constexpr double least = 0.01;
  std::string text;
  std::size_t named = 0;
  for (std::size_t row : calibration.rows_by_share(constant)) {
    const double share = calibration.share(row, constant);
    if (named++ >= most || share < least) break;
    text += (text.empty() ? "" : ", ") + printable(row_name(calibration, calibration.rows[row])) + " " + percent(share);
  }
  return text;
}

RelativeErrors errors_of(const Calibration& calibration, double (CalibratedRow::*error)() const) {
  std::vector<double> all;
  for (const CalibratedRow& row : calibration.rows) all.push_back((row.*error)());
  return relative_errors(std::move(all));
}

std::string errors_text(const RelativeErrors& errors) {
  return "median " + percent(errors.median) + ", p90 " + percent(errors.p90) + ", median signed " +
         signed_percent(errors.median_signed);
}

std::string counts_text(const Calibration& calibration) {
  std::int64_t refused = 0;
  for (const RefusedPoint& one : calibration.refused)
    refused += static_cast<std::int64_t>(calibration.points[one.point].values.size());
  std::string text = counted(static_cast<std::int64_t>(calibration.constants.size()), "constant") + " fitted to " +
                     counted(static_cast<std::int64_t>(calibration.rows.size()), "row") + " of " +
                     grouped(calibration.rows_in) + " in";
  if (refused > 0) text += ", " + grouped(refused) + " refused";
  if (calibration.rows_not_held > 0) text += ", " + grouped(calibration.rows_not_held) + " that do not count";
  if (calibration.rows_left_out > 0)
    text += "; " + grouped(calibration.rows_left_out) + " more were left out by --only";
  text += "; " + counted(calibration.steps, "step") + ", " + counted(calibration.runs, "simulation");
  if (calibration.interrupted) return text + "; interrupted: nothing is fitted";
  return text + (calibration.converged ? "" : "; it was still getting better");
}

std::vector<std::string> keys_of(const std::string& path) {
  std::vector<std::string> keys;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    keys.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return keys;
}

/// What a constant without an interval leaves to say.
std::string remark(const FittedConstant& one) {
  switch (one.constraint) {
    case Constraint::constrained:
      return {};
    case Constraint::free:
      return one.field.path + " is not constrained by any row: no prediction depends on it, and it stays as it was.";
    case Constraint::entangled:
      return one.field.path + " cannot be told apart from " + one.entangled_with +
             " by these rows: only what both do together is fitted. Measure a load on which they differ, or fit one.";
    case Constraint::undetermined:
      return one.field.path + " has no interval: there are no more rows than constants.";
    case Constraint::at_bound:
      return one.field.path +
             " went as far as it can: what it stands for is not what these rows lack. Fit something else with it.";
  }
  return {};
}

}  // namespace

std::string interval_text(const FittedConstant& constant) {
  switch (constant.constraint) {
    case Constraint::constrained:
      break;
    case Constraint::free:
      return "not constrained by any row";
    case Constraint::entangled:
      return "not apart from " + constant.entangled_with;
    case Constraint::undetermined:
      return "no interval";
    case Constraint::at_bound:
      return "as far as it can go";
  }
  const double wider = math::exp(constant.half_width) - 1;
  // Beyond that a share says little, and the interval is far from symmetric.
  if (wider > 9) return "hardly constrained: beyond a factor of 10";
  if (wider > 0.5) return "within a factor of " + significant(wider + 1, 3);
  return "+- " + percent(wider);
}

void write_text(const Calibration& calibration, std::ostream& out) {
  out << counts_text(calibration) << "\n\n";
  if (calibration.interrupted) return;
  std::vector<TableLine> lines;
  for (std::size_t i = 0; i < calibration.constants.size(); ++i) {
    const FittedConstant& one = calibration.constants[i];
    lines.push_back({one.field.path, one.field.text(one.start), one.field.text(one.value), interval_text(one),
                     tellers(calibration, i)});
  }
  write_table({"constant", "start", "fitted", "95 % interval", "told most by"}, lines, 5, out);
  out << "\nerror before   " << errors_text(errors_of(calibration, &CalibratedRow::error_before)) << '\n'
      << "error after    " << errors_text(errors_of(calibration, &CalibratedRow::error_after)) << "\n\n";
  lines.clear();
  for (const CalibratedRow& row : calibration.rows) {
    lines.push_back({printable(row_name(calibration, row)), significant(row.measured.value), significant(row.before),
                     significant(row.after), signed_percent(row.error_before()), signed_percent(row.error_after()),
                     fixed_text(row.leverage, 2)});
  }
  write_table({"row", "measured", "before", "after", "error before", "error after", "leverage"}, lines, 1, out);
  if (!calibration.refused.empty()) out << "\nRefused:\n";
  for (const RefusedPoint& one : calibration.refused)
    out << "  " << printable(point_name(calibration.points[one.point])) << ": " << printable(one.why) << '\n';
  out << '\n';
  for (const FittedConstant& one : calibration.constants) {
    if (const std::string text = remark(one); !text.empty()) out << text << '\n';
  }
  out << "Intervals hold if the errors of rows are independent and the model is right; leverage is how much of its "
         "own\n"
         "prediction a row decides.\n";
}

void write_base(const Calibration& calibration, std::ostream& out) {
  const RelativeErrors errors = errors_of(calibration, &CalibratedRow::error_after);
  out << "# Fitted by `decodesim calibrate` to " << counted(static_cast<std::int64_t>(calibration.rows.size()), "row")
      << ": " << errors_text(errors) << ".\n# To be named as `base:`, over the scenario that it was fitted with.\n"
      << "version: 1\n";
  // Sorted, paths under the same key stand together, as a mapping must have each key once.
  std::map<std::string, std::string> lines;
  for (const FittedConstant& one : calibration.constants) {
    lines[one.field.path] = one.field.text(one.value) + "  # " + interval_text(one);
    for (const auto& [path, name] : one.entries) lines[path] = name;
  }
  std::vector<std::string> open;
  for (const auto& [path, text] : lines) {
    const std::vector<std::string> keys = keys_of(path);
    std::size_t same = 0;
    while (same < open.size() && same + 1 < keys.size() && open[same] == keys[same]) ++same;
    open.assign(keys.begin(), keys.end() - 1);
    for (std::size_t i = same; i + 1 < keys.size(); ++i) out << std::string(2 * i, ' ') << keys[i] << ":\n";
    out << std::string(2 * (keys.size() - 1), ' ') << keys.back() << ": " << text << '\n';
  }
}

}  // namespace decodesim
