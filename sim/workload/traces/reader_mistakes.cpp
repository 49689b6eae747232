// What is said where a trace is refused as a whole, or for a row that does not go with the others.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/workload/length_fields.hpp"
#include "sim/workload/traces/document.hpp"
#include "sim/workload/traces/reader.hpp"
#include "sim/workload/traces/written_field.hpp"

namespace decodesim {

namespace {

/// A factor of a scale, of three digits, not above `wanted`; or not below it.
std::string rounded_factor(double wanted, bool up) {
  double step = 1e-30;
  while (wanted / step >= 1000) step *= 10;
  const double digits = up ? std::ceil(wanted / step) : std::floor(wanted / step);
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, digits * step, std::chars_format::general, 3).ptr};
}

}  // namespace

/// What can be said of no row, now that the format is known, and whether it is a closed loop.
void TraceReader::refuse_what_has_no_effect() {
  const auto refuse = [&](bool stated, const std::string& why, const char* name) {
    if (stated) mistakes_.add(lines_, 0, why + ": take out workload.trace." + name);
  };
  const bool closed = input_->max_concurrency.has_value();
  const std::string loop = "this is a closed loop, whose rows have no times";
  refuse(closed && spec_.start > Duration{}, loop, "start");
  refuse(closed && spec_.duration, loop, "duration");
  refuse(closed && spec_.spread != SpreadPolicy::none, loop, "spread");
  refuse(closed && spec_.backward_time != BackwardPolicy::reject, loop, "backward_time");
  const TraceFormatInfo& format = input_->format;
  const bool declared = format.format == TraceFormat::csv;
  const bool at_once = declared && !says_when(spec_.columns);
  const std::string once = "no column says when a row comes, so that all come at once";
  refuse(at_once && spec_.start > Duration{}, once, "start");
  refuse(at_once && spec_.duration, once, "duration");
  refuse(at_once && spec_.spread != SpreadPolicy::none, once, "spread");
  refuse(at_once && spec_.backward_time != BackwardPolicy::reject, once, "backward_time");
  const std::string rows = "in a trace of format " + std::string(format.name);
  // A format without a table of names is declared, or reads its rows in its own way.
  const auto has = [&](Meaning meaning) {
    return format.keys.empty() || std::any_of(format.keys.begin(), format.keys.end(),
                                              [&](const TraceKey& key) { return key.meaning == meaning; });
  };
  const bool own_units = declared ? spec_.columns.arrival.empty() && spec_.columns.think_time.empty()
                                  : !has(Meaning::time) && !has(Meaning::think_time) && !has(Meaning::deadline);
  refuse(spec_.time_unit && own_units, at_once ? "no column has a time" : rows + " the times have a unit already",
         "time_unit");
  refuse(spec_.block_size && !has(Meaning::hash_ids), rows + " no row has hash ids", "block_size");
  refuse(spec_.wrong_id_count != RowPolicy::reject && !has(Meaning::hash_ids), rows + " no row has hash ids",
         "wrong_id_count");
  mistakes_.throw_if_any();
}

/// The lines may stand elsewhere already, where rows are sorted or spread before anything is said of them.
void TraceReader::refuse(const TraceRow& row, std::size_t at, std::string message) {
  if (const TraceDocument* document = rows_->document()) return document->add(mistakes_, at, std::move(message));
  if (row.line == lines_.number()) return mistakes_.add(lines_, at, std::move(message));
  late_.push_back({row.line, at, std::move(message)});
  if (late_.size() == most_trace_mistakes) show_late_mistakes();
}

/// Goes through the file again, since no row is read after them.
void TraceReader::show_late_mistakes() {
  if (late_.empty()) return;
  std::stable_sort(late_.begin(), late_.end(),
                   [](const LateMistake& a, const LateMistake& b) { return a.line < b.line; });
  lines_.rewind();
  for (LateMistake& one : late_) {
    while (lines_.number() < one.line && lines_.next()) continue;
    mistakes_.add(lines_, one.at, std::move(one.message));
  }
  mistakes_.throw_if_any();
}

