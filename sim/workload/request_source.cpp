#include "sim/workload/request_source.hpp"

#include "sim/core/check.hpp"
#include "sim/workload/sources.hpp"

namespace decodesim {

std::unique_ptr<RequestSource> make_request_source(const WorkloadSpec& workload, std::uint64_t seed,
                                                   std::optional<std::int64_t> longest) {
  switch (workload.kind) {
    case WorkloadKind::requests:
      return make_list_source(workload.requests);
    case WorkloadKind::trace:
      return make_trace_source(workload.trace, longest, seed);
    case WorkloadKind::generator:
      return make_generator_source(workload, seed);
  }
  throw BrokenInvariant("a workload of unknown kind");
}

}  // namespace decodesim
