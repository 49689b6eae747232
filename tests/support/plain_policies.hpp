#pragma once
// The policies that a scenario can choose, over plain queues; by the names that scenarios use.

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

/// The place in `running`, which is in order of admission, of who is evicted next. Who is `loading` holds blocks too.
std::size_t choose_plain_victim(const std::string& victim, const std::vector<PlainSequence*>& running,
                                const std::deque<PlainSequence*>& loading);

/// A request joins the queue: at its end, or where its key puts it.
void enter_plain_queue(const std::string& order, const ServerConfig& server, std::deque<PlainSequence*>& waiting,
                       PlainSequence* sequence);

/// A victim joins the queue.
void put_plain_victim(const std::string& destination, const std::string& order, const ServerConfig& server,
                      std::deque<PlainSequence*>& waiting, PlainSequence* victim);

}  // namespace decodesim::tests
