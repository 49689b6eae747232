#pragma once
// The server as a scenario writes it: its scheduler's knobs and how prompts reach it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/model/speculative_spec.hpp"
#include "sim/serving/policy_choices.hpp"
#include "sim/serving/sarathi_knobs.hpp"
#include "sim/serving/sglang_knobs.hpp"
#include "sim/serving/trtllm_knobs.hpp"
#include "sim/serving/vllm_v0_knobs.hpp"

namespace decodesim {

/// What becomes of a request that needs more blocks than the empty pool has.
enum class NeverFits { reject, hang, fail_after };
enum class StartupCheck { warn, strict };

/// How much a sequence reserves at its admission, where an engine reserves. The last two look at the real output.
enum class Reservation { blocks, maximum, power_of_two, oracle };
/// What a finished request leaves in a static batch.
enum class FinishedSlots { release_on_finish, hold_until_batch_end };

/// Who tells policies how many tokens a request will generate. Only `max_tokens` is known to a real server without a
/// model of its own; `oracle` sees what none can.
enum class PredictorKind { oracle, lognormal, buckets, max_tokens };

struct PredictorSpec {
  PredictorKind kind = PredictorKind::oracle;
  double sigma = 0;  // `lognormal`: of the logarithm of its error
};

/// A tenant's share under `fair`, in proportion to those of the others.
struct TenantWeight {
  std::string tenant;
  double weight = 1;
};

/// What service costs under `fair`.
struct FairSpec {
  double input_price = 1;             // a token of a prompt
  double output_price = 2;            // a token of an output
  std::vector<TenantWeight> weights;  // 1 for tenants that are not listed
};

/// The multi-level feedback queue.
struct MlfqKnobs {
  Duration quantum = std::chrono::milliseconds(10);  // of the first level
  std::int64_t growth = 2;                           // from a level's quantum to the next one's
  Duration starvation_limit = std::chrono::seconds(3);
  std::int64_t starvation_check = 1000;  // passes between two looks at who starves
  std::int64_t free_blocks = 0;          // kept free ahead of need, and at least max_num_seqs
};

struct SchedulerSpec {
  std::string engine = "vllm-v1";
  std::int64_t max_num_seqs = 1024;
  std::int64_t max_num_batched_tokens = 8192;
  std::int64_t long_prefill_token_threshold = 0;  // most tokens of one prompt in a step; 0: no limit
  bool enable_chunked_prefill = true;
  bool reserve_full_isl = true;  // admit only where the whole current sequence fits now
  double watermark = 0;          // share of the blocks that admissions leave free while something runs
  bool async = false;
  bool drop_in_flight = false;  // a victim's token that is on its way is dropped, not delivered; `async` only
  bool defer_frees = false;     // blocks are free only when no step in flight can write to them; `async` only
  Reservation reservation = Reservation::blocks;
  FinishedSlots finished_slots = FinishedSlots::release_on_finish;
  NeverFits never_fits = NeverFits::reject;
  std::int64_t fail_after = 0;                // `never_fits: {fail_after: k}`
  std::optional<std::int64_t> max_model_len;  // overrides the model's
  StartupCheck startup_check = StartupCheck::warn;
  PredictorSpec predictor;  // of policies that go by length
  Duration ageing{};        // they take a token off who has waited so long; zero: never
  FairSpec fair;
  double admission_ratio = 0.7;  // of `ratio-weighted`: what it sets aside of what the running may still generate
  MlfqKnobs mlfq;
  SpeculativeSpec speculative;
  PolicyChoices policies;
  TrtllmKnobs trtllm;
  SglangKnobs sglang;
  VllmV0Knobs vllm_v0;
  SarathiKnobs sarathi;
};

enum class PrefillMode { computed, arrives_computed };
enum class AfterPreemption { recompute, refetch };

struct ServingSpec {
  PrefillMode prefill = PrefillMode::computed;
  AfterPreemption after_preemption = AfterPreemption::recompute;  // `arrives_computed` only
};

}  // namespace decodesim
