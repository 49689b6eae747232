// In the order of a random number that each request draws once and for all, from a stream of its own: it keeps its place
// when it comes back after an eviction.

#include "sim/core/random.hpp"

#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {
class Random final : public QueueOrder {
 public:
  explicit Random(const ServerConfig& server) : draws_(server.seed, "queue order") {}

  bool before(const Sequence& a, const Sequence& b) const override {
    const std::uint64_t one = draws_.number(a.request.index);
    const std::uint64_t other = draws_.number(b.request.index);
    return one != other ? one < other : a.request.index < b.request.index;
  }

 private:
  IndexedDraws draws_;
};
}  // namespace

std::unique_ptr<QueueOrder> make_random_order(const ServerConfig& server) { return std::make_unique<Random>(server); }

}  // namespace decodesim
