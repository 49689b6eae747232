#pragma once
// Why two deployments differ in throughput, as factors that multiply to the whole ratio.

#include <optional>
#include <string>
#include <vector>

#include "sim/model/explanation.hpp"

namespace decodesim {

/// A cause of the ratio of tokens/s, B over A. The factors one level below a cause multiply to it; what they leave is a
/// factor of its own. A cause that works against throughput (a longer step) contributes its inverse.
struct Cause {
  int depth = 0;  // 0: the whole ratio
  std::string key;
  std::string label;
  std::optional<double> a;  // values of the term `key`, where it is one
  std::optional<double> b;
  Unit unit = Unit::factor;
  double factor = 1;
};

/// A term that differs.
struct Difference {
  std::string key;
  std::string label;
  Unit unit = Unit::count;
  std::optional<double> a;  // absent where only the other one has the term
  std::optional<double> b;
  std::optional<std::int64_t> context;
};

struct Comparison {
  Remark scope;               // what is compared, without a full stop
  std::vector<Cause> causes;  // each followed by those below it; empty where one of the two runs nothing
  std::vector<Difference> differences;
};

/// Compares the steps that the two explanations take apart, each at its own context and batch.
Comparison compare(const Explanation& a, const Explanation& b);

}  // namespace decodesim
