// The skip-join multi-level feedback queue, over plain queues.

#include <algorithm>
#include <deque>
#include <map>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

class PlainMlfq final : public PlainPoolScheduler {
 public:
  explicit PlainMlfq(const ServerConfig& server) : PlainPoolScheduler(server), knobs_(server.scheduler.mlfq) {}

  PlainPlan plan() override;
  void arrived(PlainSequence& sequence) override;
  void step_ended(const PlainPlan& plan, Duration duration) override;
  void ended(PlainSequence& sequence) override {
    PlainPoolScheduler::ended(sequence);
    leave_queues(&sequence);
  }
  void left(PlainSequence& sequence) override {
    if (std::find(running.begin(), running.end(), &sequence) != running.end()) return ended(sequence);
    leave_queues(&sequence);
    std::erase(waiting, &sequence);
    std::erase(swapped, &sequence);
    sequence.host_blocks = 0;
  }

 private:
  enum class Place { batch, device, host, nowhere };  // runs; or where its KV is
  struct Note {
    std::int64_t level = 0;
    Duration used{};
    Time last_run{};
    Place place = Place::nowhere;
  };
  using List = std::vector<PlainSequence*>;

  [[nodiscard]] Duration quantum(std::int64_t level) const;
  [[nodiscard]] List ranking() const;
  void leave_queues(PlainSequence* sequence);
  void to_front(PlainSequence* sequence, std::int64_t level);
  void lift_starved();
  List choose(PlainPlan& plan);
  bool too_large(PlainPlan& plan, PlainSequence* sequence);
  void make_room(PlainPlan& plan, List& batch);
  void drop_last(PlainPlan& plan, List& batch);
  void move_out(PlainPlan& plan, PlainSequence* sequence);
  void serve(PlainPlan& plan, const List& batch);
  void bring_back(PlainPlan& plan);
  void come_in(PlainPlan& plan, PlainSequence* sequence, std::int64_t tokens);
  [[nodiscard]] std::int64_t host_free() const;
  [[nodiscard]] std::int64_t wanted_free() const {
    return std::max(server_.scheduler.max_num_seqs, knobs_.free_blocks);
  }
  /// What it holds when it runs in this pass.
  [[nodiscard]] std::int64_t tokens_of(const PlainSequence* sequence) const {
    return notes_.at(sequence).place == Place::nowhere ? sequence->known() : sequence->cached + 1;
  }
  [[nodiscard]] std::int64_t need_of(const PlainSequence* sequence) const {
    return pool_.blocks_for(tokens_of(sequence)) - static_cast<std::int64_t>(sequence->blocks.size());
  }

  const MlfqKnobs& knobs_;
  std::map<std::int64_t, std::deque<PlainSequence*>> queues_;  // by level; everybody is in one
  std::map<const PlainSequence*, Note> notes_;
  std::int64_t passes_ = 0;
  bool check_is_due_ = false;
  bool moved_out_ = false;
  AdmissionLimit closed_ = AdmissionLimit::arrivals;
};

Duration PlainMlfq::quantum(std::int64_t level) const {
  Duration length = knobs_.quantum;
  for (std::int64_t i = 0; i < level; ++i) {
    if (length.count() > INT64_MAX / 4 / knobs_.growth) break;
    length *= knobs_.growth;
  }
  return length;
}

/// A new request skips the levels whose quantum its prompt alone would use up.
void PlainMlfq::arrived(PlainSequence& sequence) {
  waiting.push_back(&sequence);
  StepShape prompt;
  const std::int64_t found = found_in_place(server_, sequence);
  prompt.add(found, sequence.input - found, server_.attention_clip);
  prompt.samples = 1;
  const Duration time = server_.cost->price(prompt).duration();
  std::int64_t level = 0;
  while (quantum(level) < time && quantum(level) < quantum(level + 1)) ++level;
  notes_[&sequence] = {level, Duration(0), sequence.request->arrival, Place::nowhere};
  queues_[level].push_back(&sequence);
}

PlainMlfq::List PlainMlfq::ranking() const {
  List all;
  for (const auto& [level, queue] : queues_) all.insert(all.end(), queue.begin(), queue.end());
  return all;
}

void PlainMlfq::leave_queues(PlainSequence* sequence) {
  auto& queue = queues_[notes_[sequence].level];
  queue.erase(std::find(queue.begin(), queue.end(), sequence));
}

void PlainMlfq::to_front(PlainSequence* sequence, std::int64_t level) {
  leave_queues(sequence);
  notes_[sequence].level = level;
  queues_[level].push_front(sequence);
}

