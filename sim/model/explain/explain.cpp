// The entry of the arithmetic: checks that the deployment can work, then writes section after section.

#include <algorithm>

#include "sim/core/check.hpp"
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

std::variant<Explanation, PlanError> explain(const Deployment& deployment, const Question& question) {
  if (deployment.model.layers < 1) return PlanError{"model", "the arithmetic needs a model"};
  if (!(deployment.node.gpu.hbm_bandwidth.value() > 0))
    return PlanError{"hardware", "the arithmetic needs a GPU with its bandwidth"};
  if (auto error = find_cost_error(deployment.cost, deployment.node, deployment.parallel)) return *error;
  const auto planned =
      plan_memory(deployment.model, deployment.node.gpu, deployment.parallel, deployment.precision, deployment.memory);
  if (const auto* error = std::get_if<PlanError>(&planned)) return *error;
  const auto beyond = [&](std::int64_t context) {
    return deployment.max_model_len > 0 && context > deployment.max_model_len;
  };
  if (beyond(question.context))
    return PlanError{"context", "a context of " + std::to_string(question.context) + " is beyond max_model_len, " +
                                    std::to_string(deployment.max_model_len)};
  Question kept = question;
  const auto left_out = static_cast<std::int64_t>(std::erase_if(kept.contexts, beyond));
  const auto cost =
      make_cost_model(deployment.cost, deployment.model, deployment.node, deployment.parallel, deployment.precision);
  const explain_sections::Subject subject{deployment, kept, left_out, std::get<MemoryPlan>(planned), *cost};
  Explanation explanation;
  explain_sections::add_hardware(subject, explanation);
  explain_sections::add_model(subject, explanation);
  explain_sections::add_kv_cache(subject, explanation);
  explain_sections::add_memory(subject, explanation);
  explain_sections::add_crossover(subject, explanation);
  explain_sections::add_contexts(subject, explanation);
  explain_sections::add_step(subject, explanation);
  explain_sections::add_remarks(subject, explanation);
  return explanation;
}

}  // namespace decodesim
