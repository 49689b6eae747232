#include "tests/support/facts_text.hpp"

#include <map>
#include <set>

#include "sim/core/check.hpp"

namespace decodesim::tests {

namespace {

std::string text(Duration duration) { return std::to_string(duration.count()); }
std::string text(Time time) { return text(time.time_since_epoch()); }

/// A double by all its digits, so that the smallest difference shows.
std::string text(double number) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%a", number);
  return buffer;
}

std::string text(const StepShape& shape) {
  std::string line;
  for (std::int64_t part : {shape.decodes, shape.decode_context, shape.chunks, shape.chunk_tokens, shape.chunk_context,
                            shape.chunk_pairs, shape.samples, shape.drafts, shape.draft_pairs}) {
    line += " " + std::to_string(part);
  }
  return line;
}

std::string text(const Ledger& ledger) {
  std::string line;
  for (Bytes part : ledger.bytes) line += " " + text(part.value());
  for (Duration part : ledger.time) line += " " + text(part);
  for (Duration part : ledger.bound) line += " " + text(part);
  return line + " hidden " + text(ledger.hidden_host) + " " + text(ledger.hidden_transfers) + " " +
         text(ledger.flops.value());
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::rejected:
      return "rejected";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::unfinished:
      return "unfinished";
  }
  return "";
}

std::string FactsText::name(const Request* request) const {
  return names_ == Names::id ? request->id.text() : std::to_string(request->index);
}

void FactsText::arrived(const Request& request) {
  lines_.push_back("arrived " + name(&request) + " at " + text(request.arrival) + ": " +
                   std::to_string(request.input_tokens) + " in, " + std::to_string(request.output_tokens) + " out of " +
                   std::to_string(request.max_tokens));
}

void FactsText::step(const StepFacts& facts) {
  std::string line = "step " + std::to_string(facts.number) + " from " + text(facts.start) + " to " + text(facts.end);
  line += " running " + std::to_string(facts.running) + " waiting " + std::to_string(facts.waiting);
  line += " scheduled " + std::to_string(facts.scheduled) + " preempted " + std::to_string(facts.preempted);
  line += " free " + std::to_string(facts.free_blocks) + " cached " + std::to_string(facts.cached_tokens) +
          " accepted " + std::to_string(facts.accepted_tokens);
  line += " recomputed " + std::to_string(facts.recomputed_tokens) + " in " + text(facts.recompute_time);
  line += " found " + std::to_string(facts.found_tokens) + " again " + std::to_string(facts.found_again_tokens) +
          " from the host " + std::to_string(facts.host_found_tokens) + " from elsewhere " +
          std::to_string(facts.remote_found_tokens);
  line += " swapped " + std::to_string(facts.swapped) + " out " + std::to_string(facts.swapped_out_tokens) + " " +
          text(facts.swapped_out_bytes.value()) + " in " + std::to_string(facts.swapped_in_tokens) + " " +
          text(facts.swapped_in_bytes.value()) + " transfers " + text(facts.transfer_time);
  line += " host found " + std::to_string(facts.host_found_tokens) + " stored " + text(facts.stored_bytes.value()) +
          " loaded " + text(facts.loaded_bytes.value());
  std::multiset<std::string> swaps;
  for (const SwapFacts& one : facts.swaps) {
    swaps.insert(" #" + std::to_string(one.request->index) + (one.out ? " out " : " in ") + std::to_string(one.blocks) +
                 "b");
  }
  line += " swaps";
  for (const std::string& one : swaps) line += one;
  line +=
      " beside " + text(facts.loaded_beside_bytes.value()) + " tier " + std::to_string(facts.host_tier_blocks) + "b";
  line += " cached evicted " + std::to_string(facts.cached_blocks_evicted) + " evictions";
  for (const EvictionFacts& one : facts.evictions) {
    line += " " + name(one.victim) + " for " + (one.requester != nullptr ? name(one.requester) : "all") + " ";
    line += std::string(eviction_reason_names[static_cast<std::size_t>(one.reason)]) + " ";
    line += std::string(kv_fate_names[static_cast<std::size_t>(one.fate)]) + " " + std::to_string(one.tokens) + "t " +
            std::to_string(one.blocks) + "b of " + std::to_string(one.free_before);
  }
  line += " slots " + std::to_string(facts.slots.total) + " " + std::to_string(facts.slots.requested) + " ";
  line += facts.slots.final_length ? std::to_string(*facts.slots.final_length) : "on demand";
  std::map<std::int64_t, std::string> recomputes;
  for (const RecomputeFacts& one : facts.recomputes) recomputes[one.request->index] = std::to_string(one.tokens);
  line += " recomputes";
  for (const auto& [index, tokens] : recomputes) line += " #" + std::to_string(index) + ":" + tokens;
  std::set<std::int64_t> entered;
  for (const Request* request : facts.entered) entered.insert(request->index);
  check(entered.size() == facts.entered.size(), "nobody enters twice in a pass");
  line += " entered";
  for (std::int64_t index : entered) line += " #" + std::to_string(index);
  line += " limit " + std::string(admission_limit_names[static_cast<std::size_t>(facts.limit)]);
  line += " shape" + text(facts.shape) + " ledger" + text(facts.ledger);

  std::map<std::int64_t, std::int64_t> gaps;
  for (const TokenGap& gap : facts.gaps) gaps[gap.gap.count()] += gap.count;
  line += " gaps";
  for (const auto& [gap, count] : gaps) {
    if (count != 0) line += " " + std::to_string(gap) + "x" + std::to_string(count);
  }

  line += " withdrawn";
  for (const WithdrawnToken& one : facts.withdrawn)
    line += " " + name(one.request) + (one.gap ? " after " + text(*one.gap) : "");

  if (facts.schedule == nullptr) {
    lines_.push_back(line + " without a schedule");
    return;
  }
  line += " schedule";
  for (const auto& [request, tokens] : facts.schedule->scheduled) {
    line += " " + name(request) + ":" + std::to_string(tokens);
  }
  line += " preempted";
  for (const Request* request : facts.schedule->preempted) line += " " + name(request);
  line += " swapped in";
  line += " loads";
  for (const Request* request : facts.schedule->loads_started) line += " " + name(request);
  line += " held";
  for (const auto& [request, blocks] : facts.schedule->held)
    line += " " + name(request) + " " + std::to_string(blocks.size());
  for (const Request* request : facts.schedule->swapped_in) line += " " + name(request);
  line += " finished";
  for (const Request* request : facts.schedule->finished) line += " " + name(request);
  line += " waiting";
  for (const Request* request : facts.schedule->waiting) line += " " + name(request);
  line += " found";
  for (const auto& [request, tokens] : facts.schedule->cached_tokens) {
    line += " " + name(request) + ":" + std::to_string(tokens);
  }
  line += " tables";
  for (const auto& [request, table] : facts.schedule->block_tables) {
    line += " " + name(request) + ":";
    for (std::uint32_t block : table) line += std::to_string(block) + ",";
  }
  for (const EngineFigures* figures : {&facts.schedule->planned, &facts.schedule->ended}) {
    line += figures == &facts.schedule->planned ? " planned" : " ended";
    for (const auto& [figure, value] : *figures) line += " " + std::string(figure) + "=" + text(value);
  }
  line += " free queue";
  for (std::uint32_t block : facts.memory->free_queue) line += " " + std::to_string(block);
  line += " hashed";
  for (std::uint32_t block : facts.memory->hashed_blocks) line += " " + std::to_string(block);
  lines_.push_back(line);
}

