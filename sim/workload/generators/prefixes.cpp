#include "sim/workload/generators/prefixes.hpp"

#include <algorithm>

#include "sim/core/math.hpp"
#include "sim/workload/length_spec.hpp"

namespace decodesim {

Prefixes::Prefixes(const PrefixGroupsSpec& spec, std::uint64_t seed, const std::string& purpose,
                   const std::string& owner)
    : spec_(spec), owner_(owner), stream_(seed, purpose) {
  if (spec.zipf == 0) return;
  double sum = 0;
  for (std::int64_t k = 1; k <= spec.groups; ++k)
    upper_.push_back(sum += math::pow(static_cast<double>(k), -spec.zipf));
}

// The draw lies above zero and reaches one, so a group has what lies above the one before it and up to itself.
std::int64_t Prefixes::group() {
  if (upper_.empty()) return stream_.integer(0, spec_.groups - 1);
  const double draw = stream_.unit() * upper_.back();
  return std::lower_bound(upper_.begin(), upper_.end(), draw) - upper_.begin();
}

void Prefixes::draw(Request& request) {
  if (spec_.groups == 0) return;
  const bool has_one = stream_.unit() <= spec_.share;
  const std::int64_t chosen = group();
  if (!has_one) return;
  request.prefix_group = owner_ + std::to_string(chosen);
  // A prompt that gets too long by it is cut, as a length that is drawn too long is.
  if (spec_.place == PrefixPlace::added)
    request.input_tokens = std::min(request.input_tokens + spec_.tokens(), longest_request);
  request.prefix_tokens = std::min(spec_.tokens(), request.input_tokens);
}

}  // namespace decodesim
