#pragma once
// What a table of measurements does not say of its rows: which server each stands for, in a file of its own.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/reading.hpp"
#include "sim/study/measured_point.hpp"

namespace decodesim {

/// What a column of a table calls something, and what we call it.
struct NameMeaning {
  std::string column;  // as in MeasuredColumn's own names
  std::string text;
  std::string means;
};

/// Which points a set-up is for. What is not stated is true of all.
struct SetupCondition {
  std::string id;    // the point's id begins so
  std::string note;  // its note begins so
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t tp_below = 0;
};

struct SetupText {
  std::string text;
};

/// What holds for the points of a condition. Every set-up that fits a point applies to it, later ones over earlier.
struct Setup {
  std::string name;  // what tables call its points; empty: as an earlier one says
  SetupCondition when;
  std::string base;                              // a scenario, absolute
  std::vector<SetupText> sets;                   // "path=value", laid over the base
  std::optional<double> shortest;                // lengths are uniform from this share of the row's up to it
  std::optional<std::int64_t> num_requests;      // of a run
  std::optional<std::int64_t> rounds;            // closed loop: num_requests is so many a client
  std::optional<bool> clients_are_max_num_seqs;  // closed loop: the server ran with max_num_seqs = clients
  std::optional<bool> derive_throughput;         // closed loop with both TTFT and TPOT: output throughput follows
  std::optional<bool> weak_evidence;             // what is not known of the server may be what makes an error
  std::vector<SetupText> not_held;               // metrics that are predicted but not counted
  std::string because;                           // why they are not
};

struct Setups {
  std::int64_t version = 1;
  std::vector<NameMeaning> names;
  std::vector<Setup> setups;

  /// What `text` in `column` stands for; itself where no meaning is given.
  [[nodiscard]] std::string meaning(std::string_view column, const std::string& text) const;
};

/// All that the set-ups of a file say of one point, joined.
struct PointSetup {
  std::string name;
  std::vector<std::string> bases;
  std::vector<std::string> sets;
  double shortest = 1;
  std::int64_t num_requests = 0;  // 0: not stated
  std::int64_t rounds = 0;        // 0: not stated
  bool clients_are_max_num_seqs = false;
  bool derive_throughput = false;
  bool weak_evidence = false;
  std::vector<std::string> not_held;
  std::string because;

  [[nodiscard]] bool holds(MeasuredMetric metric) const;
  /// Of the longest length, what an average one is.
  [[nodiscard]] double mean_share() const { return (1 + shortest) / 2; }
};
PointSetup setup_of(const Setups& setups, const MeasuredPoint& point);

/// The set-ups of a YAML file. Throws ScenarioError with every mistake, UnreadableFile where it cannot be read.
Setups load_setups(const std::filesystem::path& file);

/// The table that comes with the program, scenarios/validation/setups.yaml, or none where there is no catalog.
Setups load_default_setups();

}  // namespace decodesim
