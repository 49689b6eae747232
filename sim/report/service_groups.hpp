#pragma once
// How each class, tenant and priority was served.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/name.hpp"
#include "sim/core/statistics.hpp"
#include "sim/core/time.hpp"
#include "sim/report/report_spec.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// A completed request of the window.
struct CompletedRequest {
  Duration ttft;
  Duration e2el;
  std::int64_t output_tokens;

  [[nodiscard]] double ttft_ms() const { return to_milliseconds(ttft); }
  [[nodiscard]] double e2el_ms() const { return to_milliseconds(e2el); }
  /// Nothing where one token is all.
  [[nodiscard]] std::optional<double> tpot_ms() const {
    if (output_tokens < 2) return {};
    return to_milliseconds(e2el - ttft) / static_cast<double>(output_tokens - 1);
  }
};

/// Requests of one class, tenant or priority.
struct GroupReport {
  std::string name;
  // The whole run.
  std::int64_t requests = 0;
  std::int64_t completed = 0;
  std::int64_t preemptions = 0;
  std::int64_t recomputed_tokens = 0;
  std::int64_t with_deadline = 0;
  std::int64_t deadlines_met = 0;  // completed by it
  double service = not_measured;   // output tokens a second of the time in which it had a request in the server
  Duration longest_wait{};         // from arrival to the first step that computed a token, or to its end
  // The window, of requests that completed in it.
  std::int64_t measured = 0;
  double output_throughput = not_measured;  // their tokens a second of the window
  double request_goodput = not_measured;    // within every limit of the SLO; not_measured without one
  std::optional<SloSpec> slo{};             // its own limits, where the classes have such
  Summary ttft;                             // milliseconds; left out where there is one group, since they are the run's
  Summary tpot;
  Summary e2el;
};

/// The groups of one kind. Keeps constant memory a group and, where there are several, four bytes a completed request of
/// the window.
template <class Key>
class ServiceGroups {
 public:
  ServiceGroups() = default;
  ServiceGroups(const ServiceGroups&) = delete;  // it knows one of its own groups by its place
  ServiceGroups& operator=(const ServiceGroups&) = delete;

  void arrived(const Key& key, Time at);
  /// `completed` is null where the request did not complete in the window.
  void ended(const Key& key, const RequestFacts& facts, const CompletedRequest* completed, bool good);
  /// By key. `requests` are those that ended() was told of with a value, in that order.
  [[nodiscard]] std::vector<GroupReport> report(std::span<const CompletedRequest> requests, double window_seconds,
                                                bool has_slo) const;

 private:
  struct Group {
    std::uint32_t number = 0;
    std::int64_t requests = 0;
    std::int64_t completed = 0;
    std::int64_t preemptions = 0;
    std::int64_t recomputed_tokens = 0;
    std::int64_t with_deadline = 0;
    std::int64_t deadlines_met = 0;
    std::int64_t output_tokens = 0;  // of all its requests
    std::int64_t measured = 0;
    std::int64_t measured_tokens = 0;
    std::int64_t good = 0;
    Duration longest_wait{};
    std::int64_t inside = 0;  // requests in the server
    Time inside_since{};
    Duration active{};  // something of it was inside
  };
  Group& group(const Key& key);

  void note_number(std::uint32_t number);
  void summarize_each(std::span<const CompletedRequest> requests, std::vector<GroupReport>& reports) const;

  std::map<Key, Group> groups_;
  typename std::map<Key, Group>::iterator last_ = groups_.end();  // that was asked for
  std::int64_t measured_ = 0;                                     // completed requests of the window
  std::vector<std::uint32_t> numbers_;                            // the group of each of them, where there are several
};

/// Jain's index (sum x)^2 / (n sum x^2) over the service of the groups that have one: 1 where all are served alike, 1/n
/// where one is served alone. Not measured for fewer than two.
double jain_index(std::span<const GroupReport> groups);

}  // namespace decodesim
