#pragma once
// Tokens by their identity, one by one.

#include <cstdint>
#include <tuple>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim::tests {

/// A token, told apart from every other by the run that it is of and its place there; those of a request's own run are
/// ordered behind all others. Salts are not in it.
using PlainToken = std::tuple<bool, std::uint64_t, std::int64_t>;

/// The first `count` tokens of a request: its content, then those of its own run.
std::vector<PlainToken> plain_tokens(const Request& request, std::int64_t count);

}  // namespace decodesim::tests
