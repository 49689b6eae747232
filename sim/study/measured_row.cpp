#include "sim/study/measured_row.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/core/precision.hpp"
#include "sim/core/quantity_text.hpp"
#include "sim/core/suggest.hpp"
#include "sim/study/engine_presets.hpp"

namespace decodesim {

namespace {

/// One cell: its text as a scenario would write it, and its place.
struct Cell {
  std::string text;
  Position at;
};

class RowReader {
 public:
  RowReader(const RowReading& with, const TraceFields& fields, std::size_t start)
      : with_(with), fields_(fields), start_(start) {}

  MeasuredPoint read() {
    for (std::size_t i = 0; i < with_.layout.columns.size() && i < fields_.size(); ++i) {
      const MeasuredColumn column = with_.layout.columns[i];
      const std::string_view text = fields_.text(i);
      if (column == MeasuredColumn::ignored || text.empty()) continue;
      const Position at = with_.locator.position(start_ + fields_.offset(i), text.size());
      take(column, {with_.setups.meaning(measured_column_name(column), std::string(text)), at});
    }
    check_whole();
    return std::move(point_);
  }

 private:
  void take(MeasuredColumn column, const Cell& cell) {
    switch (column) {
      case MeasuredColumn::id:
        point_.id = cell.text;
        break;
      case MeasuredColumn::note:
        point_.note = cell.text;
        break;
      case MeasuredColumn::source:
        point_.source = cell.text;
        break;
      case MeasuredColumn::ignored:
        break;
      case MeasuredColumn::model:
        take_name("models", cell, point_.model);
        break;
      case MeasuredColumn::node:
        take_name("nodes", cell, point_.node);
        break;
      case MeasuredColumn::gpu:
        take_gpu(cell);
        break;
      case MeasuredColumn::gpus:
        gpus_ = cell, gpu_count_ = count(cell);
        break;
      case MeasuredColumn::tp:
        point_.tp = count(cell);
        break;
      case MeasuredColumn::engine:
        take_engine(cell);
        break;
      case MeasuredColumn::weights:
        take_format(cell, point_.weights);
        break;
      case MeasuredColumn::kv_cache:
        take_format(cell, point_.kv_cache);
        break;
      case MeasuredColumn::input_tokens:
        point_.input_tokens = tokens(cell);
        break;
      case MeasuredColumn::output_tokens:
        point_.output_tokens = tokens(cell);
        break;
      case MeasuredColumn::concurrency:
        take_load(cell);
        break;
      case MeasuredColumn::num_requests:
        point_.num_requests = count(cell);
        break;
      case MeasuredColumn::max_num_seqs:
        point_.max_num_seqs = count(cell);
        break;
      case MeasuredColumn::max_num_batched_tokens:
        point_.max_num_batched_tokens = tokens(cell);
        break;
      case MeasuredColumn::ttft_ms:
        take_value(MeasuredMetric::ttft_ms, cell);
        break;
      case MeasuredColumn::tpot_ms:
        take_value(MeasuredMetric::tpot_ms, cell);
        break;
      case MeasuredColumn::output_throughput:
        take_value(MeasuredMetric::output_throughput, cell);
        break;
      case MeasuredColumn::metric:
        metric_ = cell;
        break;
      case MeasuredColumn::value:
        value_ = cell;
        break;
      case MeasuredColumn::unit:
        unit_ = cell;
        break;
    }
  }

  void error(const Position& at, std::string code, std::string message, std::string help) {
    wrong_ = true;
    with_.reading.error(at, std::move(code), std::move(message), std::move(help));
  }

  std::int64_t whole(const Cell& cell, Kind kind) {
    const ParsedValue parsed = parse_value(kind, cell.text);
    const auto* number = parsed.ok() ? std::get_if<std::int64_t>(&parsed.value) : nullptr;
    if (number != nullptr && *number >= 1 && static_cast<double>(*number) <= most_measured_count) return *number;
    error(cell.at, "not-a-number", "'" + cell.text + "' is no whole number from 1 to 1,000,000,000",
          "write it like 128");
    return 0;
  }
  std::int64_t count(const Cell& cell) { return whole(cell, Kind::count); }
  std::int64_t tokens(const Cell& cell) { return whole(cell, Kind::tokens); }

  void take_value(MeasuredMetric metric, const Cell& cell) {
    const ParsedValue parsed = parse_value(Kind::number, cell.text);
    const auto* number = parsed.ok() ? std::get_if<double>(&parsed.value) : nullptr;
    if (number == nullptr || !(*number > 0)) {
      error(cell.at, "not-a-number", "'" + cell.text + "' is no measured number above zero",
            "write ms or tokens a second as plain numbers; leave empty what was not measured");
      return;
    }
    if (!is_measurable(*number)) {
      error(cell.at, "out-of-range", "'" + cell.text + "' is no figure that a server can have",
            std::string(measurable_words));
      return;
    }
    point_.values.push_back({metric, *number, point_.id, 0});
  }

  void unknown_name(const Cell& cell, std::string_view what, std::span<const std::string> names) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    error(cell.at, "unknown-name", "there is no " + std::string(what) + " '" + cell.text + "'",
          suggestion(cell.text, known));
  }

