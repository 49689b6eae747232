#include "sim/model/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace decodesim {

namespace {

enum class Effect { with, against };  // does more of the term make more tokens/s, or fewer

class Causes {
 public:
  Causes(const Explanation& a, const Explanation& b) : a_(a), b_(b) {}

  /// What the term contributes to the ratio.
  [[nodiscard]] double factor(std::string_view key, Effect effect) const {
    const double ratio = b_.value(key) / a_.value(key);
    return effect == Effect::with ? ratio : 1 / ratio;
  }
  double add(int depth, std::string_view key, std::string label, Effect effect) {
    const double contribution = factor(key, effect);
    list.push_back(
        {depth, std::string(key), std::move(label), a_.value(key), b_.value(key), a_.find(key)->unit, contribution});
    return contribution;
  }
  /// What is left of a cause, unless that is nothing.
  void add_rest(int depth, std::string key, std::string label, double rest) {
    if (std::fabs(rest - 1) > 1e-9)
      list.push_back({depth, std::move(key), std::move(label), {}, {}, Unit::factor, rest});
  }
  /// The pool sets the batch of both, rather than a knob of the scheduler or the question.
  [[nodiscard]] bool pool_sets_batches() const {
    return a_.value("batch") == a_.value("sequences") && b_.value("batch") == b_.value("sequences");
  }

  std::vector<Cause> list;

 private:
  const Explanation& a_;
  const Explanation& b_;
};

void add_batch(Causes& causes) {
  const double batch = causes.add(1, "batch", "sequences a step", Effect::with);
  if (!causes.pool_sets_batches()) return;
  const double capacity = causes.add(2, "capacity_tokens", "tokens that the pool holds", Effect::with);
  const double pool = causes.add(3, "pool_bytes_per_gpu", "pool bytes of a GPU", Effect::with);
  const double token = causes.add(3, "kv_bytes_per_token_per_rank", "KV bytes a token on a rank", Effect::against);
  causes.add_rest(3, "whole_blocks", "whole blocks, or blocks that are given", capacity / (pool * token));
  const double context = causes.add(2, "context", "context of a sequence", Effect::against);
  causes.add_rest(2, "whole_sequences", "whole sequences and blocks", batch / (capacity * context));
}

void add_step(Causes& causes) {
  const double step = causes.add(1, "step_time", "time of a step", Effect::against);
  const double bytes = causes.add(2, "step_bytes", "bytes a step", Effect::against);
  const double bandwidth = causes.add(2, "bandwidth", "bandwidth of all ranks", Effect::with);
  causes.add_rest(2, "beyond_bytes", "time beyond bytes over bandwidth", step / (bytes * bandwidth));
}

bool has_input(const Term& term, std::string_view name) {
  return std::any_of(term.inputs.begin(), term.inputs.end(), [&](const Figure& input) { return input.name == name; });
}

/// The step's batch is what this input of it allows, and less than the pool holds.
bool is_bound_by(const Explanation& explanation, std::string_view name) {
  const Term& batch = *explanation.find("batch");
  return batch.value < explanation.value("sequences") &&
         std::any_of(batch.inputs.begin(), batch.inputs.end(),
                     [&](const Figure& input) { return input.name == name && input.value == batch.value; });
}

/// Which steps are compared, since they are not what the workload runs most of the time.
Remark scope_of(const Explanation& a, const Explanation& b) {
  const Term& batch_a = *a.find("batch");
  const Term& batch_b = *b.find("batch");
  std::string text = "pure decode ";
  if (batch_a.formula.empty() && batch_b.formula.empty()) {
    text += "at the batch asked for";
  } else {
    std::vector<std::string> limits{"max_num_seqs"};
    const std::string_view budget = "max_num_batched_tokens";
    if (is_bound_by(a, budget) || is_bound_by(b, budget)) limits.emplace_back(budget);
    if (has_input(batch_a, "max_concurrency") || has_input(batch_b, "max_concurrency"))
      limits.insert(limits.begin(), "max_concurrency");
    text += "with the pool as full as ";
    for (std::size_t i = 0; i < limits.size(); ++i)
      text += (i == 0 ? "" : i + 1 == limits.size() ? " and " : ", ") + limits[i];
    text += limits.size() == 1 ? " allows" : " allow";
  }
  text += a.value("context") == b.value("context")
              ? " ({batch_a} and {batch_b} sequences of {context_a})"
              : " ({batch_a} sequences of {context_a} and {batch_b} of {context_b})";
  return {"scope",
          text + ", not the workload",
          {a.figure("batch", "batch_a"), b.figure("batch", "batch_b"), a.figure("context", "context_a"),
           b.figure("context", "context_b")}};
}

std::optional<double> value_of(const Term* term) { return term == nullptr ? std::nullopt : std::optional(term->value); }

std::vector<Difference> find_differences(const Explanation& a, const Explanation& b) {
  std::vector<Difference> differences;
  const auto add = [&](const Term& shown, const Term* in_a, const Term* in_b) {
    differences.push_back({shown.key, shown.label, shown.unit, value_of(in_a), value_of(in_b), shown.context});
  };
  for (const Term& term : a.terms) {
    const Term* other = b.find(term.key);
    if (other == nullptr || other->value != term.value) add(term, &term, other);
  }
  for (const Term& term : b.terms)
    if (a.find(term.key) == nullptr) add(term, nullptr, &term);
  return differences;
}

}  // namespace

Comparison compare(const Explanation& a, const Explanation& b) {
  Comparison comparison;
  const bool steps = a.find("batch") != nullptr && b.find("batch") != nullptr;
  comparison.scope =
      steps ? scope_of(a, b) : Remark{"scope", "memory alone, since steps with pipeline stages have no price", {}};
  comparison.differences = find_differences(a, b);
  if (a.find("tokens_per_s") == nullptr || b.find("tokens_per_s") == nullptr) return comparison;
  Causes causes(a, b);
  causes.add(0, "tokens_per_s", "tokens/s", Effect::with);
  add_batch(causes);
  add_step(causes);
  comparison.causes = std::move(causes.list);
  return comparison;
}

}  // namespace decodesim
