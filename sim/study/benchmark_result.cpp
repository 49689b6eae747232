// Result files of vLLM's benchmark client (`vllm bench serve --save-result`): one JSON object of load and figures.

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/core/quantity_text.hpp"
#include "sim/study/measured_table.hpp"

namespace decodesim {

namespace {

// The keys are those that vllm/benchmarks/serve.py writes; JSON is read as the YAML that it is, which gives places.
class ResultReader {
 public:
  ResultReader(const DocumentNode& tree, const SourceText& source, Reading& reading)
      : tree_(tree), source_(source), reading_(reading) {}

  std::optional<MeasuredPoint> read() {
    const std::optional<double> completed = needed("completed");
    const std::optional<double> inputs = needed("total_input_tokens");
    const std::optional<double> outputs = needed("total_output_tokens");
    MeasuredPoint point;
    point.file = source_.name;
    read_load(point);
    read_values(point);
    if (failed_ || !completed || !inputs || !outputs) return std::nullopt;
    // Requests of the mean length stand for all: lists of lengths are in the file only where details were asked for.
    point.num_requests = std::llround(*completed);
    point.input_tokens = std::max<std::int64_t>(1, std::llround(*inputs / *completed));
    point.output_tokens = std::max<std::int64_t>(1, std::llround(*outputs / *completed));
    return point;
  }

 private:
  void fail(const Position& at, std::string message, std::string help) {
    failed_ = true;
    reading_.error(at, "benchmark-result", std::move(message), std::move(help));
  }

  std::optional<double> number(const char* key) {
    const DocumentNode* node = tree_.find(key);
    if (node == nullptr || node->shape == DocumentNode::Shape::null) return std::nullopt;
    const ParsedValue parsed = parse_value(Kind::number, node->scalar);
    if (node->shape == DocumentNode::Shape::scalar && parsed.ok()) return std::get<double>(parsed.value);
    fail(node->at, "'" + std::string(key) + "' is no number", "the benchmark client writes one");
    return std::nullopt;
  }

  std::optional<double> needed(const char* key) {
    const DocumentNode* node = tree_.find(key);
    if (node == nullptr) {
      fail({&source_, 0, 0, 1}, "there is no '" + std::string(key) + "'",
           "give what 'vllm bench serve --save-result' wrote, one object a file");
      return std::nullopt;
    }
    const std::optional<double> value = number(key);
    if (value && !(*value >= 1)) {
      fail(node->at, "'" + std::string(key) + "' is zero: the run measured nothing", "take the file out");
      return std::nullopt;
    }
    return value;
  }

  // A limit on requests in flight makes a loop that is closed as long as requests come faster than they end; with a rate
  // beside it that is not known, and no generator of ours does both.
  void read_load(MeasuredPoint& point) {
    const DocumentNode* rate = tree_.find("request_rate");
    const bool unlimited = rate == nullptr || rate->scalar == "inf" || rate->scalar == "Infinity";
    const std::optional<double> clients = number("max_concurrency");
    if (clients && !unlimited)
      return fail(rate->at, "a request rate and max_concurrency at once cannot be played",
                  "measure with one of the two");
    if (clients) {
      if (!(*clients >= 1)) return fail(tree_.find("max_concurrency")->at, "'max_concurrency' is below 1", "");
      point.concurrency = std::llround(*clients);
    } else if (unlimited) {
      point.load = LoadKind::all_at_once;
    } else if (const std::optional<double> burstiness = number("burstiness"); burstiness && *burstiness != 1) {
      fail(tree_.find("burstiness")->at, "arrivals burstier or calmer than Poisson cannot be played",
           "measure with --burstiness 1");
    } else {
      point.load = LoadKind::poisson;
      point.request_rate = number("request_rate").value_or(0);
      if (!failed_ && !(point.request_rate > 0)) fail(rate->at, "'request_rate' is not above zero", "");
    }
  }

  void read_values(MeasuredPoint& point) {
    constexpr std::pair<const char*, MeasuredMetric> figures[] = {
        {"mean_ttft_ms", MeasuredMetric::ttft_ms},
        {"mean_tpot_ms", MeasuredMetric::tpot_ms},
        {"output_throughput", MeasuredMetric::output_throughput}};
    for (const auto& [key, metric] : figures) {
      const std::optional<double> value = number(key);
      if (value && *value > 0) point.values.push_back({metric, *value, "", 0});
    }
    if (point.values.empty() && !failed_)
      fail({&source_, 0, 0, 1}, "there is none of mean_ttft_ms, mean_tpot_ms and output_throughput", "");
  }

  const DocumentNode& tree_;
  const SourceText& source_;
  Reading& reading_;
  bool failed_ = false;
};

}  // namespace

std::vector<MeasuredPoint> read_benchmark_result(const SourceText& source, Reading& reading) {
  const std::optional<DocumentNode> tree = reading.parse(source);
  if (!tree) return {};
  std::optional<MeasuredPoint> point = ResultReader(*tree, source, reading).read();
  if (!point) return {};
  return {std::move(*point)};
}

}  // namespace decodesim