/// Who has not run for long goes to the front of the first level.
void PlainMlfq::lift_starved() {
  const List all = ranking();
  for (auto place = all.rbegin(); place != all.rend(); ++place) {
    const Note& note = notes_[*place];
    if (note.place != Place::batch && now - note.last_run >= knobs_.starvation_limit) to_front(*place, 0);
  }
}

PlainPlan PlainMlfq::plan() {
  PlainPlan plan;
  moved_out_ = false;
  closed_ = AdmissionLimit::arrivals;
  if (check_is_due_) lift_starved();
  check_is_due_ = false;

  List batch = choose(plan);
  make_room(plan, batch);
  serve(plan, batch);
  if (!moved_out_) bring_back(plan);

  std::sort(waiting.begin(), waiting.end(),
            [](const PlainSequence* a, const PlainSequence* b) { return a->request->index < b->request->index; });
  if (!waiting.empty()) {
    plan.limit = closed_ == AdmissionLimit::arrivals ? AdmissionLimit::max_num_seqs : closed_;
  }
  const bool idle = running.empty() && swapped.empty() && plan.preempted.empty();
  if (server_.scheduler.never_fits == NeverFits::fail_after && idle && plan.limit == AdmissionLimit::kv_capacity) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    leave_queues(waiting.front());
    waiting.pop_front();
  }
  return plan;
}

/// The first in rank that may run.
PlainMlfq::List PlainMlfq::choose(PlainPlan& plan) {
  List batch;
  std::int64_t budget = server_.scheduler.max_num_batched_tokens;
  bool any_prompt = false;
  for (PlainSequence* sequence : ranking()) {
    if (static_cast<std::int64_t>(batch.size()) == server_.scheduler.max_num_seqs) break;
    const Note& note = notes_[sequence];
    if (note.place == Place::nowhere && closed_ != AdmissionLimit::arrivals) continue;
    if (note.place != Place::batch && too_large(plan, sequence)) continue;
    if (note.place == Place::nowhere) {
      const std::int64_t tokens = sequence->known() - found_in_place(server_, *sequence);
      if (server_.host_blocks > 0 && 10 * host_free() < server_.host_blocks) {
        closed_ = AdmissionLimit::policy;
        continue;
      }
      if (tokens > budget && any_prompt) {
        closed_ = AdmissionLimit::token_budget;
        continue;
      }
      budget -= tokens;
      any_prompt = true;
    }
    batch.push_back(sequence);
  }
  for (PlainSequence* sequence : running) {
    Note& note = notes_[sequence];
    const bool chosen = std::find(batch.begin(), batch.end(), sequence) != batch.end();
    if (note.place != Place::batch || chosen) continue;
    note.place = Place::device;
    note.last_run = now;
  }
  return batch;
}

/// What even the whole pool cannot hold never runs; true where it is so.
bool PlainMlfq::too_large(PlainPlan& plan, PlainSequence* sequence) {
  if (pool_.blocks_for(tokens_of(sequence)) <= server_.usable_blocks) return false;
  if (notes_[sequence].place == Place::device) {
    move_out(plan, sequence);
    if (notes_[sequence].place == Place::nowhere && closed_ != AdmissionLimit::arrivals) return true;
  }
  const bool on_host = notes_[sequence].place == Place::host;
  if (server_.scheduler.never_fits == NeverFits::fail_after) {
    if (on_host) {
      swapped.erase(std::find(swapped.begin(), swapped.end(), sequence));
      sequence->host_blocks = 0;
    } else {
      waiting.erase(std::find(waiting.begin(), waiting.end(), sequence));
    }
    leave_queues(sequence);
    plan.cancelled.push_back({sequence, "the engine gave it up"});
  } else if (!on_host) {
    closed_ = AdmissionLimit::kv_capacity;
  }
  return true;
}

void PlainMlfq::make_room(PlainPlan& plan, List& batch) {
  const auto needed = [&] {
    std::int64_t blocks = 0;
    for (const PlainSequence* sequence : batch) blocks += need_of(sequence);
    return blocks;
  };
  const std::int64_t asked = needed() + wanted_free();
  const List all = ranking();
  for (auto place = all.rbegin(); place != all.rend() && asked > pool_.free(); ++place) {
    const bool chosen = std::find(batch.begin(), batch.end(), *place) != batch.end();
    if (!chosen && notes_[*place].place == Place::device) move_out(plan, *place);
  }
  while (needed() > pool_.free()) drop_last(plan, batch);
}