  [[nodiscard]] bool is_of(std::string_view kind, const std::string& name) const {
    const std::vector<std::string> names = with_.reading.catalog().names(kind);
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void take_name(std::string_view kind, const Cell& cell, std::string& name) {
    name = cell.text;
    if (is_of(kind, name)) return;
    unknown_name(cell, kind == "models" ? "model" : "node", with_.reading.catalog().names(kind));
  }

  // A GPU may stand for the node it comes in, as a file of set-ups says.
  void take_gpu(const Cell& cell) {
    if (is_of("nodes", cell.text)) {
      point_.node = cell.text;
    } else if (is_of("gpus", cell.text)) {
      point_.gpu = cell.text;
    } else {
      unknown_name(cell, "gpu", with_.reading.catalog().names("gpus"));
    }
  }

  void take_engine(const Cell& cell) {
    point_.engine = cell.text;
    const std::vector<std::string> presets = engine_presets(with_.reading.catalog());
    if (std::find(presets.begin(), presets.end(), cell.text) == presets.end())
      unknown_name(cell, "preset of an engine", presets);
  }

  void take_format(const Cell& cell, std::string& format) {
    format = cell.text;
    std::vector<std::string> names(std::begin(precision_names), std::end(precision_names));
    if (std::find(names.begin(), names.end(), format) == names.end()) unknown_name(cell, "number format", names);
  }

  // "16", "all", or words with a number each: "concurrency 16", "max_batch 64, max_num_tokens 8192".
  void take_load(const Cell& cell) {
    constexpr const char* help =
        "write the clients of a closed loop ('16'), 'all' where all requests were queued at once, or limits of the "
        "server "
        "with it: 'all, max_batch 64, max_num_tokens 8192'";
    bool limited = false;
    for (std::size_t start = 0; start <= cell.text.size();) {
      const std::size_t comma = std::min(cell.text.find(',', start), cell.text.size());
      std::string part = cell.text.substr(start, comma - start);
      part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
      start = comma + 1;
      if (part == "all") {
        point_.load = LoadKind::all_at_once;
        loaded_ = true;
        continue;
      }
      const std::size_t blank = part.find(' ');
      const std::string word = blank == std::string::npos ? "" : part.substr(0, blank);
      const std::int64_t number = count({blank == std::string::npos ? part : part.substr(blank + 1), cell.at});
      if (number == 0) return;
      if (word.empty() || word == "concurrency" || word == "batch") {
        point_.concurrency = number;
        loaded_ = true;
      } else if (word == "max_batch") {
        point_.max_num_seqs = number;
        limited = true;
      } else if (word == "max_num_tokens") {
        point_.max_num_batched_tokens = number;
        limited = true;
      } else {
        return error(cell.at, "unknown-load", "'" + cell.text + "' is no load that can be played", help);
      }
    }
    // Who states the server's limits alone had all requests queued.
    if (limited && !loaded_) point_.load = LoadKind::all_at_once;
    loaded_ = true;
    if (point_.load == LoadKind::all_at_once && point_.concurrency > 0)
      error(cell.at, "unknown-load", "requests come all at once or in a closed loop, not both", help);
  }

  void check_whole() {
    const Position line = with_.locator.position(start_, 1);
    if (with_.layout.is_long()) take_long();
    const auto need = [&](bool there, std::string_view what) {
      if (!there && !wrong_)
        error(line, "missing-value", "this row has no " + std::string(what), "every row needs one");
    };
    need(point_.input_tokens > 0, "input_tokens");
    need(point_.output_tokens > 0, "output_tokens");
    need(loaded_, "concurrency");
    need(!point_.values.empty(), "measured value");
    if (gpu_count_ > 0 && point_.tp > 0 && gpu_count_ != point_.tp)
      error(gpus_.at, "unsupported",
            "a row of several replicas: " + gpus_.text + " GPUs and tp " + std::to_string(point_.tp),
            "measure one replica, or divide the load by hand");
    for (MeasuredValue& value : point_.values) {
      value.id = point_.id;
      value.line = line.line;
    }
    point_.file = line.source->name;
    point_.line = line.line;
  }

  void take_long() {
    const auto name = std::find(measured_metric_names.begin(), measured_metric_names.end(), metric_.text);
    if (metric_.text.empty() || value_.text.empty()) return;  // said as a missing value
    if (name == measured_metric_names.end()) {
      return error(metric_.at, "unknown-name", "there is no metric '" + metric_.text + "'",
                   suggestion(metric_.text, measured_metric_names));
    }
    const auto metric = static_cast<MeasuredMetric>(name - measured_metric_names.begin());
    const bool rate = metric == MeasuredMetric::output_throughput;
    const bool fits = rate ? unit_.text.find("tok/s") != std::string::npos : unit_.text == "ms";
    if (!unit_.text.empty() && !fits) {
      return error(unit_.at, "wrong-unit", "'" + unit_.text + "' is no unit of " + metric_.text,
                   rate ? "give tokens a second, as 'tok/s'" : "give milliseconds, as 'ms'");
    }
    take_value(metric, value_);
  }

  const RowReading& with_;
  const TraceFields& fields_;
  std::size_t start_;
  MeasuredPoint point_;
  Cell metric_;
  Cell value_;
  Cell unit_;
  Cell gpus_;
  std::int64_t gpu_count_ = 0;
  bool loaded_ = false;
  bool wrong_ = false;
};

}  // namespace

MeasuredPoint read_measured_row(const RowReading& with, const TraceFields& fields, std::size_t start) {
  return RowReader(with, fields, start).read();
}

}  // namespace decodesim
