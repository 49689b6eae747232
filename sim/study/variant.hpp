#pragma once
// What is compared: scenario files, their cases, and values laid over them.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/scenario.hpp"

namespace decodesim {

/// One scenario of a comparison, or why there is none.
struct Variant {
  std::string name;                  // no other variant of the comparison has it
  std::string file;                  // as the user named it
  std::vector<std::string> sets;     // "path=value", what was varied
  std::optional<Scenario> scenario;  // absent: it did not load
  std::string objection;             // why it cannot run; empty where it can
};

/// Values that take turns at one place of a scenario.
struct VariedField {
  std::string path;
  std::vector<std::string> values;  // at least one
};

/// Reads "scheduler.engine=vllm-v1,sglang". A comma inside brackets or quotes belongs to the value. Throws
/// std::invalid_argument with a sentence where there is no path, no value, an empty one, or one twice.
VariedField parse_varied_field(const std::string& text);

/// Every file with every combination of values (the first field slowest) and every case of it, in this order. `sets` are
/// laid over all. What is wrong with a variant that does not load, and warnings, go to `diagnostics`. A file that cannot be
/// read makes a variant that cannot run. Throws std::invalid_argument where two variants would be the same.
std::vector<Variant> make_variants(std::span<const std::string> files, std::span<const VariedField> varied,
                                   std::span<const std::string> sets, std::vector<Diagnostic>& diagnostics);

/// How the requests of `other` differ from those of `first` under the same seed, as a clause after its name; empty where
/// they are the same. Throws TraceError.
std::string difference_of_requests(const Scenario& first, const Scenario& other, std::uint64_t seed);

}  // namespace decodesim
