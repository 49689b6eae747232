// What drafts bring in the step that is taken apart, and what they cost.

#include <string>

#include "sim/model/explain/sections.hpp"

namespace decodesim::explain_sections {

namespace {

/// 1 + a1 x (1 + a2 x (1 + ...)): one token, and with each further draft that is accepted one more.
void add_gain(const SpeculativeSpec& speculative, Section& section) {
  std::string formula = "1";
  std::string closing;
  std::vector<Figure> inputs;
  for (std::int64_t i = 0; i < speculative.draft_tokens; ++i) {
    const std::vector<double>& by_position = speculative.acceptance_by_position;
    const bool one_number = by_position.empty();
    const std::string name = one_number ? "acceptance" : "acceptance_" + std::to_string(i + 1);
    formula += i == 0 ? " + " + name : " x (1 + " + name;
    if (i > 0) closing += ")";
    if (one_number && i > 0) continue;
    inputs.push_back(
        {name, one_number ? *speculative.acceptance : by_position[static_cast<std::size_t>(i)], Unit::share});
  }
  section.derived("tokens_per_step", "tokens a step and sequence", tokens_per_step(speculative), Unit::count,
                  formula + closing, std::move(inputs));
}

}  // namespace

void add_speculation(const Subject& subject, Explanation& explanation) {
  const SpeculativeSpec& speculative = subject.deployment.speculative;
  const std::int64_t batch = step_batch(subject);
  if (!speculative.on() || batch == 0) return;
  Section section("speculation", explanation);
  add_gain(speculative, section);
  const auto seconds = [&](std::int64_t drafts) {
    return to_seconds(
        subject.cost_without_draft->price(decode_step(subject, batch, subject.context, drafts)).duration());
  };
  const double plain = seconds(0);
  const double verified = seconds(speculative.draft_tokens);
  const double step = explanation.value("step_time");
  section.derived("step_time_without_drafts", "the step without drafts", plain, Unit::seconds, "", {});
  section.derived("verification_time", "verifying adds", verified - plain, Unit::seconds, "", {});
  section.derived("drafting_time", "drafting adds", step - verified, Unit::seconds,
                  "step_time - step_time_without_drafts - verification_time",
                  {explanation.figure("step_time"), explanation.figure("step_time_without_drafts"),
                   explanation.figure("verification_time")});
  section.derived("step_growth", "the step over one without drafts", step / plain, Unit::factor,
                  "step_time / step_time_without_drafts",
                  {explanation.figure("step_time"), explanation.figure("step_time_without_drafts")});
  section.derived("speculation_gain", "tokens/s over those without drafts, at the same batch",
                  explanation.value("tokens_per_step") / explanation.value("step_growth"), Unit::factor,
                  "tokens_per_step / step_growth",
                  {explanation.figure("tokens_per_step"), explanation.figure("step_growth")});
}

}  // namespace decodesim::explain_sections
