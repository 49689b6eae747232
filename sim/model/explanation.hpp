#pragma once
// The arithmetic of a deployment, written out term by term.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/hardware/node_spec.hpp"
#include "sim/model/cost_spec.hpp"
#include "sim/model/deployment_spec.hpp"
#include "sim/model/model_spec.hpp"
#include "sim/model/plan_error.hpp"
#include "sim/model/speculative_spec.hpp"

namespace decodesim {

enum class Unit {
  count,
  bytes,
  binary_bytes,  // bytes that are best shown as KiB, MiB or GiB too
  tokens,
  blocks,
  sequences,
  seconds,
  bytes_per_second,
  flops,
  flops_per_second,
  tokens_per_second,
  flops_per_byte,
  share,
  factor
};

/// Where a figure comes from: stated by a datasheet or a model's configuration, measured on real machines, assumed (a
/// scenario may set it), or derived by the formula beside it.
enum class Source { spec, measured, assumed, derived };

/// A number that a formula or a sentence names.
struct Figure {
  std::string name;
  double value = 0;
  Unit unit = Unit::count;
};

/// One line of the arithmetic. The formula is written in the names of its inputs, with + - x / ( ) floor ceil min, and
/// gives the value; a figure that is not derived has an empty one.
struct Term {
  std::string section;
  std::string key;  // stable; terms at several contexts end in ".4096"
  std::string label;
  double value = 0;
  Unit unit = Unit::count;
  Source source = Source::derived;
  std::string formula;
  std::vector<Figure> inputs;
  std::optional<std::int64_t> context;  // of a term that exists at several
  std::optional<double> share;          // of the whole that its section divides
};

/// A sentence. `{name}` stands for an input.
struct Remark {
  std::string key;
  std::string text;
  std::vector<Figure> inputs;
};

/// Whether so many sequences of one length can be in a server at once.
enum class Fit {
  fits,
  waits,            // one fits, but not so many, for want of blocks or slots: the rest waits, or is preempted
  never,            // not even one: the pool is too small for it, or there is none
  beyond_length,    // longer than max_model_len
  beyond_sequences  // the pool would hold them, but more than max_num_seqs never run
};

/// What fits, by context and batch: a verdict for each pair.
struct FitMap {
  struct Cell {
    Fit verdict = Fit::never;
    double pool_use = 0;  // blocks they need over those there are, also above 1; 0 where there is no pool
  };
  std::vector<std::int64_t> contexts;    // tokens, ascending
  std::vector<std::int64_t> batches;     // sequences, ascending
  std::vector<std::int64_t> most;        // sequences that the pool holds, of each context
  std::vector<std::vector<Cell>> cells;  // of each context, one a batch
};

struct Explanation {
  std::vector<Term> terms;
  std::vector<Remark> remarks;
  std::optional<FitMap> fits;  // where the question asks for it

  /// The term with this key, or null.
  [[nodiscard]] const Term* find(std::string_view key) const;
  /// Its value; the term must exist.
  [[nodiscard]] double value(std::string_view key) const;
  /// The term as an input of another one, under its key or under `name`; it must exist.
  [[nodiscard]] Figure figure(std::string_view key, std::string_view name = {}) const;
};

/// Lengths in tokens that a workload asks for. A list or a trace of requests has no one length: it tells its mean prompt.
struct SequenceLengths {
  enum class Prompts { constant, range, listed };
  Prompts prompts = Prompts::constant;
  std::int64_t shortest_prompt = 1;  // of a range
  std::int64_t longest_prompt = 1;   // of a range; of a constant, its length
  std::int64_t requests = 1;         // of a list, which has at least one
  std::int64_t prompt_tokens = 1;    // of a list, all together
  std::int64_t longest_answer = 1;
  bool answers_alike = true;
};

/// What the arithmetic looks at of a scenario. `parallel.tp` must be resolved.
struct Deployment {
  ModelSpec model;
  NodeSpec node;
  ParallelSpec parallel;
  PrecisionSpec precision;
  MemorySpec memory;
  CostSpec cost;
  SpeculativeSpec speculative;
  bool host_beside_device = false;   // the engine plans a step while the one before runs
  std::int64_t reserved_blocks = 0;  // blocks that the engine keeps to itself
  std::int64_t max_num_seqs = 1024;
  std::int64_t max_num_batched_tokens = 8192;
  std::int64_t max_model_len = 0;               // 0: unlimited
  std::optional<std::int64_t> max_concurrency;  // of a closed loop
  std::optional<SequenceLengths> lengths;
};

struct Question {
  /// Tokens of a sequence, the newest included. The workload's own context is added to them.
  std::vector<std::int64_t> contexts{4096, 8192, 32768, 131072};
  std::optional<std::int64_t> context;     // of the one step that is taken apart; absent: the workload's own, or 4,096
  std::optional<std::int64_t> batch;       // absent: what fits
  bool fits = false;                       // adds the map of what fits
  std::vector<std::int64_t> fit_contexts;  // of that map; empty: powers of two up to max_model_len
};

/// Every term for sequences of equal context that decode together, with their drafts where there are any; prompts being
/// computed are left out. Contexts beyond max_model_len are left out too, and a remark says so. An error where the
/// deployment cannot work. With pipeline stages no steps are priced, and what concerns them is left out.
std::variant<Explanation, PlanError> explain(const Deployment& deployment, const Question& question);

/// The memory of a deployment that plan_memory() refuses, down to the pool that is missing or too small, and the remark
/// `does_not_fit` with what would help. It must have a model and a GPU.
Explanation explain_shortage(const Deployment& deployment, const Question& question);

}  // namespace decodesim
