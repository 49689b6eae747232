// A validation as tables: for people, and as the page docs/validation.md.

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/study/signed_percent.hpp"
#include "sim/study/table_text.hpp"
#include "sim/study/validation.hpp"

namespace decodesim {

namespace {

using Line = TableLine;

std::string word(const std::string& text) { return text.empty() ? "-" : printable(text); }
std::string tp_text(std::int64_t tp) { return tp > 0 ? std::to_string(tp) : "all"; }

std::string shape(const MeasuredPoint& point) {
  return std::to_string(point.input_tokens) + "/" + std::to_string(point.output_tokens);
}

Line group_head() {
  return {"set-up", "GPU", "engine", "cost", "metric", "TP", "rows", "median error", "p90 error", "median signed"};
}

std::vector<Line> group_lines(const std::vector<ErrorGroup>& groups) {
  std::vector<Line> lines;
  lines.reserve(groups.size());
  for (const ErrorGroup& one : groups) {
    lines.push_back({word(one.of.setup), word(one.of.gpu), word(one.of.engine), word(one.of.cost),
                     std::string(measured_metric_name(one.metric)), tp_text(one.of.tp), grouped(one.rows),
                     percent(one.median_error), percent(one.p90_error), signed_percent(one.median_signed_error)});
  }
  return lines;
}

Line row_head() {
  return {"row", "set-up", "model",  "GPU",      "engine",    "load", "metric",
          "",    "TP",     "in/out", "measured", "predicted", "error"};
}

std::string mark(const ValidatedRow& row) { return !row.held() ? "not held" : row.derived ? "derived" : ""; }

Line row_line(const Validation& validation, const ValidatedRow& row) {
  const MeasuredPoint& point = validation.points[row.point];
  const PointDeployment& on = validation.deployments[row.point];
  const std::string name = row.measured.id.empty() ? point_name(point) : row.measured.id;
  return {printable(name),
          word(on.setup),
          word(point.model),
          word(on.gpu),
          word(on.engine),
          load_text(point),
          std::string(measured_metric_name(row.measured.metric)),
          mark(row),
          tp_text(on.tp),
          shape(point),
          significant(row.measured.value),
          significant(row.predicted),
          signed_percent(row.error())};
}

Line refused_line(const Validation& validation, const RefusedPoint& refused) {
  const MeasuredPoint& point = validation.points[refused.point];
  return {printable(point_name(point)),
          word(validation.deployments[refused.point].setup),
          word(point.model),
          word(point.node.empty() ? point.gpu : point.node),
          tp_text(point.tp),
          shape(point),
          grouped(static_cast<std::int64_t>(point.values.size())),
          printable(refused.why)};
}

std::vector<Line> refused_lines(const Validation& validation) {
  std::vector<Line> lines;
  for (const RefusedPoint& one : validation.refused) lines.push_back(refused_line(validation, one));
  return lines;
}

const Line refused_head{"row", "set-up", "model", "hardware", "TP", "in/out", "rows", "why"};

/// Every row that went in is in one of the counts.
std::string counts_text(const Validation& validation) {
  std::string text = counted(validation.rows_in, "measured row") + " in: " + grouped(validation.rows_predicted()) +
                     " predicted, " + grouped(validation.rows_refused()) + " refused";
  const std::int64_t not_held = validation.rows_not_held();
  if (not_held > 0) text += "; of those predicted " + grouped(not_held) + " do not count";
  if (validation.rows_left_out > 0) text += "; " + grouped(validation.rows_left_out) + " more were left out by --only";
  return text + (validation.interrupted ? "; interrupted" : "");
}

std::vector<std::string> reasons_not_held(const Validation& validation) {
  std::vector<std::string> reasons;
  for (const ValidatedRow& row : validation.rows) {
    if (!row.held() && std::find(reasons.begin(), reasons.end(), row.why_not_held) == reasons.end())
      reasons.push_back(row.why_not_held);
  }
  return reasons;
}

constexpr const char* definitions =
    "error = (predicted - measured) / measured; median and p90 are of its absolute value. TTFT and TPOT are means "
    "over\n"
    "the requests, output_throughput is tokens a second over the whole run. derived: from TTFT and TPOT of a closed "
    "loop,\n"
    "clients x tokens / (TTFT + TPOT x (tokens - 1)), on both sides.\n";

}  // namespace

void write_text(const Validation& validation, std::ostream& out) {
  std::vector<Line> lines;
  for (const ValidatedRow& row : validation.rows) lines.push_back(row_line(validation, row));
  out << counts_text(validation) << "\n\n";
  if (!lines.empty()) write_table(row_head(), lines, 8, out);
  if (!validation.refused.empty()) {
    out << "\nRefused:\n";
    write_table(refused_head, refused_lines(validation), refused_head.size(), out);
  }
  const std::vector<Line> groups = group_lines(error_groups(validation, GroupBy::deployment_and_tp));
  if (!groups.empty()) {
    out << "\nBy set-up, GPU, engine and TP:\n";
    write_table(group_head(), groups, 5, out);
    out << "\nOver all TP:\n";
    write_table(group_head(), group_lines(error_groups(validation, GroupBy::deployment)), 5, out);
  }
  out << '\n' << definitions;
  for (const std::string& reason : reasons_not_held(validation)) out << "not held: " << printable(reason) << '\n';
}

void write_markdown(const Validation& validation, std::ostream& out) {
  out << counts_text(validation) << ".\n\n" << definitions << '\n';
  const Line head = group_head();
  out << "### Over all TP\n\n";
  write_markdown_table(head, group_lines(error_groups(validation, GroupBy::deployment)), out);
  out << "\n### By TP\n\n";
  write_markdown_table(head, group_lines(error_groups(validation, GroupBy::deployment_and_tp)), out);
  out << "\n### The ten worst rows\n\n";
  std::vector<Line> worst;
  for (const ValidatedRow* row : worst_rows(validation, 10)) {
    Line line = row_line(validation, *row);
    line.erase(line.begin() + 7);  // the mark: rows that do not count are not among them
    worst.push_back(std::move(line));
  }
  Line worst_head = row_head();
  worst_head.erase(worst_head.begin() + 7);
  write_markdown_table(worst_head, worst, out);
  if (!validation.refused.empty()) {
    out << "\n### Refused\n\n";
    write_markdown_table(refused_head, refused_lines(validation), out);
  }
  const std::vector<std::string> reasons = reasons_not_held(validation);
  if (reasons.empty()) return;
  out << "\n### Predicted but not counted\n\n";
  for (const std::string& reason : reasons) out << "- " << printable(reason) << '\n';
}

}  // namespace decodesim
