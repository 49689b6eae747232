#pragma once
// The scenario that plays a measured point.

#include <span>
#include <string>
#include <vector>

#include "sim/study/measured_point.hpp"
#include "sim/study/setups.hpp"
#include "sim/study/variant.hpp"

namespace decodesim {

/// What lies beside a point's own row.
struct PointBases {
  std::string base;               // a scenario over those of engine and set-up; empty: none
  std::vector<std::string> sets;  // "path=value", over all the rest
};

/// Each point as a variant to play: the preset of its engine at the bottom, then the bases of its set-up, then the user's,
/// then what its row states, then the user's sets. Where that is no scenario the variant has the reason: nothing says which
/// engine, the model does not fit, a request is longer than the server takes. Throws ScenarioError where no point is a
/// scenario for a mistake in the user's base or sets.
std::vector<Variant> point_variants(std::span<const MeasuredPoint> points, std::span<const PointSetup> setups,
                                    const PointBases& bases);

}  // namespace decodesim