void TraceReader::refuse_zero(const TraceRow& row, Meaning meaning, const std::string& reason, std::size_t at) {
  const bool input = meaning == Meaning::input_tokens;
  const std::string key = input ? "zero_input" : "zero_output";
  std::string name;
  for (const TraceKey& one : input_->format.keys) {
    if (one.meaning == meaning && rows_->document() == nullptr) name = one.name;
  }
  if (input_->format.format == TraceFormat::csv)
    name = input ? spec_.columns.input_tokens : spec_.columns.output_tokens;
  const bool missing = input_->format.shape == TraceShape::jsonl && at == 0;  // there the object begins
  const bool spelled = !name.empty() && !missing && (input || row.failed == nullptr);
  std::string message = spelled ? name + " is '0': a request has at least 1 token of either kind" : reason;
  if (rows_->document() != nullptr) message = "of request " + std::to_string(row.line) + " there is " + reason;
  message += spelled && !input ? ", and 0 usually marks a failed call" : "";
  refuse(row, at,
         message + (spelled ? "; say" : ": say") + " what becomes of such rows, `" + key + ": drop` or `" + key +
             ": clip` (to 1)");
}

void TraceReader::refuse_no_rows() {
  const TraceFormatInfo& format = input_->format;
  std::string message = "there are no rows below the names of the columns";
  if (format.shape == TraceShape::jsonl) message = "there are no rows: a request is a JSON object on a line of its own";
  if (format.shape == TraceShape::other) message = "there are no requests: the lists are empty";
  if (format.rates)
    message = "there are no requests: the rates are too small for one; `rate_scale: 1000` multiplies them";
  mistakes_.add(lines_, lines_.line().size(), message);
}

/// Nobody asks for a part of a trace that has none, and what nobody has written cannot be read back.
void TraceReader::refuse_nothing_kept() {
  std::string message = "no request is left of " + std::to_string(account_.rows) + " rows: ";
  for (const TraceException& one : account_.exceptions) {
    if (one.action == "dropped") message += std::to_string(one.rows) + ' ' + one.reason + ", ";
  }
  message.resize(message.size() - 2);
  if (reach_ && !judged_) {
    message += "; they reach from " + written_seconds(reach_->first) + " s to " + written_seconds(reach_->second) +
               " s of the trace's own time, before any scaling: choose a `start` and a `duration` within";
  } else {
    message += "; keep some by another policy, such as clip in place of drop";
  }
  mistakes_.add(0, 0, std::move(message), {});
}

/// One mistake for all of them, with a factor that does.
void TraceReader::refuse_too_late() {
  std::string message = "this row";
  if (too_late_.rows > 1) message += " and " + std::to_string(too_late_.rows - 1) + " more";
  message += too_late_.rows > 1 ? " come" : " comes";
  message += " more than fifty years after the start, and a run ends after a hundred: ";
  const double most = latest_arrival * 1e9 / too_late_.longest;  // that the scale may be
  const bool by_rate = spec_.rate_scale != 1 && spec_.time_scale <= 1 && !input_->format.rates;
  if (scale_ == 1) {
    message += "check the times, and their `time_unit`, or say `time_scale: " + rounded_factor(most, false) + '`';
  } else if (by_rate) {
    message += "say `rate_scale: " + rounded_factor(spec_.time_scale / most, true) + "` or more";
  } else {
    const double rate_scale = input_->format.rates ? 1 : spec_.rate_scale;
    message += "say `time_scale: " + rounded_factor(most * rate_scale, false) + "` or less";
  }
  if (scale_ != 1) message += ", or leave them out with `duration`";
  TraceRow row;
  row.line = too_late_.line;
  refuse(row, too_late_.at, std::move(message));
}

/// A row of a document is known by its place in the lists, from 0.
void TraceReader::refuse_backward(const TraceRow& row) {
  const std::string policies = "`backward_time: sort`, `segment` or `drop`";
  if (rows_->document() != nullptr)
    return refuse(row, row.time_at,
                  "request " + std::to_string(account_.rows - 1) + " is earlier than request " +
                      std::to_string(last_row_ - 1) + ": say " + policies);
  refuse(row, row.time_at,
         "earlier than line " + std::to_string(last_line_) +
             "; rows stand in the order of their arrival, so sort the file by it, or say " + policies);
}

}  // namespace decodesim
