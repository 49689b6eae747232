// Iteration-level scheduling (Orca, OSDI 2022): all that runs decodes in every step, and who fits joins with its whole
// prompt in the same step. Memory is reserved for a whole life, so nobody is ever evicted.

#include "sim/serving/policy_factories.hpp"
#include "sim/serving/schedulers/reserving.hpp"

namespace decodesim {

namespace {
class Orca final : public ReservingScheduler {
 public:
  using ReservingScheduler::ReservingScheduler;
  void plan(const ReplicaView& view, Draft& draft) override { admit(view, draft); }
};
}  // namespace

EngineParts make_orca(const ServerConfig& server) { return reserving_engine<Orca>(server, false); }

}  // namespace decodesim
