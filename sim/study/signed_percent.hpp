#pragma once
// A share with its sign, as a percentage.

#include <cmath>
#include <string>

#include "sim/report/number_text.hpp"

namespace decodesim {

/// "+12.3 %", "-0.4 %"; "n/a" where it is not finite.
inline std::string signed_percent(double share) {
  if (!std::isfinite(share)) return "n/a";
  std::string text = fixed_text(share * 100, 1);
  if (text == "-0.0") text = "0.0";
  return (share > 0 && text != "0.0" ? "+" : "") + text + " %";
}

}  // namespace decodesim
