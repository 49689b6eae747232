#pragma once
// What a run came to: plain numbers, in the units that their names say, before any is written.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/core/time.hpp"
#include "sim/model/ledger.hpp"
#include "sim/report/eviction_ledger.hpp"
#include "sim/report/physical_bound.hpp"
#include "sim/report/report_spec.hpp"
#include "sim/report/saturation.hpp"
#include "sim/report/service_groups.hpp"
#include "sim/serving/observer.hpp"
#include "sim/workload/traces/account.hpp"

namespace decodesim {

/// Outcome, as reports and files write it.
inline constexpr std::array<std::string_view, 4> outcome_names{"completed", "rejected", "cancelled", "unfinished"};

/// What is known of a run before it starts; everything that reproduces it, and what its report has to state.
struct RunHeader {
  std::string version;    // of the program
  std::string scenario;   // its name
  std::string case_name;  // empty where the scenario has no cases
  std::string hash;       // of the resolved scenario
  std::uint64_t seed = 1;
  std::int64_t requests = 0;     // in the workload; at most, where it closes
  bool requests_known = true;    // false: as many as the server answers until it closes
  std::optional<Time> closes{};  // nobody asks from then on
  std::int64_t num_blocks = 0;
  std::int64_t usable_blocks = 0;
  std::int64_t block_size = 0;
  std::int64_t max_model_len = 0;  // tokens of prompt and answer; 0: not told
  Bytes moved_block{};             // that a block has where it moves to the host, on all ranks
  bool closed_loop = false;
  bool prompts_arrive_computed = false;
  std::string cost_model;  // "fixed", "ideal", "roofline", "calibrated"
  std::string trust;       // how far its predictions were from measurements; empty where that is not known or meant
  PhysicalBound bound;     // that every step is held against
  // What was run, each empty where the scenario leaves it open.
  std::string deployment;            // in words: "llama-3-70b with bf16 weights and bf16 KV cache, tp 8 on hgx-h100"
  std::string model;                 // "llama-3-70b"
  std::string node;                  // "hgx-h100"
  std::int64_t tp = 1;               // tensor-parallel ranks
  std::string weights;               // number format: "bf16"
  std::string kv_cache;              // number format
  std::string engine;                // "vllm-v1"
  std::int64_t draft_tokens = 0;     // that speculation proposes for a sequence in a step; 0: it is off
  std::string victim_rule;           // "last-admitted"; empty where the engine never evicts
  std::vector<std::string> oracles;  // what its policies know that no real server could, a phrase each
  std::string more_requests = "raise workload.num_requests";  // how its user gets a longer run
  std::optional<TraceAccount> trace;                          // what became of its rows, where the workload is a trace
  std::vector<DefaultUsed> defaults;
  std::vector<std::string> warnings;
};

/// The stretch of time that rates, means, use and percentiles are taken over.
struct WindowReport {
  bool whole_run = true;
  bool opened = true;          // false: the run ended before it opened, and nothing was measured
  Time open{};                 // first arrival, or the ending that opened it; what happens at this instant is outside
  Time close{};                // last completion, or the ending that closed it; what happens at this instant is inside
  std::int64_t requests = 0;   // that ended inside, whatever became of them
  std::int64_t completed = 0;  // of these
  [[nodiscard]] double seconds() const { return to_seconds(close - open); }
};

/// Requests that ended in one way for one reason.
struct OutcomeCount {
  Outcome outcome;
  std::string reason;
  std::int64_t count;
};

/// KV blocks as shares of the usable pool, averaged over time. token_states + internal_waste + free = 1.
struct KvReport {
  double usage_mean = not_measured;
  double usage_peak = not_measured;
  double token_states_mean = not_measured;    // hold the states of tokens
  double internal_waste_mean = not_measured;  // allocated, but no token is there yet
  double free_mean = not_measured;
  double tokens_per_sequence_mean = not_measured;  // cached tokens of a running sequence; grows with its answer
};

/// Slots of the KV memory as shares of all, averaged over the time in which requests waited: see kv_waste.hpp. The four
/// shares add up to 1.
struct WasteReport {
  double seconds = 0;  // in which requests waited and steps ran
  double running_mean = not_measured;
  double token_states = not_measured;
  double reservation = not_measured;
  double internal = not_measured;
  double other = not_measured;
  bool reserves = false;  // the engine reserves memory for whole lives
};

/// Preemptions, over the whole run.
struct EvictionReport {
  EvictionSummary run;
  std::vector<EvictionSummary> classes;  // their sum is the run
  std::optional<Time> first;             // start of the first pass that preempted; absent: none did
  std::optional<Time> last;              // of the last one
};

/// KV moved between the GPUs and their host, over the whole run.
struct TransferReport {
  Bytes out{};  // swapped, and back
  Bytes in{};
  Bytes stored{};  // to the host tier, and from it
  Bytes loaded{};
  Bytes loaded_beside{};  // from it too, but to requests that waited beside the steps
  TransferTime time;      // of all; what evictions did not cause is the host tier's
  TransferTime host_tier;
};

/// KV that was in place at admission, over the whole run.
struct PrefixReport {
  std::int64_t prompt_tokens = 0;  // of requests that were admitted and scheduled
  std::int64_t found_tokens = 0;   // of these, in place at their first admission
  double hit_rate = not_measured;
  std::int64_t found_again_tokens = 0;      // in place when victims came back
  double found_again_share = not_measured;  // of the KV that evictions took from them
  // Of all that was found: loaded from the host tier, and from elsewhere. The rest was on the device.
  std::int64_t from_host_tokens = 0;
  std::int64_t from_elsewhere_tokens = 0;
  std::int64_t loads = 0;  // that requests waited for while others ran
  Duration loading{};      // all of them together
  std::int64_t cached_blocks_evicted = 0;
};

/// How badly single requests fared, over the whole run.
struct StarvationReport {
  Duration longest_wait{};    // in the queue at a stretch
  Duration oldest_waiting{};  // since its arrival, the age of the oldest request that waited, at any time
  Duration longest_gap{};     // between two tokens of one request
};

/// Passes of the scheduler and the steps they led to, in the window.
struct StepReport {
  std::int64_t count = 0;            // passes, idle ones included
  std::int64_t idle_count = 0;       // passes that computed nothing
  double mean_ms = not_measured;     // of the passes that computed something
  double batch_mean = not_measured;  // sequences that got tokens, over the same passes
  std::int64_t batch_peak = 0;
  double running_mean = not_measured;  // admitted sequences, averaged over time, idle time included
  std::int64_t running_peak = 0;
};

/// What became of draft tokens, in the window.
struct SpeculationReport {
  std::int64_t drafted_tokens = 0;        // verified
  std::int64_t accepted_tokens = 0;       // came out beside the token that every step yields
  double acceptance_rate = not_measured;  // accepted / drafted
  double tokens_per_step = not_measured;  // that a decoding sequence got in a step: 1 + accepted / verifications
};

/// Why no more was admitted and what steps waited for, as shares of the time in which steps ran. What held the batch is
/// judged over the time in which requests waited, unless the server keeps up: a backlog that is worked off after the last
/// arrival says nothing of what held it before.
struct LimitReport {
  std::array<double, admission_limit_names.size()> admission{};
  std::array<double, bound_by_names.size()> step{};
  std::string batch_limit;  // "KV capacity": what held the batch down, as a noun
  std::string binding;      // the answer as a sentence
};

struct Report {
  RunHeader header;
  RunSpec run;
  SloSpec slo;

