#pragma once
// Which cost model prices a step, and its constants.

#include "sim/core/time.hpp"

namespace decodesim {

enum class CostKind { fixed, ideal, roofline };
enum class AllReduceChoice { cheapest, one_shot, two_shot, ring, in_network };

struct CostSpec {
  CostKind model = CostKind::roofline;
  Duration step{};                                         // `fixed`: every pass lasts this long
  AllReduceChoice all_reduce = AllReduceChoice::cheapest;  // `roofline`
  Duration host_time{3'000'000};                           // `roofline`: scheduling, sampling, launches; a step
};

}  // namespace decodesim
