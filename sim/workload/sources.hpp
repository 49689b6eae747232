#pragma once
// The three kinds of request source, each in a file of its own.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/workload/request_source.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

/// The requests listed, by arrival; equal arrivals stay in the order listed. Indexes become positions in that order,
/// and a `max_tokens` of 0 becomes `output_tokens`.
std::unique_ptr<RequestSource> make_list_source(std::vector<Request> requests);

/// The rows of a trace file, which is read twice: once to check all of it and count, and again as the run needs them, unless it
/// has sessions, which are kept. `longest` is the most tokens of prompt and answer that the server takes. Throws TraceError.
std::unique_ptr<RequestSource> make_trace_source(const TraceSpec& spec, std::optional<std::int64_t> longest,
                                                 std::uint64_t seed);

/// Requests drawn as they are needed, each purpose from a stream of its own of `seed`: "arrivals", "input lengths",
/// "output lengths", "prefix groups", "clients" and so on; what a client has of its own ends in " of NAME". Throws
/// TraceError where lengths are drawn from a trace that cannot be read.
std::unique_ptr<RequestSource> make_generator_source(const WorkloadSpec& workload, std::uint64_t seed);

}  // namespace decodesim
