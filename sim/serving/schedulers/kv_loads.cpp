#include "sim/serving/schedulers/kv_loads.hpp"

#include <algorithm>
#include <utility>

namespace decodesim {

void KvLoads::begin_pass(const ReplicaView& view, Draft& draft) {
  began_.clear();
  known_until_ = planned_ahead_ ? std::exchange(last_pass_, view.now()) : view.now();
  for (const Sequence* one : view.loading()) {
    // The next pass will know of it, even where nothing happens until then.
    if (one->load_ends > known_until_ && one->load_ends <= view.now()) draft.moved();
  }
}

Sequence* KvLoads::next(const ReplicaView& view) const {
  for (Sequence* one : view.loading()) {
    const bool is_new = std::find(began_.begin(), began_.end(), one) != began_.end();
    if (one->load_ends <= known_until_ && !is_new) return one;
  }
  return nullptr;
}

std::int64_t KvLoads::set_aside(const ReplicaView& view) {
  std::int64_t blocks = 0;
  const auto add_rest = [&](const Sequence& sequence) {
    const std::int64_t rest = view.blocks_for(sequence.known()) - sequence.blocks_held();
    blocks += std::max<std::int64_t>(0, rest);
  };
  for (const Sequence* one : view.loading()) add_rest(*one);
  for (const Sequence* one : view.prefilling()) {
    if (one->generated == one->generated_at_admission) add_rest(*one);
  }
  return blocks;
}

Time KvLoads::end_from_host(const ReplicaView& view, std::int64_t blocks) {
  host_is_free_ = std::max(host_is_free_, view.now()) + view.time_from_host(blocks);
  return host_is_free_;
}

}  // namespace decodesim
