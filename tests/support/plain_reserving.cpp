// Orca and static batching over plain queues. A request gets memory for its whole life when it is admitted, or waits.

#include <algorithm>

#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

namespace {

struct Piece {
  std::int64_t address;
  std::int64_t size;
};

/// A buddy region as a list of its free pieces.
class PlainBuddies {
 public:
  explicit PlainBuddies(std::int64_t slots) {
    std::int64_t size = std::int64_t{1} << 40;
    for (std::int64_t address = 0; size >= 1; size /= 2) {
      if (address + size > slots) continue;
      free_.push_back({address, size});
      address += size;
    }
  }

  [[nodiscard]] std::int64_t largest() const {
    std::int64_t size = 0;
    for (const Piece& piece : free_) size = std::max(size, piece.size);
    return size;
  }
  [[nodiscard]] std::int64_t free() const {
    std::int64_t sum = 0;
    for (const Piece& piece : free_) sum += piece.size;
    return sum;
  }

  bool take(std::int64_t slots, Piece& taken) {
    // The smallest piece that is large enough, the first of these.
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->size < slots) continue;
      if (best == free_.end() || it->size < best->size || (it->size == best->size && it->address < best->address))
        best = it;
    }
    if (best == free_.end()) return false;
    taken = *best;
    free_.erase(best);
    while (taken.size / 2 >= slots) {
      taken.size /= 2;
      free_.push_back({taken.address + taken.size, taken.size});
    }
    return true;
  }

  void give_back(Piece piece) {
    bool joined = true;
    while (joined) {
      joined = false;
      for (auto it = free_.begin(); it != free_.end(); ++it) {
        const bool buddies =
            it->size == piece.size && it->address / (2 * piece.size) == piece.address / (2 * piece.size);
        if (!buddies) continue;
        piece = {std::min(piece.address, it->address), 2 * piece.size};
        free_.erase(it);
        joined = true;
        break;
      }
    }
    free_.push_back(piece);
  }

 private:
  std::vector<Piece> free_;
};

class PlainReserving final : public PlainScheduler {
 public:
  PlainReserving(const ServerConfig& server, bool batch_by_batch)
      : server_(server),
        batch_by_batch_(batch_by_batch),
        holds_(batch_by_batch && server.scheduler.finished_slots == FinishedSlots::hold_until_batch_end),
        pool_(server),
        region_(server.usable_blocks * server.block_size),
        largest_(region_.largest()) {}

  PlainPlan plan() override {
    PlainPlan plan;
    const bool batch_runs = batch_by_batch_ && !running.empty();
    for (PlainSequence* r : running) plan.scheduled.push_back({r, r->cached, 1});
    if (batch_runs) {
      if (!waiting.empty()) plan.limit = AdmissionLimit::policy;
      for (const PlainSequence* gone : held_) plan.padding.add(gone->cached - 1, 1, server_.attention_clip);
    } else {
      admit(plan);
    }
    give_up(plan);
    for (const PlainPlan::Grant& grant : plan.scheduled) grant.sequence->cached += grant.tokens;
    return plan;
  }

  [[nodiscard]] bool fits_alone(const PlainSequence& sequence) const override {
    if (server_.scheduler.reservation == Reservation::blocks)
      return pool_.blocks_for(server_.max_model_len) <= server_.usable_blocks;
    return wanted(sequence) <= largest_;
  }
  void ended(PlainSequence& sequence) override {
    running.erase(std::find(running.begin(), running.end(), &sequence));
    held_.push_back(&sequence);
    if (holds_ && !running.empty()) return;
    for (PlainSequence* gone : held_) give_back(*gone);
    held_.clear();
  }
  [[nodiscard]] std::int64_t free_blocks() const override {
    return contiguous() ? region_.free() / server_.block_size : pool_.free();
  }
  [[nodiscard]] KvSlots slots() const override {
    KvSlots slots{.total = server_.usable_blocks * server_.block_size, .requested = 0, .final_length = 0};
    if (!contiguous()) slots.requested = (server_.usable_blocks - pool_.free()) * server_.block_size;
    for (const PlainSequence* r : running) {
      *slots.final_length += r->input + r->output;
      if (contiguous()) slots.requested += wanted(*r);
    }
    for (const PlainSequence* gone : held_) {
      if (contiguous()) slots.requested += wanted(*gone);
    }
    return slots;
  }

 private:
  void admit(PlainPlan& plan) {
    while (!waiting.empty()) {
      if (static_cast<std::int64_t>(running.size()) >= server_.scheduler.max_num_seqs) {
        plan.limit = AdmissionLimit::max_num_seqs;
        return;
      }
      PlainSequence* r = waiting.front();
      if (!reserve(*r)) {
        plan.limit = AdmissionLimit::kv_capacity;
        return;
      }
      waiting.pop_front();
      running.push_back(r);
      r->cached = server_.serving.prefill == PrefillMode::arrives_computed ? r->input - 1 : 0;
      if (r->cached > 0) plan.found.push_back({r, r->cached});
      plan.scheduled.push_back({r, r->cached, r->known() - r->cached});
    }
  }
  /// With nothing running all is free: a head that is refused now is refused for ever.
  void give_up(PlainPlan& plan) {
    if (server_.scheduler.never_fits != NeverFits::fail_after || !plan.scheduled.empty() || !running.empty()) return;
    if (plan.limit != AdmissionLimit::kv_capacity) return;
    plan.cancelled.push_back({waiting.front(), "can never be admitted"});
    waiting.pop_front();
  }

  [[nodiscard]] bool contiguous() const { return server_.scheduler.reservation != Reservation::blocks; }
  [[nodiscard]] std::int64_t wanted(const PlainSequence& sequence) const {
    std::int64_t power = 1;
    while (power < sequence.output) power *= 2;
    if (server_.scheduler.reservation == Reservation::power_of_two) return sequence.input + power;
    if (server_.scheduler.reservation == Reservation::oracle) return sequence.input + sequence.output;
    return server_.max_model_len;
  }
  bool reserve(PlainSequence& sequence) {
    if (!contiguous()) {
      const std::int64_t blocks = pool_.blocks_for(server_.max_model_len);
      if (blocks > pool_.free()) return false;
      pool_.take(sequence, blocks);
      return true;
    }
    Piece piece{};
    if (!region_.take(wanted(sequence), piece)) return false;
    pieces_.push_back({&sequence, piece});
    return true;
  }
  void give_back(PlainSequence& sequence) {
    if (!contiguous()) return pool_.release(sequence);
    for (auto it = pieces_.begin(); it != pieces_.end(); ++it) {
      if (it->first != &sequence) continue;
      region_.give_back(it->second);
      pieces_.erase(it);
      return;
    }
  }

  const ServerConfig& server_;
  bool batch_by_batch_;
  bool holds_;
  PlainPool pool_;
  PlainBuddies region_;
  std::int64_t largest_;  // chunk of the empty region
  std::vector<std::pair<const PlainSequence*, Piece>> pieces_;
  std::vector<PlainSequence*> held_;  // finished, but their batch has not ended
};

}  // namespace

std::unique_ptr<PlainScheduler> make_plain_orca(const ServerConfig& server) {
  return std::make_unique<PlainReserving>(server, false);
}
std::unique_ptr<PlainScheduler> make_plain_static_batch(const ServerConfig& server) {
  return std::make_unique<PlainReserving>(server, true);
}

}  // namespace decodesim::tests
