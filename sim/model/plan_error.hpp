#pragma once
// A deployment that cannot work, as a value.

#include <string>

namespace decodesim {

struct PlanError {
  std::string key;      // what to change first, as a scenario writes it: "memory.utilization"
  std::string message;  // what is wrong and what would help
};

}  // namespace decodesim
