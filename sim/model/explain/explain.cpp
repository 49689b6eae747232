// The entry of the arithmetic: checks that the deployment can work, then writes section after section.

#include <algorithm>

#include "sim/core/check.hpp"
#include "sim/model/draft.hpp"
#include "sim/model/explain/sections.hpp"

namespace decodesim {

const Term* Explanation::find(std::string_view key) const {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const Term& term) { return term.key == key; });
  return found == terms.end() ? nullptr : &*found;
}

double Explanation::value(std::string_view key) const {
  const Term* term = find(key);
  check(term != nullptr, "an explanation was asked for a term that it does not have");
  return term->value;
}

Figure Explanation::figure(std::string_view key, std::string_view name) const {
  const Term* term = find(key);
  check(term != nullptr, "an explanation was asked for a term that it does not have");
  return {std::string(name.empty() ? key : name), term->value, term->unit};
}

namespace {

ServerLimits limits_of(const Deployment& deployment) {
  return {deployment.max_num_batched_tokens, deployment.max_num_seqs, deployment.max_model_len};
}

/// The question as the deployment can answer it.
explain_sections::Subject subject_of(const Deployment& deployment, const Question& question, const MemoryPlan& plan) {
  const std::int64_t longest = deployment.max_model_len;
  explain_sections::Subject subject{deployment,       plan, nullptr,       nullptr, {}, {}, 0, {},
                                    question.context, 4096, question.batch};
  for (std::int64_t context : question.contexts)
    if (longest == 0 || context <= longest) subject.asked.push_back(context);
  subject.contexts_left_out = static_cast<std::int64_t>(question.contexts.size() - subject.asked.size());
  subject.own_context = explain_sections::own_context(deployment);
  subject.contexts = subject.asked;
  if (subject.own_context) subject.contexts.push_back(*subject.own_context);
  std::sort(subject.contexts.begin(), subject.contexts.end());
  subject.contexts.erase(std::unique(subject.contexts.begin(), subject.contexts.end()), subject.contexts.end());
  if (longest > 0) subject.context = std::min(subject.context, longest);
  subject.context = question.context.value_or(subject.own_context.value_or(subject.context));
  return subject;
}

DraftShare share_of_draft(const Deployment& deployment) {
  return draft_share(deployment.speculative, deployment.model, deployment.precision, deployment.parallel.tp);
}

void add_needs(const explain_sections::Subject& subject, Explanation& explanation) {
  explain_sections::add_hardware(subject, explanation);
  explain_sections::add_model(subject, explanation);
  explain_sections::add_kv_cache(subject, explanation);
}

}  // namespace

std::variant<Explanation, PlanError> explain(const Deployment& deployment, const Question& question) {
  if (deployment.model.layers < 1) return PlanError{"model", "the arithmetic needs a model"};
  if (!(deployment.node.gpu.hbm_bandwidth.value() > 0))
    return PlanError{"hardware", "the arithmetic needs a GPU with its bandwidth"};
  if (auto error = find_cost_error(deployment.cost, deployment.node, deployment.parallel)) return *error;
  const auto planned = plan_memory(deployment.model, deployment.node.gpu, deployment.parallel, deployment.precision,
                                   deployment.memory, limits_of(deployment), share_of_draft(deployment));
  if (const auto* error = std::get_if<PlanError>(&planned)) return *error;
  explain_sections::Subject subject = subject_of(deployment, question, std::get<MemoryPlan>(planned));
  if (deployment.max_model_len > 0 && subject.context > deployment.max_model_len)
    return PlanError{"context", "a context of " + std::to_string(subject.context) + " is beyond max_model_len, " +
                                    std::to_string(deployment.max_model_len)};
  Explanation explanation;
  add_needs(subject, explanation);
  explain_sections::add_memory(subject, explanation);
  explain_sections::add_crossover(subject, explanation);
  explain_sections::add_workload(subject, explanation);
  if (question.fits) explanation.fits = explain_sections::map_fits(deployment, &subject.plan, question);
  if (deployment.parallel.pp > 1) {
    explain_sections::add_remarks_without_steps(subject, explanation);
    return explanation;
  }
  const auto make_cost = [&] {
    return make_cost_model(deployment.cost, deployment.model, deployment.node, deployment.parallel,
                           deployment.precision);
  };
  const auto alone = make_cost();
  auto cost = with_draft_of(make_cost(), deployment.speculative, deployment.cost, deployment.model, deployment.node,
                            deployment.parallel, deployment.precision);
  subject.cost_without_draft = alone.get();
  if (deployment.host_beside_device) cost = with_host_beside_device(std::move(cost));
  subject.cost = cost.get();
  explain_sections::add_contexts(subject, explanation);
  explain_sections::add_step(subject, explanation);
  explain_sections::add_speculation(subject, explanation);
  explain_sections::add_remarks(subject, explanation);
  return explanation;
}

Explanation explain_shortage(const Deployment& deployment, const Question& question) {
  const auto plan_with = [&](const MemorySpec& memory) {
    return plan_memory(deployment.model, deployment.node.gpu, deployment.parallel, deployment.precision, memory,
                       limits_of(deployment), share_of_draft(deployment));
  };
  const auto refused = plan_with(deployment.memory);
  check(std::holds_alternative<PlanError>(refused), "a shortage of memory was to be explained where there is none");
  // With its blocks given, a plan is not refused and shows its negative pool.
  MemorySpec memory = deployment.memory;
  memory.num_gpu_blocks = 0;
  const auto planned = plan_with(memory);
  const explain_sections::Subject subject = subject_of(deployment, question, std::get<MemoryPlan>(planned));
  Explanation explanation;
  add_needs(subject, explanation);
  explain_sections::add_shortage(subject, explanation);
  if (question.fits) explanation.fits = explain_sections::map_fits(deployment, nullptr, question);
  std::string sentence = std::get<PlanError>(refused).message + ".";
  if (sentence.front() >= 'a' && sentence.front() <= 'z')
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  explanation.remarks.push_back({"does_not_fit", std::move(sentence), {}});
  return explanation;
}

}  // namespace decodesim
