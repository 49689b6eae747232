#pragma once
// The sections of an explanation, in their order; each may use the terms of those before it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/cost_model.hpp"
#include "sim/model/explanation.hpp"
#include "sim/model/memory_plan.hpp"

namespace decodesim::explain_sections {

struct Subject {
  const Deployment& deployment;
  const MemoryPlan& plan;
  const CostModel* cost;                    // null where no step can be priced
  const CostModel* cost_without_draft;      // the same without what drafts
  std::vector<std::int64_t> asked;          // the question's contexts within max_model_len
  std::vector<std::int64_t> contexts;       // the same and the workload's own, in ascending order
  std::int64_t contexts_left_out = 0;       // beyond max_model_len
  std::optional<std::int64_t> own_context;  // the workload's, within max_model_len
  std::optional<std::int64_t> asked_context;
  std::int64_t context = 4096;  // of the step
  std::optional<std::int64_t> batch;
};

/// Writes the terms of one section.
class Section {
 public:
  Section(std::string name, Explanation& explanation) : name_(std::move(name)), explanation_(explanation) {}

  /// A figure that is stated, not worked out.
  Term& given(std::string key, std::string label, double value, Unit unit, Source source) {
    return add({name_, std::move(key), std::move(label), value, unit, source, "", {}, {}, {}});
  }
  Term& derived(std::string key, std::string label, double value, Unit unit, std::string formula,
                std::vector<Figure> inputs) {
    return add({name_,
                std::move(key),
                std::move(label),
                value,
                unit,
                Source::derived,
                std::move(formula),
                std::move(inputs),
                {},
                {}});
  }

 private:
  Term& add(Term term) {
    explanation_.terms.push_back(std::move(term));
    return explanation_.terms.back();
  }

  std::string name_;
  Explanation& explanation_;
};

inline Figure count(std::string_view name, double value) { return {std::string(name), value, Unit::count}; }
inline Figure tokens(std::string_view name, std::int64_t value) {
  return {std::string(name), static_cast<double>(value), Unit::tokens};
}
inline Figure sequences(std::string_view name, std::int64_t value) {
  return {std::string(name), static_cast<double>(value), Unit::sequences};
}

void add_hardware(const Subject& subject, Explanation& explanation);
void add_model(const Subject& subject, Explanation& explanation);
void add_kv_cache(const Subject& subject, Explanation& explanation);
void add_memory(const Subject& subject, Explanation& explanation);
void add_shortage(const Subject& subject, Explanation& explanation);
void add_crossover(const Subject& subject, Explanation& explanation);
void add_workload(const Subject& subject, Explanation& explanation);
void add_contexts(const Subject& subject, Explanation& explanation);
void add_step(const Subject& subject, Explanation& explanation);
void add_speculation(const Subject& subject, Explanation& explanation);
void add_remarks(const Subject& subject, Explanation& explanation);
/// Those that need no step.
void add_remarks_without_steps(const Subject& subject, Explanation& explanation);
/// Without a plan there is no pool, and nothing fits.
FitMap map_fits(const Deployment& deployment, const MemoryPlan* plan, const Question& question);

/// Sequences whose states have a place outside the pool; absent where they need none.
std::optional<std::int64_t> slots_of(const Deployment& deployment);

/// Blocks that one sequence of `length` holds while it decodes, as a formula in the names of its inputs. `length` is a
/// formula itself, of which `inputs` are the names.
struct BlocksOfSequence {
  std::string formula;
  std::vector<Figure> inputs;
};
BlocksOfSequence blocks_of_sequence(const Subject& subject, const std::string& length, std::vector<Figure> inputs);

/// Bytes that one cached token takes over all ranks, as a formula: copies are named only where there are any.
struct CachedToken {
  std::string formula;
  std::vector<Figure> inputs;
  double bytes = 0;
};
CachedToken cached_token(const Explanation& explanation);

/// The key of a term at one of several contexts.
std::string at(std::string_view key, std::int64_t context);
/// The context that the workload's lengths amount to, at most max_model_len.
std::optional<std::int64_t> own_context(const Deployment& deployment);
/// Sequences of this context that usable blocks hold.
std::int64_t sequences_that_fit(const Subject& subject, std::int64_t context);
/// The batch that is asked for, or what fits: bounded by blocks, max_num_seqs and the token budget.
std::int64_t batch_at(const Subject& subject, std::int64_t context);
/// The batch of the step that is taken apart, which a closed loop bounds too.
std::int64_t step_batch(const Subject& subject);
/// Tokens that a decoding sequence computes in a step: its own, and its drafts.
inline std::int64_t step_width(const Subject& subject) { return 1 + subject.deployment.speculative.draft_tokens; }
/// A full step of `batch` sequences with so many drafts each, their newest tokens counted in `context`.
StepShape decode_step(const Subject& subject, std::int64_t batch, std::int64_t context, std::int64_t drafts);

}  // namespace decodesim::explain_sections
