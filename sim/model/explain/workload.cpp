// How long the workload's sequences are, so that the arithmetic is about them.

#include <algorithm>

#include "sim/model/explain/sections.hpp"

namespace decodesim::explain_sections {

namespace {

/// The prompt that stands for all of them.
struct TypicalPrompt {
  std::string label;
  std::int64_t tokens = 0;
  std::string formula;
  std::vector<Figure> inputs;
};

TypicalPrompt typical_prompt(const SequenceLengths& lengths) {
  switch (lengths.prompts) {
    case SequenceLengths::Prompts::range:
      return {"context: the middle of its prompts",
              (lengths.shortest_prompt + lengths.longest_prompt) / 2,
              "floor((shortest_prompt + longest_prompt) / 2)",
              {tokens("shortest_prompt", lengths.shortest_prompt), tokens("longest_prompt", lengths.longest_prompt)}};
    case SequenceLengths::Prompts::listed:
      return {
          "context: the mean of its prompts",
          lengths.prompt_tokens / lengths.requests,
          "floor(prompt_tokens / requests)",
          {tokens("prompt_tokens", lengths.prompt_tokens), count("requests", static_cast<double>(lengths.requests))}};
    case SequenceLengths::Prompts::constant:
      break;
  }
  return {"context: its prompts", lengths.longest_prompt, "prompt", {tokens("prompt", lengths.longest_prompt)}};
}

}  // namespace

std::optional<std::int64_t> own_context(const Deployment& deployment) {
  if (!deployment.lengths) return std::nullopt;
  const std::int64_t prompt = typical_prompt(*deployment.lengths).tokens;
  return deployment.max_model_len > 0 ? std::min(prompt, deployment.max_model_len) : prompt;
}

void add_workload(const Subject& subject, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  if (!d.lengths) return;
  Section section("workload", explanation);
  TypicalPrompt prompt = typical_prompt(*d.lengths);
  if (prompt.tokens > *subject.own_context) {
    prompt.label += ", cut at max_model_len";
    prompt.formula = "min(" + prompt.formula + ", max_model_len)";
    prompt.inputs.push_back(tokens("max_model_len", d.max_model_len));
  }
  section.derived("own_context", std::move(prompt.label), static_cast<double>(*subject.own_context), Unit::tokens,
                  std::move(prompt.formula), std::move(prompt.inputs));
  section.given("longest_answer",
                d.lengths->answers_alike ? "output: its answers" : "output: the longest of its answers",
                static_cast<double>(d.lengths->longest_answer), Unit::tokens, Source::assumed);
}

}  // namespace decodesim::explain_sections
