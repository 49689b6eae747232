// What a decode step moves and takes, at each context and taken apart at one.

#include <algorithm>

#include "sim/model/explain/sections.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/operations.hpp"

namespace decodesim::explain_sections {

namespace {

std::vector<Figure> joined(std::vector<Figure> first, const std::vector<Figure>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Ledger price(const Subject& subject, std::int64_t batch, std::int64_t context) {
  return subject.cost->price(decode_step(subject, batch, context, subject.deployment.speculative.draft_tokens));
}

/// What a step's time is the sum of, by name.
std::vector<Figure> parts_of(const Ledger& account) {
  std::vector<Figure> parts;
  for (std::size_t i = 0; i < account.time.size(); ++i)
    if (account.time[i] > Duration(0))
      parts.push_back({std::string(time_part_names[i]), to_seconds(account.time[i]), Unit::seconds});
  return parts;
}

enum class Place { one_of_many, taken_apart };

/// Adds the terms of a full step at one context. Where it is one of many, its keys carry the context.
class StepTerms {
 public:
  StepTerms(const Subject& subject, Explanation& explanation, std::string section, std::int64_t context, Place place)
      : subject_(subject),
        explanation_(explanation),
        section_(std::move(section), explanation),
        context_(context),
        place_(place) {}

  Term& add(std::string_view name, std::string label, double value, Unit unit, std::string formula,
            std::vector<Figure> inputs) {
    Term& term = section_.derived(key(name), std::move(label), value, unit, std::move(formula), std::move(inputs));
    if (place_ == Place::one_of_many) term.context = context_;
    return term;
  }

  void add_sequences() {
    add_fitting("sequences", "sequences that fit", sequences_that_fit(subject_, context_), "context",
                {tokens("context", context_)});
  }

  /// When every answer is about to end; its last token is never cached, and at max_model_len it ends anyway.
  void add_sequences_at_end() {
    const Deployment& d = subject_.deployment;
    if (!d.lengths) return;
    const std::int64_t grown = context_ + d.lengths->longest_answer;
    const bool cut = d.max_model_len > 0 && grown > d.max_model_len;
    const std::int64_t last = (cut ? d.max_model_len : grown) - 1;
    std::vector<Figure> inputs{tokens("context", context_), explanation_.figure("longest_answer")};
    if (cut) inputs.push_back(tokens("max_model_len", d.max_model_len));
    add_fitting("sequences_at_end", "at the end of their answers (context + output)",
                sequences_that_fit(subject_, std::max(context_, last)),
                cut ? "(min(context + longest_answer, max_model_len) - 1)" : "(context + longest_answer - 1)",
                std::move(inputs));
  }

  void add_fitting(std::string_view name, std::string label, std::int64_t fit, const std::string& length,
                   std::vector<Figure> lengths) {
    BlocksOfSequence blocks = blocks_of_sequence(subject_, length, std::move(lengths));
    blocks.inputs.insert(blocks.inputs.begin(), explanation_.figure("usable_blocks"));
    std::string formula = "floor(usable_blocks / " + blocks.formula + ")";
    if (const auto slots = slots_of(subject_.deployment)) {
      formula = "min(" + formula + ", state_slots)";
      blocks.inputs.push_back(sequences("state_slots", *slots));
    }
    add(name, std::move(label), static_cast<double>(fit), Unit::sequences, std::move(formula),
        std::move(blocks.inputs));
  }

  void add_batch() {
    const Deployment& d = subject_.deployment;
    const bool closed = place_ == Place::taken_apart && d.max_concurrency;
    const auto batch = static_cast<double>(this->batch());
    if (subject_.batch) {
      add("batch", "batch asked for", batch, Unit::sequences, "", {}).source = Source::assumed;
      return;
    }
    std::vector<Figure> inputs{figure("sequences"), sequences("max_num_seqs", d.max_num_seqs),
                               tokens("max_num_batched_tokens", d.max_num_batched_tokens)};
    std::string formula = "min(sequences, max_num_seqs, max_num_batched_tokens";
    if (d.speculative.on()) {
      inputs.push_back(tokens("draft_tokens", d.speculative.draft_tokens));
      formula = "min(sequences, max_num_seqs, floor(max_num_batched_tokens / (1 + draft_tokens))";
    }
    if (closed) inputs.push_back(sequences("max_concurrency", *d.max_concurrency));
    formula += closed ? ", max_concurrency)" : ")";
    add("batch", "batch", batch, Unit::sequences, std::move(formula), std::move(inputs));
  }

  void add_bytes() {
    const CachedToken cached = cached_token(explanation_);
    const double cache = value("batch") * static_cast<double>(context_) * cached.bytes;
    add("cache_bytes", "cache bytes a step", cache, Unit::bytes, "batch x context x " + cached.formula,
        joined({figure("batch"), tokens("context", context_)}, cached.inputs));
    add("step_bytes", "bytes a step", explanation_.value("weights") + cache, Unit::bytes, "weights + cache_bytes",
        {explanation_.figure("weights"), figure("cache_bytes")});
    add("cache_share", "cache's share of them", cache / value("step_bytes"), Unit::share, "cache_bytes / step_bytes",
        {figure("cache_bytes"), figure("step_bytes")});
  }

  void add_time(const Ledger& account) {
    const double seconds = to_seconds(account.duration());
    const SpeculativeSpec& speculative = subject_.deployment.speculative;
    if (subject_.deployment.cost.model == CostKind::ideal && !speculative.on()) {
      add("step_time", "step", seconds, Unit::seconds, "step_bytes / bandwidth",
          {figure("step_bytes"), explanation_.figure("bandwidth")});
    } else {
      std::vector<Figure> parts = parts_of(account);
      std::string sum;
      for (const Figure& part : parts) sum += (sum.empty() ? "" : " + ") + part.name;
      add("step_time", "step", seconds, Unit::seconds, std::move(sum), std::move(parts));
    }
    if (speculative.on()) return add_speculative_rates(seconds);
    add("tokens_per_s", "tokens/s", value("batch") / seconds, Unit::tokens_per_second, "batch / step_time",
        {figure("batch"), figure("step_time")});
    add("tokens_per_s_per_user", "a user", 1 / seconds, Unit::tokens_per_second, "1 / step_time",
        {figure("step_time")});
  }

  /// Every sequence gains several tokens a step.
  void add_speculative_rates(double seconds) {
    const double gained = tokens_per_step(subject_.deployment.speculative);
    const Figure tokens_per_step = count("tokens_per_step", gained);
    add("tokens_per_s", "tokens/s", value("batch") * gained / seconds, Unit::tokens_per_second,
        "batch x tokens_per_step / step_time", {figure("batch"), tokens_per_step, figure("step_time")});
    add("tokens_per_s_per_user", "a user", gained / seconds, Unit::tokens_per_second, "tokens_per_step / step_time",
        {tokens_per_step, figure("step_time")});
  }

  void add_limits() {
    const CachedToken cached = cached_token(explanation_);
    const double sequence = static_cast<double>(context_) * cached.bytes;
    const SpeculativeSpec& speculative = subject_.deployment.speculative;
    std::vector<Figure> inputs{explanation_.figure("bandwidth"), tokens("context", context_)};
    // A read of the cache serves all tokens of a step.
    if (speculative.on()) inputs.push_back(count("tokens_per_step", tokens_per_step(speculative)));
    add("tokens_per_s_limit", "tokens/s that no batch passes",
        tokens_per_step(speculative) * explanation_.value("bandwidth") / sequence, Unit::tokens_per_second,
        std::string(speculative.on() ? "tokens_per_step x " : "") + "bandwidth / (context x " + cached.formula + ")",
        joined(std::move(inputs), cached.inputs));
    add("intensity_ceiling", "operations a byte that no batch passes", operations() / sequence, Unit::flops_per_byte,
        operations_formula() + " / (context x " + cached.formula + ")", joined(operation_inputs(), cached.inputs));
  }

  void add_intensity() {
    add("intensity", "operations a byte of this step", value("batch") * operations() / value("step_bytes"),
        Unit::flops_per_byte, "batch x " + operations_formula() + " / step_bytes",
        joined({figure("batch"), figure("step_bytes")}, operation_inputs()));
  }

  [[nodiscard]] std::int64_t batch() const {
    return place_ == Place::taken_apart ? step_batch(subject_) : batch_at(subject_, context_);
  }

 private:
  /// A sequence's products with the weights, and its queries with every cached token.
  [[nodiscard]] std::string operations_formula() const {
    const bool drafts = subject_.deployment.speculative.on();
    return std::string(drafts ? "(1 + draft_tokens) x " : "") +
           "(2 x parameters + 4 x layers x heads x head_dim x context)";
  }
  [[nodiscard]] double operations() const {
    const ModelSpec& model = subject_.deployment.model;
    const double pairs = attention_flops_per_pair(model).value() * static_cast<double>(context_);
    return static_cast<double>(step_width(subject_)) * (2 * parameters() + pairs);
  }
  [[nodiscard]] std::vector<Figure> operation_inputs() const {
    const ModelSpec& model = subject_.deployment.model;
    std::vector<Figure> inputs{count("parameters", parameters()), count("layers", model.layers),
                               count("heads", model.heads), count("head_dim", model.head_dim),
                               tokens("context", context_)};
    if (subject_.deployment.speculative.on())
      inputs.push_back(tokens("draft_tokens", subject_.deployment.speculative.draft_tokens));
    return inputs;
  }
  [[nodiscard]] double parameters() const {
    const ModelSpec& model = subject_.deployment.model;
    return model.active_parameters > 0 ? model.active_parameters : model.parameters;
  }
  [[nodiscard]] std::string key(std::string_view name) const {
    return place_ == Place::one_of_many ? at(name, context_) : std::string(name);
  }
  [[nodiscard]] Figure figure(std::string_view name) const { return explanation_.figure(key(name), name); }
  [[nodiscard]] double value(std::string_view name) const { return explanation_.value(key(name)); }

  const Subject& subject_;
  Explanation& explanation_;
  Section section_;
  std::int64_t context_;
  Place place_;
};

/// The throughput of the shortest context asked about over that of the longest, which is what this simulator is about.
void add_gap(const Subject& subject, Explanation& explanation) {
  if (subject.batch || subject.asked.size() < 2) return;
  const auto [shortest, longest] = std::minmax_element(subject.asked.begin(), subject.asked.end());
  const Term* fast = explanation.find(at("tokens_per_s", *shortest));
  const Term* slow = explanation.find(at("tokens_per_s", *longest));
  if (fast == nullptr || slow == nullptr) return;
  Section("gap", explanation)
      .derived("throughput_gap", "tokens/s of the shortest context over the longest", fast->value / slow->value,
               Unit::factor, "tokens_per_s_shortest / tokens_per_s_longest",
               {explanation.figure(fast->key, "tokens_per_s_shortest"),
                explanation.figure(slow->key, "tokens_per_s_longest")});
}

}  // namespace

StepShape decode_step(const Subject& subject, std::int64_t batch, std::int64_t context, std::int64_t drafts) {
  StepShape shape;
  shape.decodes = shape.samples = batch;
  shape.decode_context = batch * context;
  shape.decode_clipped = batch * std::min(context, attention_clip(subject.deployment.model));
  shape.drafts = batch * drafts;
  shape.draft_pairs = drafts * shape.decode_context + batch * (drafts * (drafts + 1) / 2);
  return shape;
}

std::int64_t sequences_that_fit(const Subject& subject, std::int64_t context) {
  const std::int64_t usable =
      std::max<std::int64_t>(0, subject.plan.num_blocks.value() - subject.deployment.reserved_blocks);
  const std::int64_t in_blocks = usable / subject.plan.blocks_of(context, 1);
  return std::min(in_blocks, slots_of(subject.deployment).value_or(in_blocks));
}

std::optional<std::int64_t> slots_of(const Deployment& deployment) {
  return deployment.model.has_states() ? deployment.memory.state_slots : std::nullopt;
}

BlocksOfSequence blocks_of_sequence(const Subject& subject, const std::string& length, std::vector<Figure> inputs) {
  const MemoryPlan& plan = subject.plan;
  const std::string full = "ceil(" + length + " / block_size)";
  inputs.push_back(tokens("block_size", plan.block_size));
  if (plan.groups == LayerGroups{1, 0, 0, plan.groups.layers}) return {full, std::move(inputs)};
  std::string formula = "(full_groups x " + full;
  inputs.push_back(count("full_groups", plan.groups.full));
  if (plan.groups.window > 0) {
    const std::string in_window = "ceil(min(" + length + ", window) / window_block_size) + 1";
    formula += " + window_groups x min(ceil(" + length + " / window_block_size), " + in_window + ")";
    inputs.push_back(count("window_groups", plan.groups.window));
    inputs.push_back(tokens("window", plan.window));
    inputs.push_back(tokens("window_block_size", plan.window_block_size));
  }
  if (plan.groups.state > 0) {
    formula += " + state_groups";
    inputs.push_back(count("state_groups", plan.groups.state));
  }
  return {formula + ")", std::move(inputs)};
}

std::int64_t batch_at(const Subject& subject, std::int64_t context) {
  const Deployment& d = subject.deployment;
  if (subject.batch) return *subject.batch;
  return std::min(
      {sequences_that_fit(subject, context), d.max_num_seqs, d.max_num_batched_tokens / step_width(subject)});
}

std::int64_t step_batch(const Subject& subject) {
  const std::int64_t batch = batch_at(subject, subject.context);
  const auto& closed = subject.deployment.max_concurrency;
  return closed && !subject.batch ? std::min(batch, *closed) : batch;
}

void add_contexts(const Subject& subject, Explanation& explanation) {
  for (std::int64_t context : subject.contexts) {
    StepTerms terms(subject, explanation, "contexts", context, Place::one_of_many);
    terms.add_sequences();
    terms.add_batch();
    if (batch_at(subject, context) > 0) {
      terms.add_bytes();
      terms.add_time(price(subject, batch_at(subject, context), context));
    }
    terms.add_limits();
  }
  add_gap(subject, explanation);
}

void add_step(const Subject& subject, Explanation& explanation) {
  const std::int64_t context = subject.context;
  const std::int64_t batch = step_batch(subject);
  StepTerms terms(subject, explanation, "step", context, Place::taken_apart);
  if (subject.own_context && !subject.asked_context) {
    terms.add("context", "context, the workload's own", static_cast<double>(context), Unit::tokens, "own_context",
              {explanation.figure("own_context")});
  } else {
    terms.add("context", "context", static_cast<double>(context), Unit::tokens, "", {}).source = Source::assumed;
  }
  terms.add_sequences();
  terms.add_sequences_at_end();
  terms.add_batch();
  if (batch > 0) {
    const Ledger account = price(subject, batch, context);
    terms.add_bytes();
    terms.add_intensity();
    terms.add_time(account);
    for (const Figure& part : parts_of(account))
      terms.add("step_time." + part.name, "of which " + part.name, part.value, Unit::seconds, "", {}).share =
          part.value / to_seconds(account.duration());
    for (std::size_t i = 0; i < account.bound.size(); ++i)
      terms.add("bound_by." + std::string(bound_by_names[i]), "waiting for " + std::string(bound_by_names[i]),
                to_seconds(account.bound[i]) / to_seconds(account.duration()), Unit::share, "", {});
  }
  terms.add_limits();
}

}  // namespace decodesim::explain_sections
