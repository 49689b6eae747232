// The smallest priority number first; among equals the earliest arrival, then the position in the workload: vLLM V1 with
// policy = priority. Who was evicted gets no boost.

#include <tuple>

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class Priority final : public QueueOrder {
 public:
  bool before(const Sequence& a, const Sequence& b) const override { return key(a.request) < key(b.request); }

 private:
  static std::tuple<std::int64_t, Time, std::int64_t> key(const Request& request) {
    return {request.priority, request.arrival, request.index};
  }
};
}  // namespace

std::unique_ptr<QueueOrder> make_priority_order(const ServerConfig&) { return std::make_unique<Priority>(); }

}  // namespace decodesim
