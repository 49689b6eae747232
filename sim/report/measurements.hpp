#pragma once
// Takes the facts of a run in constant time each and makes a report of them.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/histogram.hpp"
#include "sim/core/statistics.hpp"
#include "sim/report/ending_window.hpp"
#include "sim/report/eviction_ledger.hpp"
#include "sim/report/kv_waste.hpp"
#include "sim/report/late_endings.hpp"
#include "sim/report/report.hpp"
#include "sim/report/saturation.hpp"
#include "sim/report/service_groups.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// The collector of a run. It keeps sums, a histogram and 36 bytes for each completed request of the window; no step.
/// run_ended() throws BrokenInvariant where the facts do not add up: a request or a token is lost, or time is.
class Measurements : public Observer {
 public:
  /// `class_slo` are the limits of classes that have their own, by name; all others are held against `slo`.
  Measurements(RunHeader header, const RunSpec& run, const SloSpec& slo, std::map<std::string, SloSpec> class_slo = {});

  void arrived(const Request& request) override;
  void step(const StepFacts& facts) override;
  void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) override;
  void ended(const RequestFacts& facts) override;
  void run_ended(const RunFacts& facts) override;

  /// What the facts told so far come to; meant to be asked once the run has ended.
  [[nodiscard]] Report report() const;

 private:
  /// Over the whole run, for what must be conserved.
  struct Totals {
    std::int64_t arrived = 0;
    std::array<std::int64_t, 4> outcomes{};
    std::int64_t completed_input_tokens = 0;
    std::int64_t completed_output_tokens = 0;
    std::int64_t output_tokens = 0;   // of all requests, as these tell
    std::int64_t emitted_tokens = 0;  // of all requests, as steps tell
    std::int64_t accepted_tokens = 0;
    std::int64_t unanswered_tokens = 0;
    std::int64_t gave_up_waiting = 0;
    std::int64_t first_tokens = 0;
    std::int64_t gaps = 0;
    std::int64_t passes = 0;
    TransferReport transfers;
    PrefixReport prefix;
    std::int64_t request_found_tokens = 0;
    Duration longest_wait{};  // before anything was computed
    Duration longest_gap{};   // between two tokens of one request
    std::optional<Time> first_preemption;
    Time last_preemption{};
    Duration busy{};
    Duration accounted_outside{};  // what the ledgers of steps outside the window say of the same time
  };
  /// Over the window. Products of a count and a time are in nanoseconds.
  struct WindowSums {
    Time last{};  // the end of the last step
    std::int64_t passes = 0;
    std::int64_t computing_passes = 0;
    Duration computing_time{};
    std::int64_t batch = 0;
    std::int64_t batch_peak = 0;
    std::int64_t running_peak = 0;
    std::int64_t waiting_peak = 0;
    std::int64_t used_peak = 0;
    double running_time = 0;
    double waiting_time = 0;
    double used_time = 0;
    double cached_time = 0;
    Duration step_time{};
    std::array<Duration, admission_limit_names.size()> limited{};
    std::array<Duration, admission_limit_names.size()> limited_waiting{};  // while something waited
    Ledger ledger;
    std::int64_t emitted_tokens = 0;
    std::int64_t drafted_tokens = 0;
    std::int64_t accepted_tokens = 0;
    std::int64_t requests = 0;
    std::int64_t completed_input_tokens = 0;
    std::int64_t completed_output_tokens = 0;
    std::int64_t good_requests = 0;
    std::int64_t unwanted = 0;                // cancelled by their users, or never put to the server
    std::map<std::string, GoodputLost> lost;  // by class
  };

  void take_back(std::span<const WithdrawnToken> tokens);
  void add_to_window(const StepFacts& facts);
  void add_to_trend(const StepFacts& facts);
  [[nodiscard]] bool has_slo() const {
    return !class_slo_.empty() || slo_.min_goodput || slo_.ttft_p99 || slo_.tpot_p99 || slo_.itl_p99 || slo_.e2el_p99;
  }
  [[nodiscard]] bool measure_completed(const RequestFacts& facts);
  void check_conservation() const;
  [[nodiscard]] WindowReport window_report() const;
  void report_latencies(Report& report) const;
  void report_evictions(Report& report) const;
  void report_goodput_lost(Report& report) const;
  void report_groups(Report& report) const;
  void report_use(Report& report) const;
  void report_limits(Report& report) const;
  void report_saturation(Report& report) const;
  [[nodiscard]] AdmissionLimit holder_of_batch(const std::optional<Saturation>& verdict) const;
  void report_warnings(Report& report) const;

  RunHeader header_;
  RunSpec run_;
  SloSpec slo_;
  std::map<std::string, SloSpec> class_slo_;
  EndingWindow window_;
  Totals totals_;
  WindowSums sums_;
  KvWaste waste_;
  QueueTrend trend_;
  Moments gap_moments_;
  Histogram gap_histogram_;
  std::vector<CompletedRequest> completed_;
  EvictionLedger evictions_;
  LateEndings late_;  // of requests that the ledger has not booked yet
  ServiceGroups<Name> classes_;
  ServiceGroups<Name> tenants_;
  ServiceGroups<std::int64_t> priorities_;
  std::map<std::pair<Outcome, std::string>, std::int64_t> reasons_;
  Time first_arrival_{};
  Time last_arrival_{};
  Time last_completion_{};
  Time last_step_end_{};
  bool last_step_inside_ = false;  // the window
  RunFacts run_facts_;
};

}  // namespace decodesim
