#pragma once
// Which cost model prices a step, and its constants.

#include "sim/core/time.hpp"
#include "sim/model/efficiency_spec.hpp"

namespace decodesim {

enum class CostKind { fixed, ideal, roofline, calibrated };
enum class AllReduceChoice { cheapest, one_shot, two_shot, ring, in_network };

struct CostSpec {
  CostKind model = CostKind::roofline;
  Duration step{};                                         // `fixed`: every pass lasts this long
  AllReduceChoice all_reduce = AllReduceChoice::cheapest;  // `roofline`, `calibrated`
  Duration host_time{3'000'000};                           // `roofline`, `calibrated`: a step; hidden where async
  Duration host_per_sequence{};                            // the same for each sequence of the step
  EfficiencySpec efficiency;                               // `calibrated`
};

}  // namespace decodesim
