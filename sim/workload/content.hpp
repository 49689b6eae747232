#pragma once
// What prompts have in common.

#include <cstdint>
#include <string_view>

#include "sim/workload/request.hpp"

namespace decodesim {

/// The run that every prompt of a prefix group begins with. Its key has the highest bit set, which no hash id has, so
/// that groups and ids never mean the same tokens; two names get the same key in one of 2^63 cases.
TokenRun prefix_of_group(std::string_view group, std::int64_t tokens);

/// Counts out the runs of `request.content` from what it says of itself: a prefix group, or hash ids with the size of
/// their blocks, of which the prompt's end may cut the last. Runs that are counted out stay as they are.
void state_content(Request& request);

/// Lets the prompt of `turn` begin with the prompt and the answer of the turn before it, which is counted out, as far as it
/// is long enough. A turn that says itself what it begins with (hash ids) is left as it is.
void continue_session(const Request& before, Request& turn);

}  // namespace decodesim
