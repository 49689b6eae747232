#pragma once
// Tokens of prompts and answers, turns of sessions, and durations, drawn one by one.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/core/time.hpp"
#include "sim/workload/length_spec.hpp"

namespace decodesim {

/// Prompt and answer of one request.
struct LengthPair {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// The rows of the trace `file`. Throws TraceError where it cannot be read.
std::shared_ptr<const std::vector<LengthPair>> read_lengths(const std::string& file);

enum class LengthColumn { input_tokens, output_tokens };

/// Draws by inversion from one distribution: one draw each, and two under pareto_lognormal.
class Lengths {
 public:
  /// `column` is what an empirical distribution takes from its trace. Throws TraceError.
  Lengths(const LengthSpec& spec, std::uint64_t seed, const std::string& purpose,
          LengthColumn column = LengthColumn::input_tokens);
  std::int64_t next();

 private:
  [[nodiscard]] std::int64_t cut(double drawn) const;
  double normal();
  double lognormal();

  LengthSpec spec_;
  LengthColumn column_;
  Stream stream_;
  std::shared_ptr<const std::vector<LengthPair>> rows_;
};

/// Draws whole rows of a trace.
class JointLengths {
 public:
  /// Throws TraceError.
  JointLengths(const std::string& file, std::uint64_t seed, const std::string& purpose);
  LengthPair next();

 private:
  Stream stream_;
  std::shared_ptr<const std::vector<LengthPair>> rows_;
};

/// Think times and their like: one draw each, none where they are constant.
class Durations {
 public:
  Durations(const DurationSpec& spec, std::uint64_t seed, const std::string& purpose);
  Duration next();

 private:
  DurationSpec spec_;
  Stream stream_;
};

}  // namespace decodesim
