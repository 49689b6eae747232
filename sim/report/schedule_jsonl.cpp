#include "sim/report/schedule_jsonl.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/report/json_writer.hpp"

namespace decodesim {

namespace {

std::string name_of(const Request& request) {
  return request.id.empty() ? std::to_string(request.index) : request.id.text();
}

void names(JsonWriter& json, std::string_view key, const std::vector<const Request*>& requests) {
  json.member_array(key);
  for (const Request* request : requests) json.value(name_of(*request));
  json.end_array();
}

}  // namespace

ScheduleJsonl::ScheduleJsonl(const std::filesystem::path& path, Duration grid_step)
    : file_(path), grid_step_(grid_step) {}

void ScheduleJsonl::step(const StepFacts& facts) {
  check(facts.schedule != nullptr, "a step was told without its schedule to an observer that wants it");
  line(facts.number, facts.start, facts.end, facts.free_blocks, *facts.schedule);
}

void ScheduleJsonl::idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) {
  const ScheduleFacts nothing;
  for (std::int64_t i = 0; i < count; ++i) {
    line(first + i, start + grid_step_ * i, start + grid_step_ * (i + 1), free_blocks, nothing);
  }
}

void ScheduleJsonl::line(std::int64_t number, Time start, Time end, std::int64_t free_blocks,
                         const ScheduleFacts& schedule) {
  JsonWriter json(file_.out(), JsonWriter::Layout::line);
  json.begin_object().member("step", number).key("start_s").seconds(start).key("end_s").seconds(end);
  json.member_array("scheduled");
  for (const auto& [request, tokens] : schedule.scheduled) {
    json.begin_array().value(name_of(*request)).value(tokens).end_array();
  }
  json.end_array();
  names(json, "preempted", schedule.preempted);
  names(json, "finished", schedule.finished);
  names(json, "waiting", schedule.waiting);
  json.member("free_blocks", free_blocks).member_object("cached_tokens");
  for (const auto& [request, tokens] : schedule.cached_tokens) json.member(name_of(*request), tokens);
  json.end_object().member_object("block_tables");
  for (const auto& [request, blocks] : schedule.block_tables) {
    json.member_array(name_of(*request));
    for (std::uint32_t block : blocks) json.value(static_cast<std::int64_t>(block));
    json.end_array();
  }
  json.end_object();
  if (!schedule.swapped_in.empty()) names(json, "swapped_in", schedule.swapped_in);
  if (!schedule.loads_started.empty()) names(json, "loads_started", schedule.loads_started);
  if (!schedule.planned.empty()) {
    json.member_object("engine");
    for (const auto& [figure, value] : schedule.planned) json.member(figure, value);
    json.end_object();
  }
  json.end_object();
  file_.out() << '\n';
  file_.check_written();
}

void ScheduleJsonl::run_ended(const RunFacts&) { file_.commit(); }

}  // namespace decodesim
