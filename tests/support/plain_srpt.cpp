// Shortest remaining work first, over plain lists: in every pass all that are here are sorted and the first take what
// there is.

#include <algorithm>
#include <map>

#include "tests/support/plain_lengths.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

class PlainSrpt final : public PlainPoolScheduler {
 public:
  using PlainPoolScheduler::PlainPoolScheduler;

  PlainPlan plan() override;
  void arrived(PlainSequence& sequence) override {
    waiting.push_back(&sequence);
    notes_[&sequence] = {plain_prediction(server_, sequence), Duration(0), sequence.request->arrival, false};
  }

 private:
  struct Note {
    std::int64_t predicted = 0;
    Duration waited{};  // in stretches that are over
    Time since{};       // while it gets no tokens
    bool served = false;
  };
  using Ranking = std::vector<PlainSequence*>;

  [[nodiscard]] bool before(const PlainSequence* a, const PlainSequence* b) const {
    return shorter(server_.scheduler.ageing, length_of(a), length_of(b));
  }
  [[nodiscard]] PlainLength length_of(const PlainSequence* sequence) const {
    const Note& note = notes_.at(sequence);
    return {note.predicted - sequence->emitted, note.waited + (note.served ? Duration(0) : now - note.since),
            sequence->request->index};
  }
  [[nodiscard]] bool holds_kv(const PlainSequence* sequence) const {
    return std::find(running.begin(), running.end(), sequence) != running.end();
  }
  [[nodiscard]] std::int64_t needs(const PlainSequence* sequence, std::int64_t tokens) const {
    return pool_.blocks_for(tokens) - static_cast<std::int64_t>(sequence->blocks.size());
  }
  [[nodiscard]] std::int64_t reachable(const Ranking& ranking, std::size_t place) const;
  bool make_room(PlainPlan& plan, const Ranking& ranking, std::size_t place, std::int64_t blocks,
                 EvictionReason reason);
  void evict(PlainPlan& plan, PlainSequence* victim, PlainSequence* requester, EvictionReason reason);
  void go_on(PlainPlan& plan, const Ranking& ranking, std::size_t place);
  void begin(PlainPlan& plan, const Ranking& ranking, std::size_t place);

  std::map<const PlainSequence*, Note> notes_;
  std::map<const PlainSequence*, std::pair<std::int64_t, std::int64_t>> granted_;  // cached before, tokens
  AdmissionLimit closed_ = AdmissionLimit::arrivals;
  std::int64_t budget_ = 0;
  std::int64_t prompts_ = 0;
};

PlainPlan PlainSrpt::plan() {
  PlainPlan plan;
  granted_.clear();
  closed_ = AdmissionLimit::arrivals;
  budget_ = server_.scheduler.max_num_batched_tokens;
  prompts_ = 0;

  Ranking ranking = running;
  ranking.insert(ranking.end(), waiting.begin(), waiting.end());
  std::sort(ranking.begin(), ranking.end(),
            [this](const PlainSequence* a, const PlainSequence* b) { return before(a, b); });
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    if (static_cast<std::int64_t>(granted_.size()) == server_.scheduler.max_num_seqs) break;
    if (holds_kv(ranking[place])) {
      go_on(plan, ranking, place);
    } else if (closed_ == AdmissionLimit::arrivals) {
      begin(plan, ranking, place);
    }
  }

  std::sort(waiting.begin(), waiting.end(),
            [this](const PlainSequence* a, const PlainSequence* b) { return before(a, b); });
  if (!waiting.empty()) {
    plan.limit = closed_ == AdmissionLimit::arrivals ? AdmissionLimit::max_num_seqs : closed_;
  }
  for (PlainSequence* sequence : ranking) {
    Note& note = notes_[sequence];
    const bool served = granted_.count(sequence) > 0;
    if (served && !note.served) note.waited += now - note.since;
    if (!served && note.served) note.since = now;
    note.served = served;
  }
  for (PlainSequence* sequence : running) {
    const auto granted = granted_.find(sequence);
    if (granted == granted_.end()) continue;
    const auto& [cached, tokens] = granted->second;
    plan.scheduled.push_back({sequence, cached, tokens});
    sequence->cached += tokens;
  }
  const bool idle = running.empty() && plan.preempted.empty();
  if (server_.scheduler.never_fits == NeverFits::fail_after && idle && plan.limit == AdmissionLimit::kv_capacity) {
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }
  return plan;
}

