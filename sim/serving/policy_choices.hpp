#pragma once
// What a scenario chooses in place of its engine's own policies, axis by axis.

#include <optional>
#include <string>

namespace decodesim {

/// Names of rows of the policy table; absent: the engine's own choice.
struct PolicyChoices {
  std::optional<std::string> queue_order;
  std::optional<std::string> admission;
  std::optional<std::string> victim;
  std::optional<std::string> destination;
  std::optional<std::string> kv_fate;
  std::optional<std::string> after_eviction;
};

}  // namespace decodesim