  // The whole run.
  Duration duration{};  // first arrival to last completion, as the vLLM client has it
  std::int64_t requests_in = 0;
  std::int64_t completed = 0;
  std::int64_t rejected = 0;
  std::int64_t cancelled = 0;
  std::int64_t unanswered_tokens = 0;  // that came out for requests whose clients left before their end
  std::int64_t unfinished = 0;
  std::int64_t total_input_tokens = 0;   // of completed requests
  std::int64_t total_output_tokens = 0;  // of completed requests
  std::int64_t emitted_tokens = 0;       // of all requests
  std::int64_t passes = 0;               // idle ones included
  Duration busy{};                       // time in which steps ran
  Time end{};                            // the last thing that happened
  std::vector<OutcomeCount> outcomes;
  EvictionReport evictions;
  TransferReport transfers;
  PrefixReport prefix;
  StarvationReport starvation;
  // By class, tenant and priority, each sorted; requests without one go by an empty name.
  std::vector<GroupReport> classes;
  std::vector<GroupReport> tenants;
  std::vector<GroupReport> priorities;
  double jain_index = not_measured;  // over the service of the tenants
  bool interrupted = false;
  std::string watchdog;

  // The window. Latencies are those of completed requests, in milliseconds; rates are per second.
  WindowReport window;
  double request_throughput = not_measured;
  double request_goodput = not_measured;  // completed within every limit of the SLO on TTFT, TPOT and E2E latency
  double good_share = not_measured;       // of those that ended, but for those that their users did not want any more
  double output_throughput = not_measured;
  double total_token_throughput = not_measured;
  Summary ttft;
  Summary tpot;  // leaves out outputs of one token
  Summary itl;   // all gaps pooled; percentiles within Histogram::relative_error
  Summary e2el;
  Summary user_decode;      // tokens a second: 1 / TPOT of each request
  Summary user_end_to_end;  // tokens a second: output / E2E of each request
  KvReport kv;
  WasteReport waste;
  StepReport steps;
  SpeculationReport speculation;
  Ledger ledger;
  LimitReport limits;
  SaturationReport saturation;

  std::vector<std::string> warnings;
};

}  // namespace decodesim
