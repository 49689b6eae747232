// Where a GPU's memory goes, and when the cache outweighs the weights.

#include <cmath>

#include "sim/model/draft.hpp"
#include "sim/model/explain/sections.hpp"
#include "sim/model/weights.hpp"

namespace decodesim::explain_sections {

namespace {

/// A part of what the server needs besides weights and cache.
void add_overhead(const Subject& subject, Section& section, Explanation& explanation) {
  const MemoryPlan& plan = subject.plan;
  const auto share = [&](Bytes part) { return part.value() / plan.capacity.value(); };
  if (!plan.parts) {
    section
        .given("runtime_overhead", "activations, communication, graphs", plan.runtime_overhead.value(), Unit::bytes,
               Source::assumed)
        .share = share(plan.runtime_overhead);
    return;
  }
  std::string sum;
  std::vector<Figure> inputs;
  const auto part = [&](const char* key, const char* label, Bytes bytes) {
    if (bytes == Bytes(0)) return;
    section.given(key, label, bytes.value(), Unit::bytes, Source::assumed).share = share(bytes);
    sum += (sum.empty() ? "" : " + ") + std::string(key);
    inputs.push_back(explanation.figure(key));
  };
  part("activation_peak", "activations of the largest step", plan.parts->activation_peak);
  part("non_torch", "CUDA context and communication", plan.parts->non_torch);
  part("cuda_graphs", "CUDA graphs", plan.parts->cuda_graphs);
  if (sum.empty()) {
    section.given("runtime_overhead", "overhead together", 0, Unit::bytes, Source::assumed).share = 0;
    return;
  }
  section.derived("runtime_overhead", "overhead together", plan.runtime_overhead.value(), Unit::bytes, sum, inputs)
      .share = share(plan.runtime_overhead);
}

void add_weight_shard(const Subject& subject, Section& section, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const Bytes shard = subject.plan.weight_shard;
  Term* term = nullptr;
  if (d.memory.weights) {
    term =
        &section.given("weight_shard", "weights of one rank, as stated", shard.value(), Unit::bytes, Source::measured);
  } else if (d.parallel.pp == 1 && d.precision.tables() == d.precision.weights) {
    term = &section.derived("weight_shard", "weights of one rank", shard.value(), Unit::bytes, "weights / tp",
                            {explanation.figure("weights"), count("tp", d.parallel.tp)});
  } else {
    const StagePlan& stage = subject.plan.stages[subject.plan.stage];
    const double of_layers = layer_parameters(d.model) * stage.layers / d.model.layers;
    const double layers = of_layers * bytes_per_value(d.precision.weights);
    const double value = bytes_per_value(d.precision.tables());
    const double tables = (shard.value() * d.parallel.tp - layers) / value;
    term = &section.derived(
        "weight_shard", "weights of one rank, with embeddings in their own format", shard.value(), Unit::bytes,
        "(layer_parameters x weight_bytes_per_value + table_parameters x table_bytes_per_value) / tp",
        {count("layer_parameters", of_layers),
         {"weight_bytes_per_value", bytes_per_value(d.precision.weights), Unit::bytes},
         count("table_parameters", tables),
         {"table_bytes_per_value", value, Unit::bytes},
         count("tp", d.parallel.tp)});
  }
  term->share = shard.value() / subject.plan.capacity.value();
}

/// From a GPU's memory to its KV pool; each term's share is of the whole memory.
void add_budget(const Subject& subject, Section& section, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const MemoryPlan& plan = subject.plan;
  const auto share = [&](Bytes part) { return part.value() / plan.capacity.value(); };
  const Figure tp = count("tp", d.parallel.tp);
  const Figure utilization = count("utilization", d.memory.utilization);
  const bool sold = d.memory.capacity == MemoryCapacity::as_sold;
  const bool of_free = d.memory.accounting == Accounting::trtllm;
  if (d.parallel.pp > 1) {
    section.given("stage", "pipeline stage with the fewest blocks, counted from 1", static_cast<double>(plan.stage + 1),
                  Unit::count, Source::derived);
    section.given("stage_layers", "its layers", plan.stages[plan.stage].layers, Unit::count, Source::derived);
  }
  section.given("gpu_memory", sold ? "a GPU's memory, as sold" : "a GPU's memory, as its driver reports it",
                plan.capacity.value(), Unit::bytes, sold ? Source::spec : Source::measured);
  if (!of_free) {
    Term& usable = section.derived("usable_memory", "the server may use", plan.usable.value(), Unit::bytes,
                                   "gpu_memory x utilization", {explanation.figure("gpu_memory"), utilization});
    usable.source = Source::assumed;
    usable.share = share(plan.usable);
  }
  add_weight_shard(subject, section, explanation);
  add_overhead(subject, section, explanation);
  std::string left = (of_free ? "gpu_memory" : "usable_memory") + std::string(" - weight_shard - runtime_overhead");
  std::vector<Figure> inputs{explanation.figure(of_free ? "gpu_memory" : "usable_memory"),
                             explanation.figure("weight_shard"), explanation.figure("runtime_overhead")};
  const auto outside = [&](const char* key, const char* label, Bytes bytes) {
    if (bytes == Bytes(0)) return;
    section.given(key, label, bytes.value(), Unit::bytes, Source::assumed).share = share(bytes);
    left += " - " + std::string(key);
    inputs.push_back(explanation.figure(key));
  };
  outside("draft_shard", "weights of what drafts, on one rank", plan.draft_shard);
  outside("request_table", "table of requests and their tokens", plan.request_table);
  outside("states", "states of memory.state_slots sequences", plan.states);
  if (of_free && plan.pool.value() > 0) {
    left = "(" + left + ") x utilization";
    inputs.push_back(utilization);
  }
  Term& pool = section.derived("pool_bytes_per_gpu", "KV pool of a GPU", plan.pool.value(), Unit::bytes, left, inputs);
  if (plan.pool.value() >= 0) pool.share = share(plan.pool);
}

void add_pool_of_all(const Subject& subject, Section& section, Explanation& explanation) {
  const ParallelSpec& parallel = subject.deployment.parallel;
  std::string formula = "tp x pool_bytes_per_gpu";
  std::vector<Figure> inputs{count("tp", parallel.tp), explanation.figure("pool_bytes_per_gpu")};
  if (parallel.pp > 1) {
    formula = "pp x " + formula;
    inputs.push_back(count("pp", parallel.pp));
  }
  section.derived("pool_bytes", "KV pool of all ranks",
                  explanation.value("pool_bytes_per_gpu") * parallel.tp * parallel.pp, Unit::bytes, formula, inputs);
}

void add_block(const Subject& subject, Section& section, Explanation& explanation) {
  const MemoryPlan& plan = subject.plan;
  const double bytes = plan.block_bytes.value();
  const Figure size = tokens("block_size", plan.block_size);
  const double plain = explanation.value("kv_bytes_per_token_per_rank") * static_cast<double>(plan.block_size);
  const Deployment& d = subject.deployment;
  const double drafted = draft_share(d.speculative, d.model, d.precision, d.parallel.tp).kv_per_token.value();
  if (plan.groups.count() == 1 && drafted > 0) {
    section.derived("block_bytes", "a block on a rank", bytes, Unit::binary_bytes,
                    "block_size x (kv_bytes_per_token_per_rank + draft_kv_bytes_per_token_per_rank)",
                    {size,
                     explanation.figure("kv_bytes_per_token_per_rank"),
                     {"draft_kv_bytes_per_token_per_rank", drafted, Unit::bytes}});
    return;
  }
  if (plan.groups.count() == 1 && bytes == plain) {
    section.derived("block_bytes", "a block on a rank", bytes, Unit::binary_bytes,
                    "block_size x kv_bytes_per_token_per_rank",
                    {size, explanation.figure("kv_bytes_per_token_per_rank")});
    return;
  }
  const double page = bytes / plan.groups.layers;
  if (plan.block_size != subject.deployment.memory.block_size)
    section.given("block_size", "tokens a block, so that it holds a state too", static_cast<double>(plan.block_size),
                  Unit::tokens, Source::derived);
  section.given("page_bytes", "a page: a block of one layer on a rank", page, Unit::binary_bytes, Source::derived);
  section.derived("block_bytes", "a block on a rank", bytes, Unit::binary_bytes, "group_layers x page_bytes",
                  {count("group_layers", plan.groups.layers), explanation.figure("page_bytes")});
  if (plan.groups.count() == 1) return;
  section.derived("groups", "groups of layers, each with its blocks", plan.groups.count(), Unit::count,
                  "full_groups + window_groups + state_groups",
                  {count("full_groups", plan.groups.full), count("window_groups", plan.groups.window),
                   count("state_groups", plan.groups.state)});
}

/// The pool that blocks make which are given, whether or not a GPU has room for it.
void add_given_pool(const Subject& subject, Section& section, Explanation& explanation) {
  const double blocks = static_cast<double>(subject.plan.num_blocks.value());
  const double bytes = blocks * subject.plan.block_bytes.value();
  section.derived("pool_bytes_per_gpu", "KV pool of a GPU", bytes, Unit::bytes, "num_blocks x block_bytes",
                  {explanation.figure("num_blocks"), explanation.figure("block_bytes")});
  add_pool_of_all(subject, section, explanation);
}

void add_blocks(const Subject& subject, Section& section, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const MemoryPlan& plan = subject.plan;
  const auto blocks = static_cast<double>(plan.num_blocks.value());
  const auto usable = blocks - static_cast<double>(d.reserved_blocks);
  const Figure block_size = tokens("block_size", plan.block_size);
  const double groups = plan.groups.count();
  const Figure reserved{"reserved_blocks", static_cast<double>(d.reserved_blocks), Unit::blocks};
  if (plan.blocks_given) {
    section.given(
        "num_blocks",
        d.memory.num_gpu_blocks ? "blocks, as memory.num_gpu_blocks sets them" : "blocks of memory.num_gpu_tokens",
        blocks, Unit::blocks, Source::assumed);
  } else {
    section.derived("num_blocks", "blocks, as the server's log prints them", blocks, Unit::blocks,
                    d.memory.accounting == Accounting::trtllm ? "ceil(pool_bytes_per_gpu / block_bytes)"
                                                              : "floor(pool_bytes_per_gpu / block_bytes)",
                    {explanation.figure("pool_bytes_per_gpu"), explanation.figure("block_bytes")});
  }
  if (plan.blocks_given) add_given_pool(subject, section, explanation);
  if (groups == 1) {
    section.derived("num_tokens", "tokens in them", static_cast<double>(plan.tokens.value()), Unit::tokens,
                    "num_blocks x block_size", {explanation.figure("num_blocks"), block_size});
  } else {
    section.derived("num_tokens", "tokens in them, as the server's log prints them",
                    static_cast<double>(plan.tokens.value()), Unit::tokens, "floor(num_blocks / groups) x block_size",
                    {explanation.figure("num_blocks"), explanation.figure("groups"), block_size});
  }
  section.derived("usable_blocks", "blocks that requests can hold", usable, Unit::blocks,
                  "num_blocks - reserved_blocks", {explanation.figure("num_blocks"), reserved});
  const bool apart = groups > 1;
  std::vector<Figure> inputs{explanation.figure("usable_blocks"), block_size};
  if (apart) inputs.push_back(explanation.figure("groups"));
  const double in_each = apart ? std::floor(usable / groups) : usable;
  section.derived(
      "capacity_tokens",
      apart ? "tokens that requests can cache, if each group takes as many blocks" : "tokens that requests can cache",
      in_each * block_size.value, Unit::tokens,
      apart ? "floor(usable_blocks / groups) x block_size" : "usable_blocks x block_size", std::move(inputs));
}

}  // namespace

void add_memory(const Subject& subject, Explanation& explanation) {
  Section section("memory", explanation);
  // Blocks that are given take the budget's place; what it would leave for them says nothing then.
  if (subject.plan.pool_given && !subject.plan.blocks_given) {
    section.given("pool_bytes_per_gpu", "KV pool of a GPU, as memory.kv_cache sets it", subject.plan.pool.value(),
                  Unit::bytes, Source::measured);
    add_pool_of_all(subject, section, explanation);
  } else if (!subject.plan.blocks_given) {
    add_budget(subject, section, explanation);
    add_pool_of_all(subject, section, explanation);
  }
  add_block(subject, section, explanation);
  add_blocks(subject, section, explanation);
}

/// The same down to where it fails: a pool that is not there, or holds no block.
void add_shortage(const Subject& subject, Explanation& explanation) {
  Section section("memory", explanation);
  add_budget(subject, section, explanation);
  add_pool_of_all(subject, section, explanation);
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
