#pragma once
// Facts about a run, told as they happen.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/model/ledger.hpp"
#include "sim/model/step_shape.hpp"
#include "sim/workload/request.hpp"

namespace decodesim {

enum class Outcome { completed, rejected, cancelled, unfinished };

// Why a request was not served to its end; the words that reports and CSV files use.
inline constexpr std::string_view reason_prompt_too_long = "prompt reaches max_model_len";
inline constexpr std::string_view reason_never_fits = "never fits the KV pool";
inline constexpr std::string_view reason_preempted_itself = "preempted itself too often";
inline constexpr std::string_view reason_never_admitted = "can never be admitted";
inline constexpr std::string_view reason_prompt_limit = "more tokens than the engine takes as a prompt";
inline constexpr std::string_view reason_never_swapped_in = "can never come back from the host";
inline constexpr std::string_view reason_given_up = "the engine gave it up";
inline constexpr std::string_view reason_timed_out = "timed out";
inline constexpr std::string_view reason_cancelled_by_client = "cancelled by its client";
inline constexpr std::string_view reason_turn_unanswered = "the turn before it was not answered";
inline constexpr std::string_view reason_watchdog = "the watchdog ended the run";
inline constexpr std::string_view reason_interrupted = "the run was interrupted";

/// What an eviction made room for.
enum class EvictionReason {
  decode,     // a decoding sequence that needed its next block
  prefill,    // a chunk of a prompt that already runs
  admission,  // somebody who waited
  retraction  // the whole batch, whose next step did not fit
};
inline constexpr std::array<std::string_view, 4> eviction_reason_names{"decode", "prefill", "admission", "retraction"};

/// What becomes of the KV of who is evicted.
enum class KvFate { dropped, swapped };
inline constexpr std::array<std::string_view, 2> kv_fate_names{"dropped", "swapped"};

/// One sequence that lost its place.
struct EvictionFacts {
  const Request* victim = nullptr;
  const Request* requester = nullptr;  // whom it made room for, itself perhaps; null where it was nobody in particular
  EvictionReason reason = EvictionReason::decode;
  KvFate fate = KvFate::dropped;
  std::int64_t tokens = 0;       // of its KV
  std::int64_t blocks = 0;       // that became free by it
  std::int64_t free_before = 0;  // blocks, just before
};

/// Blocks of one request that a pass moved to the host, or back.
struct SwapFacts {
  const Request* request = nullptr;
  bool out = false;
  std::int64_t blocks = 0;
};

/// Tokens of one request that a step computes although it had them before an eviction.
struct RecomputeFacts {
  const Request* request = nullptr;
  std::int64_t tokens = 0;
};

/// A request at the end of its life. Times that never came are negative.
struct RequestFacts {
  const Request* request = nullptr;
  Outcome outcome = Outcome::completed;
  std::string_view reason;         // empty for completed; a sentence fragment otherwise
  std::int64_t output_tokens = 0;  // tokens really emitted
  Time scheduled{Duration(-1)};    // start of the first step that computed a token of it
  Time first_token{Duration(-1)};
  Time ended{Duration(-1)};  // its last token, its rejection, its cancellation or the end of the run
  std::int64_t preemptions = 0;
  std::int64_t recomputed_tokens = 0;
  std::int64_t discarded_tokens = 0;     // KV that preemptions took from it
  std::int64_t swapped_out_tokens = 0;   // KV that preemptions moved to the host
  std::int64_t found_tokens = 0;         // in place when it was admitted, that it had never had before
  std::int64_t found_again_tokens = 0;   // in place when it came back, of those that preemptions took from it
  std::int64_t host_found_tokens = 0;    // of both, what came from the host tier
  std::int64_t remote_found_tokens = 0;  // and what was loaded from elsewhere
  std::int64_t loads = 0;                // that it waited for before it was admitted
  Duration loading{};                    // how long they took
  // Time that steps spent on recompute, anybody's, from its arrival to its first token and to its end. Within a step the
  // recompute comes last, for those who arrive while it runs.
  Duration recompute_to_first_token{};
  Duration recompute_to_end{};

