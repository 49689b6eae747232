#pragma once
// How far predictions for a GPU and an engine were from measurements: what `validate --trust` writes, for runs to quote.

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "sim/study/validation.hpp"

namespace decodesim {

/// Errors over all rows held of one GPU, engine, cost model with its constants, and metric.
struct TrustEntry {
  std::string gpu;
  std::string engine;
  std::string cost;
  std::string constants;  // of the engine, as cost_constants() names them
  std::string served;     // models and formats of weights that the rows ran, as served_in() names them, joined by ", "
  std::string metric;     // one of measured_metric_names
  std::int64_t rows = 0;
  double median_error = 0;  // of the absolute relative errors, as is p90_error
  double p90_error = 0;
  std::string median_signed_error;  // a percentage with its sign: "-3.1 %"
};

struct TrustTable {
  std::int64_t version = 1;
  std::vector<TrustEntry> validated;

  /// All metrics of a GPU and engine under a cost model with these constants; none: not validated.
  [[nodiscard]] std::vector<TrustEntry> of(const std::string& gpu, const std::string& engine, const std::string& cost,
                                           const std::string& constants) const;
};

/// A name for the constants that `calibrated` prices the engine with, eight hexadecimal digits, so that errors are quoted
/// for these alone; empty under other cost models.
std::string cost_constants(const Scenario& scenario);

/// "llama-3.1-70b in fp8": errors of one model and format say little of another.
std::string served_in(const Scenario& scenario);

/// What a run of `scenario` can say of itself: the errors of its GPU, engine, cost model and constants against
/// measurements, of what the rows ran, and whether this model and format are among it; or that it is not validated. Parts
/// are joined by "; ". Empty under `fixed`, which predicts nothing.
std::string trust_in(const Scenario& scenario, const TrustTable& table);

/// Writes a table as YAML that load_trust() reads, with the comment that says where it comes from.
void write_trust(const Validation& validation, std::ostream& out);

/// Throws ScenarioError with every mistake, UnreadableFile where it cannot be read.
TrustTable load_trust(const std::filesystem::path& file);
/// The table that comes with the program, hardware/validation.yaml; an empty one where there is none.
TrustTable load_default_trust();

/// "TPOT median 4.1 %, p90 12.0 % over 45 rows" for each metric, joined; "not validated" of none.
std::string trust_text(std::span<const TrustEntry> entries);

}  // namespace decodesim
