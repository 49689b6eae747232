#include "tests/support/schedule_table.hpp"

#include <algorithm>

#include "tests/support/facts_text.hpp"

namespace decodesim::tests {

namespace {

void append(std::string& line, const std::string& word) {
  if (!line.empty()) line += " ";
  line += word;
}

std::string ids(const std::vector<const Request*>& requests) {
  std::string line;
  for (const Request* request : requests) append(line, request->id);
  return line;
}

std::string numbers(const std::vector<std::uint32_t>& blocks) {
  std::string line;
  for (std::uint32_t block : blocks) line += (line.empty() ? "" : ",") + std::to_string(block);
  return line;
}

}  // namespace

void ScheduleTable::step(const StepFacts& facts) {
  const ScheduleFacts& schedule = *facts.schedule;
  ScheduleRow row;
  row.pass = facts.number;
  for (const auto& [request, tokens] : schedule.scheduled) append(row.scheduled, request->id + std::to_string(tokens));
  for (const auto& [request, table] : schedule.block_tables)
    append(row.tables, request->id + "[" + numbers(table) + "]");
  for (const auto& [request, tokens] : schedule.cached_tokens) append(row.found, request->id + std::to_string(tokens));
  row.free_queue = numbers(facts.memory->free_queue);
  row.hashed = numbers(facts.memory->hashed_blocks);
  row.preempted = ids(schedule.preempted);
  for (const auto& [request, table] : schedule.held) append(row.held, request->id + "[" + numbers(table) + "]");
  row.loads = ids(schedule.loads_started);
  row.free_blocks = facts.free_blocks;
  row.finished = ids(schedule.finished);
  row.waiting = ids(schedule.waiting);
  rows_.push_back(row);
}

void ScheduleTable::idle(std::int64_t first, std::int64_t count, Time, std::int64_t free_blocks) {
  for (std::int64_t i = 0; i < count; ++i) {
    ScheduleRow row;
    row.pass = first + i;
    row.free_blocks = free_blocks;
    // Nothing moves while nobody is there.
    if (rows_.empty()) {
      for (std::int64_t block = 1; block <= free_blocks; ++block)
        row.free_queue += (block > 1 ? "," : "") + std::to_string(block);
    } else {
      row.free_queue = rows_.back().free_queue;
      row.hashed = rows_.back().hashed;
    }
    rows_.push_back(row);
  }
}

void ScheduleTable::ended(const RequestFacts& facts) {
  endings_ += facts.request->id + " " + std::string(outcome_name(facts.outcome));
  if (!facts.reason.empty()) endings_ += " (" + std::string(facts.reason) + ")";
  endings_ += " at " + std::to_string(facts.ended.time_since_epoch() / std::chrono::seconds(1)) + " s\n";
}

std::string ScheduleTable::text(std::size_t count) const {
  std::string table;
  for (std::size_t i = 0; i < std::min(count, rows_.size()); ++i) {
    const ScheduleRow& row = rows_[i];
    std::string line;
    for (const std::string& cell : {std::to_string(row.pass), row.scheduled, row.preempted,
                                    std::to_string(row.free_blocks), row.finished, row.waiting}) {
      if (!line.empty()) line += " |";
      if (!cell.empty()) line += (line.empty() ? "" : " ") + cell;
    }
    table += line + "\n";
  }
  return table;
}

}  // namespace decodesim::tests
