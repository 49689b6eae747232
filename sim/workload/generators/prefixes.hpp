#pragma once
// Which prompts begin alike.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/client_spec.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

/// Deals shared prefixes. Every request takes the same two draws, so that a changed share moves no group.
class Prefixes {
 public:
  /// `owner` stands before the numbers of the groups, so that clients share nothing with each other; may be empty.
  Prefixes(const PrefixGroupsSpec& spec, std::uint64_t seed, const std::string& purpose, const std::string& owner);
  /// Gives `request`, whose lengths are drawn, its prefix or none.
  void draw(Request& request);

 private:
  std::int64_t group();

  PrefixGroupsSpec spec_;
  std::string owner_;
  Stream stream_;
  std::vector<double> upper_;  // under Zipf's law: sum of 1 / k^zipf up to this group
};

}  // namespace decodesim
