#pragma once
// What evictions cost a run and each class of requests, and what they were for.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/report/eviction_account.hpp"
#include "sim/report/victims.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// Requests by how often they were evicted: 0, 1, 2, 3, 4, then 5 to 8, 9 to 16 and so on.
class PreemptionHistogram {
 public:
  struct Bin {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t requests = 0;
  };
  void add(std::int64_t preemptions);
  PreemptionHistogram& operator+=(const PreemptionHistogram& other);
  /// Up to the last bin that holds a request.
  [[nodiscard]] std::vector<Bin> bins() const;

 private:
  static constexpr std::size_t exact = 5;
  std::array<std::int64_t, exact + 60> counts_{};
};

/// Requests that completed in the window but outside a limit of the SLO on TTFT, TPOT or E2E latency.
struct GoodputLost {
  std::int64_t missed = 0;
  std::int64_t missed_preempted = 0;     // of these, evicted at least once
  std::int64_t missed_by_recompute = 0;  // of these, within all limits on a clock that stops while steps recompute
  double per_second = not_measured;      // the last, a second of the window
  GoodputLost& operator+=(const GoodputLost& other) {
    missed += other.missed;
    missed_preempted += other.missed_preempted;
    missed_by_recompute += other.missed_by_recompute;
    return *this;
  }
};

/// One class of requests, or all of them.
struct EvictionSummary {
  std::string name;
  EvictionAccount account;
  std::int64_t requests = 0;         // that ended, whatever became of them
  std::int64_t preempted = 0;        // of these, at least once
  std::int64_t most = 0;             // evictions of one request
  std::int64_t blocks_received = 0;  // that evictions of others freed for its requests
  std::vector<PreemptionHistogram::Bin> histogram;
  std::optional<GoodputLost> goodput_lost{};  // where the SLO has such a limit
};

/// Memory is constant for a class and follows the victims that are in the server; no step is kept. Its parts add up: by
/// reason, by fate, by request and by class they are the run's, or run_ended() throws BrokenInvariant.
class EvictionLedger {
 public:
  void step(const StepFacts& facts);
  /// The account of the request that ends.
  EvictionAccount ended(const RequestFacts& facts);
  void run_ended() const;

  [[nodiscard]] EvictionSummary run() const;
  /// By name.
  [[nodiscard]] std::vector<EvictionSummary> classes() const;
  [[nodiscard]] const Victims& victims() const { return victims_; }

 private:
  struct Part {
    EvictionAccount account;
    PreemptionHistogram histogram;
    std::int64_t requests = 0;
    std::int64_t preempted = 0;
    std::int64_t most = 0;
    std::int64_t blocks_received = 0;
    Part& operator+=(const Part& other);
  };
  static EvictionSummary summary(std::string name, const Part& part);

  Victims victims_;
  std::map<std::string, Part> classes_;
  // As steps tell; what requests tell is held against it.
  EvictionAccount told_;
};

}  // namespace decodesim
