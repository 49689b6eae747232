#pragma once
// Independent pieces of work, several at a time.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace decodesim {

/// Calls `work(i)` once for every i below `count`, begun in this order by up to `jobs` threads, the calling one among them;
/// returns when all have ended. Where calls throw, no further one begins and the exception of the lowest index is thrown on:
/// all before it have begun by then, so which one that is does not depend on the number of threads.
void side_by_side(std::size_t count, std::int64_t jobs, const std::function<void(std::size_t index)>& work);

}  // namespace decodesim