/// Blocks that are free or held by those behind this place.
std::int64_t PlainSrpt::reachable(const Ranking& ranking, std::size_t place) const {
  std::int64_t blocks = pool_.free();
  for (std::size_t i = place + 1; i < ranking.size(); ++i) {
    blocks += static_cast<std::int64_t>(ranking[i]->blocks.size());
  }
  return blocks;
}

/// Evicts from the last in rank on, until so many blocks are free; false where nobody behind this place holds any.
bool PlainSrpt::make_room(PlainPlan& plan, const Ranking& ranking, std::size_t place, std::int64_t blocks,
                          EvictionReason reason) {
  for (std::size_t i = ranking.size() - 1; i > place && blocks > pool_.free(); --i) {
    if (holds_kv(ranking[i])) evict(plan, ranking[i], ranking[place], reason);
  }
  return blocks <= pool_.free();
}

void PlainSrpt::evict(PlainPlan& plan, PlainSequence* victim, PlainSequence* requester, EvictionReason reason) {
  const std::int64_t free_before = pool_.free();
  pool_.release(*victim);
  plan.evictions.push_back(lose_kv(*victim, requester, reason, free_before, pool_.free()));
  plan.preempted.push_back(victim);
  running.erase(std::find(running.begin(), running.end(), victim));
  if (!gave_up(plan, server_, victim)) waiting.push_back(victim);
}

/// One more token for a sequence that has KV. Where it lacks a block and cannot get one, it gives up its own: at once
/// where it ran, and where it was paused only if nobody else runs.
void PlainSrpt::go_on(PlainPlan& plan, const Ranking& ranking, std::size_t place) {
  PlainSequence* sequence = ranking[place];
  const std::int64_t blocks = needs(sequence, sequence->cached + 1);
  if (make_room(plan, ranking, place, blocks, EvictionReason::decode)) {
    pool_.take(*sequence, blocks);
    granted_[sequence] = {sequence->cached, 1};
    return;
  }
  closed_ = AdmissionLimit::kv_capacity;
  if (notes_[sequence].served || granted_.empty()) evict(plan, sequence, sequence, EvictionReason::decode);
}

/// All known tokens of a sequence that has no KV.
void PlainSrpt::begin(PlainPlan& plan, const Ranking& ranking, std::size_t place) {
  PlainSequence* sequence = ranking[place];
  const std::int64_t found = found_in_place(server_, *sequence);
  const std::int64_t tokens = sequence->known() - found;
  if (tokens > budget_ && prompts_ > 0) {
    closed_ = AdmissionLimit::token_budget;
    return;
  }
  const std::int64_t blocks = needs(sequence, sequence->known());
  if (blocks > reachable(ranking, place)) {
    closed_ = AdmissionLimit::kv_capacity;
    return;
  }
  make_room(plan, ranking, place, blocks, EvictionReason::admission);
  pool_.take(*sequence, blocks);
  waiting.erase(std::find(waiting.begin(), waiting.end(), sequence));
  running.push_back(sequence);
  sequence->cached = found;
  if (found > 0) plan.found.push_back({sequence, found});
  granted_[sequence] = {found, tokens};
  budget_ -= tokens;
  prompts_ += 1;
}

}  // namespace

std::unique_ptr<PlainScheduler> make_plain_srpt(const ServerConfig& server) {
  return std::make_unique<PlainSrpt>(server);
}

}  // namespace decodesim::tests
