// Measurements keeps sums; here every fact of random runs is kept, and the report is computed again the long way.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/histogram.hpp"
#include "sim/report/measurements.hpp"
#include "sim/serving/simulation.hpp"
#include "sim/workload/request_source.hpp"

using namespace decodesim;
using doctest::Approx;

namespace {

/// Step times that differ with the batch and the context, so that few numbers coincide.
class OddCost : public CostModel {
 public:
  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    Ledger ledger;
    if (shape.empty()) return ledger;
    ledger.of(ByteKind::weights) = Bytes(1e6);
    ledger.of(ByteKind::kv_read) = Bytes(static_cast<double>(shape.decode_context + shape.chunk_context));
    ledger.spend(TimePart::linear, BoundBy::compute, Duration(7'000'003 + 11'001 * shape.tokens()));
    ledger.spend(TimePart::attention, BoundBy::bandwidth,
                 Duration(90'007 * (shape.decode_context + shape.chunk_context + shape.chunk_pairs)));
    return ledger;
  }
};

/// Keeps everything.
struct Record : Observer {
  std::vector<StepFacts> steps;
  std::vector<std::vector<TokenGap>> gaps;
  std::vector<RequestFacts> requests;
  std::vector<Time> arrivals;        // when each of `requests` arrived
  std::vector<std::int64_t> inputs;  // and what it asked
  std::vector<Time> arrivals_in_order;
  std::int64_t withdrawn = 0;
  void arrived(const Request& request) override { arrivals_in_order.push_back(request.arrival); }
  void step(const StepFacts& facts) override {
    // A token that is lost was never there.
    for (const WithdrawnToken& lost : facts.withdrawn) {
      ++withdrawn;
      steps.back().shape.samples -= 1;
      if (!lost.gap) continue;
      std::vector<TokenGap>& told = gaps.back();
      --std::find_if(told.begin(), told.end(), [&](const TokenGap& one) {
          return one.gap == *lost.gap && one.count > 0;
        })->count;
    }
    steps.push_back(facts);
    gaps.emplace_back(facts.gaps.begin(), facts.gaps.end());
  }
  void ended(const RequestFacts& facts) override {
    requests.push_back(facts);
    arrivals.push_back(facts.request->arrival);
    inputs.push_back(facts.request->input_tokens);
  }
};

double sorted_quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (position - static_cast<double>(below));
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (double value : values) total += value;
  return total;
}

void check_summary(const Summary& summary, const std::vector<double>& values, double tolerance = 1e-12) {
  CHECK(summary.count == static_cast<std::int64_t>(values.size()));
  if (values.empty()) {
    CHECK(std::isnan(summary.mean));
    CHECK(std::isnan(summary.p99));
    return;
  }
  const double centre = sum(values) / static_cast<double>(values.size());
  double squares = 0;
  for (double value : values) squares += (value - centre) * (value - centre);
  CHECK(summary.mean == Approx(centre).epsilon(1e-12));
  CHECK(summary.std ==
        Approx(std::sqrt(squares / static_cast<double>(values.size()))).epsilon(1e-9).scale(centre * 1e-3));
  const auto near = [&](double found, double q) {
    const double exact = sorted_quantile(values, q);
    CHECK(std::fabs(found - exact) <= exact * tolerance);
  };
  near(summary.p1, 0.01);
  near(summary.p50, 0.5);
  near(summary.p90, 0.9);
  near(summary.p99, 0.99);
}

struct Numbers {
  std::uint64_t state;
  std::int64_t between(std::int64_t low, std::int64_t high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<std::int64_t>(state >> 33) % (high - low + 1);
  }
};

struct Case {
  WorkloadSpec workload;
  ServerConfig server;
  RunSpec run;
  SloSpec slo;
};

Case random_case(Numbers& numbers, const CostModel& cost) {
  Case c;
  c.workload.kind = WorkloadKind::generator;
  c.workload.num_requests = numbers.between(1, 60);
  if (numbers.between(0, 1)) {
    c.workload.max_concurrency = numbers.between(1, 12);
  } else {
    c.workload.arrival = {static_cast<ArrivalProcess>(numbers.between(0, 2)),
                          static_cast<double>(numbers.between(1, 60))};
  }
  c.workload.input_tokens = {LengthDistribution::uniform, 1, numbers.between(1, 40)};
  c.workload.output_tokens = {LengthDistribution::uniform, 1, numbers.between(1, 20)};
  c.server.scheduler.max_num_seqs = numbers.between(1, 8);
  c.server.scheduler.max_num_batched_tokens = numbers.between(2, 40);
  c.server.usable_blocks = numbers.between(3, 40);
  c.server.num_blocks = c.server.usable_blocks + 1;
  c.server.block_size = numbers.between(1, 8);
  c.server.max_model_len = numbers.between(0, 3) ? 1000 : 50;
  c.server.cost = &cost;
  if (numbers.between(0, 1)) {
    c.run.window = {static_cast<double>(numbers.between(0, 49)) / 100,
                    static_cast<double>(numbers.between(0, 49)) / 100};
  }
  if (numbers.between(0, 2) == 0) {
    c.server.scheduler.engine = "sglang";
    c.server.scheduler.async = true;
    c.server.scheduler.sglang.schedule_conservativeness = 0;
  }
  c.slo.ttft_p99 = Duration(numbers.between(1, 400) * 1'000'000);
  c.slo.tpot_p99 = Duration(numbers.between(8, 40) * 1'000'000);
  return c;
}

void check_report(const Case& c, const Record& record, const Report& report, std::int64_t count) {
  // The window, by the definition.
  const auto n = static_cast<double>(count);
  const auto opening = static_cast<std::size_t>(std::floor(c.run.window.skip_first * n + 1e-9));
  const auto closing = static_cast<std::size_t>(std::ceil((1 - c.run.window.skip_last) * n - 1e-9));
  const bool whole = opening == 0 && closing == record.requests.size();
  const Time open = opening == 0 ? Time::min() : record.requests[opening - 1].ended;
  const Time close = closing == record.requests.size() ? Time::max() : record.requests[closing - 1].ended;
  const auto inside = [&](Time end) { return end > open && end <= close; };
  CHECK(report.window.whole_run == whole);

  std::vector<double> ttft, tpot, e2el, decode, end_to_end;
  std::int64_t input = 0, output = 0, completed_output = 0, ended = 0, good = 0, failed = 0;
  Time last_completion{};
  for (std::size_t i = 0; i < record.requests.size(); ++i) {
    const RequestFacts& facts = record.requests[i];
    ended += inside(facts.ended);
    failed += facts.outcome != Outcome::completed;
    if (facts.outcome != Outcome::completed) continue;
    last_completion = facts.ended;
    output += facts.output_tokens;
    if (!inside(facts.ended)) continue;
    completed_output += facts.output_tokens;
    input += record.inputs[i];
    const double first = to_seconds(facts.first_token - record.arrivals[i]);
    const double total = to_seconds(facts.ended - record.arrivals[i]);
    const auto gaps = static_cast<double>(facts.output_tokens - 1);
    ttft.push_back(first * 1e3);
    e2el.push_back(total * 1e3);
    end_to_end.push_back((gaps + 1) / total);
    if (gaps > 0) tpot.push_back((total - first) * 1e3 / gaps);
    if (gaps > 0) decode.push_back(gaps / (total - first));
    good += facts.first_token - record.arrivals[i] <= *c.slo.ttft_p99 &&
            facts.ended - facts.first_token <= *c.slo.tpot_p99 * (facts.output_tokens - 1);
  }
  check_summary(report.ttft, ttft);
  check_summary(report.tpot, tpot);
  check_summary(report.e2el, e2el);
  check_summary(report.user_decode, decode);
  check_summary(report.user_end_to_end, end_to_end);
  CHECK(report.window.requests == ended);
  CHECK(report.total_output_tokens == output);
  CHECK(report.rejected + report.cancelled + report.unfinished == failed);
  CHECK(report.requests_in == count);

  std::optional<Time> first_preemption, last_preemption;
  for (const StepFacts& step : record.steps) {
    if (step.preempted == 0) continue;
    if (!first_preemption) first_preemption = step.start;
    last_preemption = step.start;
  }
  CHECK(report.evictions.first == first_preemption);
  CHECK(report.evictions.last == last_preemption);

  const Time from = opening == 0 ? record.arrivals_in_order.front() : open;
  std::vector<double> itl, lengths;
  double batch = 0, running = 0, waiting = 0, used = 0, cached = 0, waits = 0, kv_read = 0;
  std::int64_t emitted = 0, batch_peak = 0;
  Time last{};
  std::array<double, admission_limit_names.size()> limited{};
  for (std::size_t i = 0; i < record.steps.size(); ++i) {
    const StepFacts& step = record.steps[i];
    if (!inside(step.end)) continue;
    for (const TokenGap& gap : record.gaps[i]) {
      itl.insert(itl.end(), static_cast<std::size_t>(gap.count), to_milliseconds(gap.gap));
    }
    const double lasted = to_seconds(step.end - std::max(step.start, from));
    last = step.end;
    emitted += step.shape.samples;
    running += static_cast<double>(step.running) * lasted;
    waiting += static_cast<double>(step.waiting) * lasted;
    waits += step.waiting > 0 ? lasted : 0;
    used += static_cast<double>(c.server.usable_blocks - step.free_blocks) * lasted;
    cached += static_cast<double>(step.cached_tokens) * lasted;
    kv_read += step.ledger.of(ByteKind::kv_read).value();
    limited[static_cast<std::size_t>(step.limit)] += lasted;
    if (step.scheduled == 0) continue;
    lengths.push_back(to_milliseconds(step.end - step.start));
    batch += static_cast<double>(step.scheduled);
    batch_peak = std::max(batch_peak, step.scheduled);
  }
  check_summary(report.itl, itl, Histogram::relative_error * (1 + 1e-9));
  CHECK(report.steps.batch_peak == batch_peak);
  CHECK(report.ledger.of(ByteKind::kv_read).value() == Approx(kv_read));
  if (lengths.empty()) return;
  CHECK(report.steps.mean_ms == Approx(sum(lengths) / static_cast<double>(lengths.size())));
  CHECK(report.steps.batch_mean == Approx(batch / static_cast<double>(lengths.size())));
  const double covered = to_seconds(last - from);
  const auto usable = static_cast<double>(c.server.usable_blocks);
  const auto block_size = static_cast<double>(c.server.block_size);
  CHECK(report.steps.running_mean == Approx(running / covered));
  CHECK(report.saturation.mean_waiting == Approx(waiting / covered).scale(1e-3));
  CHECK(report.saturation.waiting_share == Approx(waits / covered).scale(1e-3));
  CHECK(report.kv.usage_mean == Approx(used / covered / usable));
  CHECK(report.kv.token_states_mean == Approx(cached / covered / usable / block_size));
  CHECK(report.kv.internal_waste_mean >= -1e-12);
  CHECK(report.kv.token_states_mean + report.kv.internal_waste_mean + report.kv.free_mean == Approx(1).epsilon(1e-12));
  CHECK(report.kv.usage_mean <= report.kv.usage_peak * (1 + 1e-12));
  double shares = 0;
  for (std::size_t i = 0; i < limited.size(); ++i) {
    shares += report.limits.admission[i];
    CHECK(report.limits.admission[i] == Approx(limited[i] / sum({limited.begin(), limited.end()})).scale(1e-3));
  }
  CHECK(shares == Approx(1));
  const std::optional<Saturation> verdict = report.saturation.verdict;
  CHECK(verdict.has_value() == (report.completed > 0));
  // A server that its queue waits for is never said to be held by those who send too little.
  const bool behind = verdict && verdict != Saturation::stable && verdict != Saturation::client_limited;
  if (behind && waits > 0) CHECK(report.limits.batch_limit != "arrivals");
  if (behind && waits > 0) CHECK(report.limits.batch_limit != "clients");

  if (whole && report.completed > 0) CHECK(report.window.close == last_completion);
  const double seconds = report.window.seconds();
  if (!(seconds > 0)) return;
  const auto tokens = static_cast<double>(whole ? completed_output : emitted);
  CHECK(report.output_throughput == Approx(tokens / seconds));
  CHECK(report.total_token_throughput == Approx((tokens + static_cast<double>(input)) / seconds));
  CHECK(report.request_goodput == Approx(static_cast<double>(good) / seconds).scale(1e-6));
}

}  // namespace

TEST_CASE("the report of a random run is what comes of keeping all its facts") {
  Numbers numbers{7};
  const OddCost cost;
  std::int64_t withdrawn = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const Case c = random_case(numbers, cost);
    const auto source = make_request_source(c.workload, static_cast<std::uint64_t>(round));
    RunHeader header;
    header.requests = source->count();
    header.num_blocks = c.server.num_blocks;
    header.usable_blocks = c.server.usable_blocks;
    header.block_size = c.server.block_size;
    header.closed_loop = c.workload.max_concurrency.has_value();
    Measurements measurements(header, c.run, c.slo);
    Record record;
    Observer* const observers[] = {&measurements, &record};
    simulate(c.server, *source, observers);
    check_report(c, record, measurements.report(), header.requests);
    withdrawn += record.withdrawn;
  }
  CHECK(withdrawn > 5);
}
