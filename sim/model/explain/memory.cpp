// Where a GPU's memory goes, and when the cache outweighs the weights.

#include "sim/model/draft.hpp"
#include "sim/model/explain/sections.hpp"

namespace decodesim::explain_sections {

namespace {

/// From a GPU's memory to its KV pool; each term's share is of the whole memory.
void add_budget(const Subject& subject, Section& section, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const MemoryPlan& plan = subject.plan;
  const auto share = [&](Bytes part) { return part.value() / plan.capacity.value(); };
  const Figure tp = count("tp", d.parallel.tp);
  const bool sold = d.memory.capacity == MemoryCapacity::as_sold;
  section.given("gpu_memory", sold ? "a GPU's memory, as sold" : "a GPU's memory, as its driver reports it",
                plan.capacity.value(), Unit::bytes, sold ? Source::spec : Source::measured);
  Term& usable = section.derived("usable_memory", "the server may use", plan.usable.value(), Unit::bytes,
                                 "gpu_memory x utilization",
                                 {explanation.figure("gpu_memory"), count("utilization", d.memory.utilization)});
  usable.source = Source::assumed;
  usable.share = share(plan.usable);
  section
      .derived("weight_shard", "weights of one rank", plan.weight_shard.value(), Unit::bytes, "weights / tp",
               {explanation.figure("weights"), tp})
      .share = share(plan.weight_shard);
  const bool drafts = plan.draft_shard.value() > 0;
  if (drafts) {
    section
        .given("draft_shard", "weights of what drafts, on one rank", plan.draft_shard.value(), Unit::bytes,
               Source::spec)
        .share = share(plan.draft_shard);
  }
  section
      .given("runtime_overhead", "activations, communication, graphs", plan.runtime_overhead.value(), Unit::bytes,
             Source::assumed)
      .share = share(plan.runtime_overhead);
  std::vector<Figure> inputs{explanation.figure("usable_memory"), explanation.figure("weight_shard"),
                             explanation.figure("runtime_overhead")};
  if (drafts) inputs.push_back(explanation.figure("draft_shard"));
  Term& pool = section.derived("pool_bytes_per_gpu", "KV pool of a GPU", plan.pool.value(), Unit::bytes,
                               drafts ? "usable_memory - weight_shard - draft_shard - runtime_overhead"
                                      : "usable_memory - weight_shard - runtime_overhead",
                               std::move(inputs));
  if (plan.pool.value() >= 0) pool.share = share(plan.pool);
  section.derived("pool_bytes", "KV pool of all ranks", plan.pool.value() * d.parallel.tp, Unit::bytes,
                  "tp x pool_bytes_per_gpu", {tp, explanation.figure("pool_bytes_per_gpu")});
}

void add_block(const Subject& subject, Section& section, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const double drafted = draft_share(d.speculative, d.model, d.precision, d.parallel.tp).kv_per_token.value();
  std::vector<Figure> inputs{tokens("block_size", d.memory.block_size),
                             explanation.figure("kv_bytes_per_token_per_rank")};
  if (drafted > 0) inputs.push_back({"draft_kv_bytes_per_token_per_rank", drafted, Unit::bytes});
  section.derived("block_bytes", "a block on a rank", subject.plan.block_bytes.value(), Unit::binary_bytes,
                  drafted > 0 ? "block_size x (kv_bytes_per_token_per_rank + draft_kv_bytes_per_token_per_rank)"
                              : "block_size x kv_bytes_per_token_per_rank",
                  std::move(inputs));
}

/// The pool that blocks make which are given, whether or not a GPU has room for it.
void add_given_pool(const Subject& subject, Section& section, Explanation& explanation) {
  const double blocks = static_cast<double>(subject.plan.num_blocks.value());
  const double bytes = blocks * subject.plan.block_bytes.value();
  const int tp = subject.deployment.parallel.tp;
  section.derived("pool_bytes_per_gpu", "KV pool of a GPU", bytes, Unit::bytes, "num_blocks x block_bytes",
                  {explanation.figure("num_blocks"), explanation.figure("block_bytes")});
  section.derived("pool_bytes", "KV pool of all ranks", bytes * tp, Unit::bytes, "tp x pool_bytes_per_gpu",
                  {count("tp", tp), explanation.figure("pool_bytes_per_gpu")});
}

void add_blocks(const Subject& subject, Section& section, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const MemoryPlan& plan = subject.plan;
  const auto blocks = static_cast<double>(plan.num_blocks.value());
  const auto usable = blocks - static_cast<double>(d.reserved_blocks);
  const Figure block_size = tokens("block_size", d.memory.block_size);
  const Figure reserved{"reserved_blocks", static_cast<double>(d.reserved_blocks), Unit::blocks};
  if (plan.blocks_given) {
    section.given("num_blocks", "blocks, as memory.num_gpu_blocks sets them", blocks, Unit::blocks, Source::assumed);
  } else {
    section.derived("num_blocks", "blocks, as the server's log prints them", blocks, Unit::blocks,
                    "floor(pool_bytes_per_gpu / block_bytes)",
                    {explanation.figure("pool_bytes_per_gpu"), explanation.figure("block_bytes")});
  }
  if (plan.blocks_given) add_given_pool(subject, section, explanation);
  section.derived("num_tokens", "tokens in them", static_cast<double>(plan.tokens.value()), Unit::tokens,
                  "num_blocks x block_size", {explanation.figure("num_blocks"), block_size});
  section.derived("usable_blocks", "blocks that requests can hold", usable, Unit::blocks,
                  "num_blocks - reserved_blocks", {explanation.figure("num_blocks"), reserved});
  section.derived("capacity_tokens", "tokens that requests can cache", usable * block_size.value, Unit::tokens,
                  "usable_blocks x block_size", {explanation.figure("usable_blocks"), block_size});
}

}  // namespace

void add_memory(const Subject& subject, Explanation& explanation) {
  Section section("memory", explanation);
  // Blocks that are given take the budget's place; what it would leave for them says nothing then.
  if (!subject.plan.blocks_given) add_budget(subject, section, explanation);
  add_block(subject, section, explanation);
  add_blocks(subject, section, explanation);
}

/// The same down to where it fails: a pool that is not there, or holds no block.
void add_shortage(const Subject& subject, Explanation& explanation) {
  Section section("memory", explanation);
  add_budget(subject, section, explanation);
  add_block(subject, section, explanation);
}

void add_crossover(const Subject& subject, Explanation& explanation) {
  const CachedToken cached = cached_token(explanation);
  const double in_flight = explanation.value("weights") / cached.bytes;
  std::vector<Figure> inputs = cached.inputs;
  inputs.insert(inputs.begin(), explanation.figure("weights"));
  Section section("crossover", explanation);
  section.derived("crossover_tokens", "tokens in flight that weigh as much as the weights", in_flight, Unit::tokens,
                  "weights / (" + cached.formula + ")", std::move(inputs));
  // A batch that many servers run, so that deployments compare; then the one of this step.
  constexpr std::int64_t usual_batch = 128;
  const auto add_at = [&](std::string key, std::string label, std::string_view name, std::int64_t batch) {
    section.derived(std::move(key), std::move(label), in_flight / static_cast<double>(batch), Unit::tokens,
                    std::string("crossover_tokens / ").append(name),
                    {explanation.figure("crossover_tokens"), sequences(name, batch)});
  };
  add_at("crossover_context", "at a batch of 128, to compare by, a context of", "crossover_batch", usual_batch);
  const std::int64_t batch = step_batch(subject);
  if (batch > 0 && batch != usual_batch)
    add_at("crossover_context_of_step", "at the batch of the step below, a context of", "batch", batch);
}

}  // namespace decodesim::explain_sections