  /// How long it waited before anything was computed of it, or to its end; nothing where it never waited for that.
  [[nodiscard]] Duration first_wait() const {
    if (outcome == Outcome::rejected) return {};
    return (scheduled < Time{} ? ended : scheduled) - request->arrival;
  }
  /// Whether it completed by its deadline, where it has one.
  [[nodiscard]] bool met_deadline() const {
    return request->deadline && outcome == Outcome::completed && ended - request->arrival <= *request->deadline;
  }
};

/// Did its client leave before it was answered?
inline bool client_left(const RequestFacts& facts) {
  return facts.outcome == Outcome::cancelled &&
         (facts.reason == reason_timed_out || facts.reason == reason_cancelled_by_client);
}

/// KV memory in slots, one a token.
struct KvSlots {
  std::int64_t total = 0;      // 0: this memory does not tell
  std::int64_t requested = 0;  // taken by requests as they asked for them
  // What those requests will fill of it at their ends; absent where memory is taken on demand.
  std::optional<std::int64_t> final_length{};
};

/// So many sequences waited so long between two of their tokens. Tokens of one step arrive together, after one gap.
struct TokenGap {
  Duration gap{};
  std::int64_t count = 0;
};

/// Why a pass admitted no more requests than it did. `policy`: the engine's own rule lets nobody in now, whatever is
/// free: a batch that is closed until it ends, a flag that says full. `kv_loads`: all who wait, wait for KV that is on its
/// way to them.
enum class AdmissionLimit { arrivals, kv_capacity, max_num_seqs, token_budget, policy, kv_loads };
inline constexpr std::array<std::string_view, 6> admission_limit_names{"arrivals",     "kv_capacity", "max_num_seqs",
                                                                       "token_budget", "policy",      "kv_loads"};

/// A token that the step before yielded and that was lost with its sequence before the engine looked at it. The step
/// before told it, and with it a gap where it was not the first of its request: both are to be taken back.
struct WithdrawnToken {
  const Request* request = nullptr;
  std::optional<Duration> gap{};
};

/// What an engine keeps in mind between its passes, by name.
using EngineFigures = std::vector<std::pair<std::string_view, double>>;

/// Who did what in a pass, by request; only for observers that ask, since naming all costs a walk over the batch.
struct ScheduleFacts {
  std::vector<std::pair<const Request*, std::int64_t>> scheduled;      // tokens, in the engine's order
  std::vector<const Request*> preempted;                               // in the order of eviction
  std::vector<const Request*> finished;                                // whose end was applied, in the engine's order
  std::vector<const Request*> waiting;                                 // after the pass, head first
  std::vector<std::pair<const Request*, std::int64_t>> cached_tokens;  // found in place at admission, if any
  std::vector<std::pair<const Request*, std::vector<std::uint32_t>>> block_tables;  // of the scheduled ones
  std::vector<const Request*> swapped_in;  // who came back from the host, in the order of coming back
  std::vector<std::pair<const Request*, std::vector<std::uint32_t>>> held;  // tables of who loads, or waits with its KV
  std::vector<const Request*> loads_started;  // who began to load KV, and holds blocks for it from now on
  EngineFigures planned;                      // after scheduling
  EngineFigures ended;                        // after the step's releases
};

/// The blocks of a pool; only for observers that ask, since to list them costs a walk over all.
struct MemoryFacts {
  std::vector<std::uint32_t> free_queue;     // at the end of the step, what it finished given back; head first
  std::vector<std::uint32_t> hashed_blocks;  // whose KV can be found, whoever holds them; by number
};

/// One pass of the scheduler and the step it led to. Counts are after scheduling and before releases.
struct StepFacts {
  std::int64_t number = 0;  // from 1; idle passes of a fixed grid are counted
  Time start{};
  Time end{};
  StepShape shape;
  Ledger ledger;
  std::int64_t running = 0;    // admitted sequences, whether or not they got a token
  std::int64_t waiting = 0;    // requests in the queue after the pass
  std::int64_t swapped = 0;    // sequences on the host after the pass
  std::int64_t scheduled = 0;  // sequences that got tokens
  std::int64_t preempted = 0;
  std::int64_t free_blocks = 0;
  std::int64_t cached_tokens = 0;  // KV of running sequences, what this step writes included, without drafts
  // Draft tokens that came out: each sequence of shape.samples yields one token, and these beside. Drafts that were
  // accepted beyond the end of a sequence did not come out and are not counted.
  std::int64_t accepted_tokens = 0;
  // Of the tokens that shape.samples counts, those of requests that left while the step ran: nobody got them.
  std::int64_t unclaimed_tokens = 0;
  KvSlots slots;  // of the KV memory, after scheduling
  std::int64_t recomputed_tokens = 0;
  Duration recompute_time{};            // by how much the step would be shorter without them
  std::int64_t found_tokens = 0;        // in place at admissions of this pass, new to who found them
  std::int64_t found_again_tokens = 0;  // in place for victims that came back, of what they had before
  std::int64_t swapped_out_tokens = 0;  // KV moved to the host and back in this pass, by tokens and by bytes
  std::int64_t swapped_in_tokens = 0;
  Bytes swapped_out_bytes{};
  Bytes swapped_in_bytes{};
  std::int64_t host_found_tokens = 0;    // of those found: what the host tier had and the device had not
  std::int64_t remote_found_tokens = 0;  // and what was loaded from elsewhere
  Bytes stored_bytes{};                  // that went to the host tier and came from it
  Bytes loaded_bytes{};
  std::int64_t host_tier_blocks = 0;  // of both
  Bytes loaded_beside_bytes{};        // that began to come from it to requests that wait, which no step's time counts
  // What all of it takes; the ledger says how much of that the step waited for and how much ran beside it.
  Duration transfer_time{};
  std::span<const SwapFacts> swaps;            // whose the blocks are that were swapped
  std::int64_t cached_blocks_evicted = 0;      // of findable KV that nobody held, since the pass before
  std::span<const EvictionFacts> evictions;    // in the order of eviction
  std::span<const RecomputeFacts> recomputes;  // whose the recomputed tokens are, each request once
  // Who runs after the pass and did not before it, or lost its place in it and has it again; each once.
  std::span<const Request* const> entered;
  AdmissionLimit limit = AdmissionLimit::arrivals;
  std::span<const TokenGap> gaps;  // between tokens, of sequences that already had one; equal gaps may repeat
  std::span<const WithdrawnToken> withdrawn;  // in the order of eviction; only where an engine plans ahead of results
  const ScheduleFacts* schedule = nullptr;    // where an observer wants it
  const MemoryFacts* memory = nullptr;        // where an observer wants it
};

/// Tokens that requests got by this step.
inline std::int64_t tokens_out(const StepFacts& facts) {
  return facts.shape.samples + facts.accepted_tokens - facts.unclaimed_tokens;
}

/// The whole run, once, at its end.
struct RunFacts {
  Time end{};  // the last thing that happened
  bool interrupted = false;
  std::string watchdog;  // empty, or why the run was ended: what waits for what
};

/// Facts as they happen. Observers look and never touch the model; a run with none gives the same results. Within an
/// instant the order is: the step that ends, requests that ended, clients that left, arrivals and rejections, then the step
/// that starts.
///
/// A client that leaves while a step runs is told at once, and not with the step that it lies in. That step() comes later
/// and may name the request once more, whatever it did with it.
///
/// An engine that plans ahead applies endings after its next pass, in which who ended still holds its blocks and its
/// place, can be evicted, and may be given a token that is thrown away. So there requests that ended are told after the
/// open loop's arrivals of that instant, and the next step() names them once more: in its schedule, as finished, and
/// among its evictions perhaps. One that plans ahead of results loses the token under way of whom it evicts, perhaps the
/// last one: the next step() takes it back, and the request goes on.
///
/// What facts point to is valid during the call only. The same request may lie elsewhere at its next fact: keep its index,
/// or a copy.
class Observer {
 public:
  virtual ~Observer() = default;
  /// True where step() wants StepFacts::schedule.
  [[nodiscard]] virtual bool wants_schedule() const { return false; }
  /// True where step() wants StepFacts::memory.
  [[nodiscard]] virtual bool wants_memory() const { return false; }
  virtual void arrived(const Request&) {}
  /// A step, told when it is over and before the requests that end with it.
  virtual void step(const StepFacts&) {}
  /// `count` passes of a fixed grid in which nothing ran, the first of them numbered `first` and starting at `start`.
  virtual void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) {
    (void)first;
    (void)count;
    (void)start;
    (void)free_blocks;
  }
  virtual void ended(const RequestFacts&) {}
  virtual void run_ended(const RunFacts&) {}
};

}  // namespace decodesim