void PlainMlfq::drop_last(PlainPlan& plan, List& batch) {
  PlainSequence* last = batch.back();
  batch.pop_back();
  Note& note = notes_[last];
  if (note.place == Place::batch) note.last_run = now;
  if (note.place == Place::nowhere) {
    closed_ = AdmissionLimit::kv_capacity;
  } else if (note.place != Place::host) {
    move_out(plan, last);
  }
}

/// To the host, or nowhere where that is full.
void PlainMlfq::move_out(PlainPlan& plan, PlainSequence* sequence) {
  const std::int64_t free_before = pool_.free();
  const bool fits = static_cast<std::int64_t>(sequence->blocks.size()) <= host_free();
  pool_.release(*sequence);
  running.erase(std::find(running.begin(), running.end(), sequence));
  const auto keep = fits ? keep_kv_on_host : lose_kv;
  plan.evictions.push_back(keep(*sequence, nullptr, EvictionReason::retraction, free_before, pool_.free()));
  plan.preempted.push_back(sequence);
  if (fits) {
    swapped.push_back(sequence);
    moved_out_ = true;
  } else {
    waiting.push_back(sequence);
  }
  notes_[sequence].place = fits ? Place::host : Place::nowhere;
}

void PlainMlfq::serve(PlainPlan& plan, const List& batch) {
  std::map<const PlainSequence*, std::int64_t> before;  // tokens that had KV, of those that get some
  // Who goes on takes its block in order of admission, then the others in rank.
  for (PlainSequence* sequence : running) {
    if (notes_[sequence].place != Place::batch) continue;
    before[sequence] = sequence->cached;
    pool_.take(*sequence, need_of(sequence));
  }
  for (PlainSequence* sequence : batch) {
    Note& note = notes_[sequence];
    if (note.place == Place::batch || (note.place == Place::host && moved_out_)) continue;
    if (note.place == Place::device) {
      pool_.take(*sequence, need_of(sequence));
    } else if (note.place == Place::host) {
      come_in(plan, sequence, sequence->cached + 1);
    } else {
      pool_.take(*sequence, need_of(sequence));
      sequence->cached = found_in_place(server_, *sequence);
      if (sequence->cached > 0) plan.found.push_back({sequence, sequence->cached});
      waiting.erase(std::find(waiting.begin(), waiting.end(), sequence));
      running.push_back(sequence);
    }
    note.place = Place::batch;
    before[sequence] = sequence->cached;
  }
  for (PlainSequence* sequence : running) {
    if (before.count(sequence) == 0) continue;
    const std::int64_t tokens = sequence->known() - sequence->cached;
    plan.scheduled.push_back({sequence, sequence->cached, tokens});
    sequence->cached += tokens;
  }
}

/// Ahead of need, from the top on.
void PlainMlfq::bring_back(PlainPlan& plan) {
  std::int64_t count = 0;
  for (PlainSequence* sequence : ranking()) {
    if (notes_[sequence].place != Place::host || pool_.blocks_for(tokens_of(sequence)) > server_.usable_blocks)
      continue;
    if (count++ == server_.scheduler.max_num_seqs) return;
    if (pool_.blocks_for(sequence->cached) + wanted_free() > pool_.free()) return;
    come_in(plan, sequence, sequence->cached);
    notes_[sequence].place = Place::device;
  }
}

void PlainMlfq::come_in(PlainPlan& plan, PlainSequence* sequence, std::int64_t tokens) {
  plan.swapped_in.push_back({sequence, sequence->cached, sequence->host_blocks});
  sequence->host_blocks = 0;
  pool_.take(*sequence, pool_.blocks_for(tokens));
  swapped.erase(std::find(swapped.begin(), swapped.end(), sequence));
  running.push_back(sequence);
}

void PlainMlfq::step_ended(const PlainPlan&, Duration duration) {
  const List all = ranking();
  bool anyone = false;
  for (auto place = all.rbegin(); place != all.rend(); ++place) {
    Note& note = notes_[*place];
    if (note.place != Place::batch) continue;
    anyone = true;
    note.used += duration;
    if (note.used <= quantum(note.level)) continue;
    note.used = Duration(0);
    to_front(*place, note.level + 1);
  }
  if (anyone) check_is_due_ = ++passes_ % knobs_.starvation_check == 0;
}

std::int64_t PlainMlfq::host_free() const {
  std::int64_t used = 0;
  for (const PlainSequence* sequence : swapped) used += sequence->host_blocks;
  return server_.host_blocks - used;
}

}  // namespace

std::unique_ptr<PlainScheduler> make_plain_mlfq(const ServerConfig& server) {
  return std::make_unique<PlainMlfq>(server);
}

}  // namespace decodesim::tests
