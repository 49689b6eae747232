#pragma once
// Workloads of scenario files with many of their fields drawn.

#include <random>
#include <string>

namespace decodesim::tests {

/// The value of `workload` in a valid scenario file: a list of requests, or a generator. Every field of either can come up but
/// those that name another file. KV that comes from elsewhere only where `may_load`.
std::string random_workload_text(std::mt19937_64& random, bool may_load);

}  // namespace decodesim::tests
