#pragma once
// The schedule that is kept beside a scenario of tests/engine/scenarios, as the table that schedules are printed in.

#include <string>

namespace decodesim::tests {

/// Reads tests/engine/scenarios/`name`.jsonl: a line a pass, as ScheduleTable::text() writes them.
std::string kept_schedule(const std::string& name);

}  // namespace decodesim::tests
