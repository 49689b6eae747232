#pragma once
// Everything a run tells its observers, as text that two runs can be compared by.

#include <string>
#include <vector>

#include "sim/serving/observer.hpp"

namespace decodesim::tests {

/// One line a fact, in the order told; gaps are merged and sorted, since their order is free, and of the watchdog only
/// whether it ended the run is said.
class FactsText : public Observer {
 public:
  enum class Names { index, id };
  /// Requests are called by their index or by their id.
  explicit FactsText(Names names = Names::index) : names_(names) {}

  [[nodiscard]] bool wants_schedule() const override { return true; }
  [[nodiscard]] bool wants_memory() const override { return true; }
  void arrived(const Request& request) override;
  void step(const StepFacts& facts) override;
  void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) override;
  void ended(const RequestFacts& facts) override;
  void run_ended(const RunFacts& facts) override;

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  [[nodiscard]] std::string name(const Request* request) const;

  Names names_;
  std::vector<std::string> lines_;
};

std::string_view outcome_name(Outcome outcome);

/// The first line in which two texts differ, both versions of it; empty where they are equal.
std::string first_difference(const std::vector<std::string>& one, const std::vector<std::string>& other);

}  // namespace decodesim::tests
