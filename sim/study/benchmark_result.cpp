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
    constexpr double most_tokens = most_measured_count * most_measured_count;
    const std::optional<double> completed = needed("completed", most_measured_count);
    const std::optional<double> inputs = needed("total_input_tokens", most_tokens);
    const std::optional<double> outputs = needed("total_output_tokens", most_tokens);
    MeasuredPoint point;
    point.file = source_.name;
    read_load(point);
    read_values(point);
    if (failed_ || !completed || !inputs || !outputs) return std::nullopt;
    // Requests of the mean length stand for all: lists of lengths are in the file only where details were asked for.
    point.num_requests = static_cast<std::int64_t>(*completed);
    point.input_tokens = mean_length(*inputs, *completed);
    point.output_tokens = mean_length(*outputs, *completed);
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

  static std::int64_t mean_length(double tokens, double requests) {
    return std::max<std::int64_t>(1, std::llround(std::min(tokens / requests, most_measured_count)));
  }

  /// A whole number from 1 on; nothing, and said so, where it is none.
  std::optional<double> count(const char* key, double most) {
    const std::optional<double> value = number(key);
    if (!value || (*value >= 1 && *value <= most && *value == std::floor(*value))) return value;
    const std::string name = "'" + std::string(key) + "'";
    if (*value == 0) {
      fail(tree_.find(key)->at, name + " is zero: the run measured nothing", "take the file out");
    } else {
      fail(tree_.find(key)->at, name + " is no whole number from 1 to " + value_text(Kind::number, Value(most)),
           "the benchmark client writes one");
    }
    return std::nullopt;
  }

  std::optional<double> needed(const char* key, double most) {
    const DocumentNode* node = tree_.find(key);
    if (node == nullptr || node->shape == DocumentNode::Shape::null) {
      fail({&source_, 0, 0, 1}, "there is no '" + std::string(key) + "'",
           "give what 'vllm bench serve --save-result' wrote, one object a file");
      return std::nullopt;
    }
    return count(key, most);
  }

  // A limit on requests in flight makes a loop that is closed as long as requests come faster than they end; with a rate
  // beside it that is not known, and no generator of ours does both.
  void read_load(MeasuredPoint& point) {
    const DocumentNode* rate = tree_.find("request_rate");
    const bool unlimited = rate == nullptr || rate->scalar == "inf" || rate->scalar == "Infinity";
    const std::optional<double> clients = count("max_concurrency", most_measured_count);
    if (clients && !unlimited)
      return fail(rate->at, "a request rate and max_concurrency at once cannot be played",
                  "measure with one of the two");
    if (clients) {
      point.concurrency = static_cast<std::int64_t>(*clients);
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
      // Zero is what the client writes of a figure that the run does not have, such as TPOT of answers of one token.
      if (!value || *value == 0) continue;
      if (!is_measurable(*value)) {
        fail(tree_.find(key)->at, "'" + std::string(key) + "' is no figure that a server can have",
             std::string(measurable_words));
        continue;
      }
      point.values.push_back({metric, *value, "", 0});
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
