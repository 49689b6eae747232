#pragma once
// Variants side by side: means over the seeds, and paired differences to the first.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/metric.hpp"
#include "sim/study/paired_difference.hpp"
#include "sim/study/played_seeds.hpp"
#include "sim/study/variant.hpp"

namespace decodesim {

/// One variant in one metric.
struct Standing {
  double mean = not_measured;   // over the seeds that are complete
  double std = not_measured;    // of a sample: divides by n - 1
  PairedDifference difference;  // to the first variant that can run; nothing for that one
  bool best = false;            // no other mean is better, and one is worse
};

struct MetricRow {
  const Metric* metric = nullptr;
  std::vector<Standing> standings;  // of each variant, in their order
};

/// What --fail-above asks: no variant may be worse than the first by more than a share.
struct RegressionLimit {
  const Metric* metric = nullptr;
  double share = 0;
};
/// Reads "p99_ttft_ms=5%". Throws std::invalid_argument with a sentence.
RegressionLimit parse_regression_limit(const std::string& text);

/// A limit that a variant does not keep.
struct Regression {
  RegressionLimit limit;
  std::string variant;
  double worse = not_measured;  // share; infinite where the first has zero; not_measured where nothing can be compared
  std::string why;              // as a sentence
};

struct VariantComparison {
  std::string version;
  std::vector<Variant> variants;
  std::vector<PlayedSeeds> played;         // of each variant
  std::vector<std::string> hashes;         // of each variant's scenario under the first seed; empty where there is none
  std::vector<std::string> request_notes;  // how the requests of variants differ from the first's
  std::uint64_t first_seed = 1;
  std::int64_t seeds = 0;                     // asked for
  std::vector<std::uint64_t> complete_seeds;  // that every variant that can run was played on to its end
  bool seeds_are_equal = false;      // several seeds, and no variant's result depends on which: nothing is drawn
  std::optional<std::size_t> first;  // the variant that others are compared with: the first that can run
  std::vector<MetricRow> rows;
  std::vector<Regression> regressions;
  bool interrupted = false;
};

/// Plays the variants and compares them. Those whose scenario asks for other requests than the first's are noted.
VariantComparison compare_variants(std::vector<Variant> variants, const StudySpec& study,
                                   std::span<const RegressionLimit> limits, const std::atomic<bool>& stop,
                                   const std::function<void(std::int64_t done, std::int64_t all)>& told);

/// A table for people, a column a variant; wide ones are split.
void write_text(const VariantComparison& comparison, std::ostream& out);
/// One JSON document with everything, every run's metrics included.
void write_json(const VariantComparison& comparison, std::ostream& out);

}  // namespace decodesim