void FactsText::idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) {
  lines_.push_back("idle from pass " + std::to_string(first) + ", " + std::to_string(count) + " of them from " +
                   text(start) + " free " + std::to_string(free_blocks));
}

void FactsText::ended(const RequestFacts& facts) {
  lines_.push_back(
      "ended " + name(facts.request) + " " + std::string(outcome_name(facts.outcome)) + " (" +
      std::string(facts.reason) + ") after " + std::to_string(facts.output_tokens) + " tokens, arrived " +
      text(facts.request->arrival) + " scheduled " + text(facts.scheduled) + " first " + text(facts.first_token) +
      " ended " + text(facts.ended) + " preempted " + std::to_string(facts.preemptions) + " recomputed " +
      std::to_string(facts.recomputed_tokens) + " discarded " + std::to_string(facts.discarded_tokens) +
      " swapped out " + std::to_string(facts.swapped_out_tokens) + " found " + std::to_string(facts.found_tokens) +
      " again " + std::to_string(facts.found_again_tokens) + " from the host " +
      std::to_string(facts.host_found_tokens) + " from elsewhere " + std::to_string(facts.remote_found_tokens) +
      " loads " + std::to_string(facts.loads) + " in " + text(facts.loading) + " recompute to first " +
      text(facts.recompute_to_first_token) + " to end " + text(facts.recompute_to_end));
}

void FactsText::run_ended(const RunFacts& facts) {
  lines_.push_back("run ended " + text(facts.end) + (facts.interrupted ? " interrupted" : "") +
                   (facts.watchdog.empty() ? "" : " by the watchdog"));
}

std::string first_difference(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  const std::string end = "(the end)";
  for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    const std::string& left = i < one.size() ? one[i] : end;
    const std::string& right = i < other.size() ? other[i] : end;
    if (left != right) return "line " + std::to_string(i + 1) + ":\n  " + left + "\n  " + right;
  }
  return "";
}

}  // namespace decodesim::tests
