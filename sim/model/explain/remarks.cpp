// What the numbers say, in sentences: the gap, what binds, and what to check first.

#include <algorithm>

#include "sim/model/explain/sections.hpp"

namespace decodesim::explain_sections {

namespace {

void add_left_out(const Subject& subject, Explanation& explanation) {
  if (subject.contexts_left_out == 0) return;
  explanation.remarks.push_back(
      {"contexts_left_out",
       subject.contexts_left_out == 1
           ? "One of the contexts is beyond max_model_len, {max_model_len}, and is left out."
           : "{contexts_left_out} of the contexts are beyond max_model_len, {max_model_len}, and are left out.",
       {count("contexts_left_out", static_cast<double>(subject.contexts_left_out)),
        tokens("max_model_len", subject.deployment.max_model_len)}});
}

void add_cache_remarks(const Subject& subject, Explanation& explanation) {
  if (explanation.value("kv_copies") > 1)
    explanation.remarks.push_back(
        {"copies",
         "The ranks hold {kv_copies} copies of the KV cache, so more ranks add less room than they add memory.",
         {explanation.figure("kv_copies")}});
  const ModelSpec& model = subject.deployment.model;
  if (subject.plan.groups.count() > 1) {
    explanation.remarks.push_back({"groups",
                                   "The tokens that a server's log prints are no capacity here: its layers lie in "
                                   "{groups} groups, and those with a window or a state need fewer blocks a sequence "
                                   "than that count supposes. `run` does not play such a pool.",
                                   {explanation.figure("groups")}});
  } else if (model.window_layers() > 0) {
    explanation.remarks.push_back(
        {"windows",
         subject.deployment.cost.model == CostKind::calibrated
             ? "The pool counts every layer as if it saw the whole context, as an engine does that does not know of "
               "windows; a sequence really needs the bytes shown for it."
             : "The pool and the steps count every layer as if it saw the whole context, as an engine does that does "
               "not know of windows; a sequence really needs the bytes shown for it.",
         {}});
  }
  if (subject.plan.graphs_overflow)
    explanation.remarks.push_back({"graphs_overflow",
                                   "CUDA graphs come on top of the budget, and what it leaves does not hold them: the "
                                   "server starts and runs out of memory.",
                                   {}});
}

void add_speculation_remark(Explanation& explanation) {
  const Term* gain = explanation.find("speculation_gain");
  if (gain == nullptr) return;
  std::string text =
      "Speculation yields {tokens_per_step} tokens a step and sequence, and the step takes {step_growth} as long as "
      "one "
      "without drafts: ";
  text += gain->value > 1 ? "{speculation_gain} of the tokens/s." : "only {speculation_gain} of the tokens/s.";
  explanation.remarks.push_back({"speculation",
                                 std::move(text),
                                 {explanation.figure("tokens_per_step"), explanation.figure("step_growth"),
                                  explanation.figure("speculation_gain")}});
}

void add_gap(const Subject& subject, Explanation& explanation) {
  if (explanation.find("throughput_gap") == nullptr) return;
  const auto [shortest, longest] = std::minmax_element(subject.asked.begin(), subject.asked.end());
  const bool ideal = subject.deployment.cost.model == CostKind::ideal;
  std::string text =
      "The gap is {throughput_gap}: {fast} tokens/s at a context of {short}, {slow} at {long}. A step moves about the "
      "same bytes, "
      "but they serve {many} sequences in one case and {few} in the other.";
  if (ideal)
    text += " These are ideal figures: bytes over datasheet bandwidth. A tuned stack reaches about half of them.";
  explanation.remarks.push_back(
      {"gap",
       std::move(text),
       {explanation.figure("throughput_gap"), explanation.figure(at("tokens_per_s", *shortest), "fast"),
        tokens("short", *shortest), explanation.figure(at("tokens_per_s", *longest), "slow"), tokens("long", *longest),
        explanation.figure(at("batch", *shortest), "many"), explanation.figure(at("batch", *longest), "few")}});
}

/// What keeps the batch from being larger.
void add_batch_bound(const Subject& subject, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const std::int64_t fits = sequences_that_fit(subject, subject.context);
  const std::int64_t batch = step_batch(subject);
  const bool closed = d.max_concurrency && *d.max_concurrency <= d.max_num_seqs;
  std::vector<Figure> inputs{explanation.figure("context"),
                             explanation.figure("sequences"),
                             explanation.figure("batch"),
                             sequences("max_num_seqs", d.max_num_seqs),
                             tokens("max_num_batched_tokens", d.max_num_batched_tokens),
                             sequences("max_concurrency", d.max_concurrency.value_or(0))};
  if (d.speculative.on()) inputs.push_back(count("step_width", static_cast<double>(step_width(subject))));
  std::string text;
  if (batch > fits) {
    text =
        "The batch does not fit: the pool holds {sequences} sequences of {context}, so the rest waits or is preempted, "
        "and "
        "the step shown never runs.";
  } else if (batch == 0) {
    text = "Not one sequence of {context} fits the pool.";
  } else if (subject.batch) {
    text = "The batch is the one asked for; the pool holds {sequences} sequences of {context}.";
  } else if (batch == fits) {
    text =
        "KV capacity bounds the batch: the pool holds {sequences} sequences of {context}, and the scheduler would run "
        "{max_num_seqs}.";
    if (closed)
      text =
          "KV capacity bounds the batch: the pool holds {sequences} sequences of {context}, and the workload keeps "
          "{max_concurrency} in flight.";
  } else if (closed && batch == *d.max_concurrency) {
    text =
        "The workload bounds the batch: workload.max_concurrency keeps {max_concurrency} in flight, and the pool holds "
        "{sequences} sequences of {context}.";
  } else if (batch == d.max_num_seqs) {
    text =
        "max_num_seqs bounds the batch: it allows {max_num_seqs}, and the pool holds {sequences} sequences of "
        "{context}.";
  } else {
    text =
        "max_num_batched_tokens bounds the batch: a step computes {max_num_batched_tokens}, {step_width} a sequence, "
        "and the pool holds {sequences} sequences of {context}.";
    if (step_width(subject) == 1)
      text =
          "max_num_batched_tokens bounds the batch: a step computes {max_num_batched_tokens}, one a sequence, and the "
          "pool holds {sequences} sequences of {context}.";
  }
  explanation.remarks.push_back({"batch_bound", std::move(text), std::move(inputs)});
}

/// Bytes and operations of a step are those of the whiteboard; calibrated prices less where a step touches a part only.
void add_touched(const Subject& subject, Explanation& explanation) {
  const ModelSpec& model = subject.deployment.model;
  if (subject.cost == nullptr || subject.deployment.cost.model != CostKind::calibrated) return;
  if (model.moe.experts == 0 && model.window_layers() == 0 && !model.reads_best()) return;
  const Ledger account = subject.cost->price(
      decode_step(subject, step_batch(subject), subject.context, subject.deployment.speculative.draft_tokens));
  const double read = (account.of(ByteKind::weights) + account.of(ByteKind::kv_read)).value();
  explanation.remarks.push_back({"touched",
                                 "The bytes of a step above are all weights and the whole cache. The time is that of "
                                 "{touched_bytes}: the experts that {batch} sequences are expected to use, and what "
                                 "layers with a window, or that read the best tokens alone, see.",
                                 {{"touched_bytes", read, Unit::bytes}, explanation.figure("batch")}});
}

/// Sequences grow while they decode: what fits at first may not fit to the end.
void add_growth(const Subject& subject, Explanation& explanation) {
  const Term* at_end = explanation.find("sequences_at_end");
  if (at_end == nullptr || at_end->value >= explanation.value("sequences")) return;
  std::string text =
      "The pool holds {sequences} sequences of {context}, but only {sequences_at_end} at the end of answers of "
      "{longest_answer}";
  text += static_cast<double>(step_batch(subject)) > at_end->value
              ? ": if they end together, growth preempts some of the {batch} before."
              : "; the batch of {batch} fits to the end.";
  explanation.remarks.push_back(
      {"growth",
       std::move(text),
       {explanation.figure("sequences"), explanation.figure("context"), explanation.figure("sequences_at_end"),
        explanation.figure("longest_answer"), explanation.figure("batch")}});
}

/// What most of the step's time waits for.
BoundBy main_bound(const Explanation& explanation) {
  std::size_t most = 0;
  for (std::size_t i = 1; i < bound_by_names.size(); ++i) {
    const auto share = [&](std::size_t which) {
      return explanation.value(std::string("bound_by.").append(bound_by_names[which]));
    };
    if (share(i) > share(most)) most = i;
  }
  return static_cast<BoundBy>(most);
}

/// Whether most of the host's time is that between the layers of two steps.
bool samples_most(const Explanation& explanation) {
  const Term* sampling = explanation.find("step_time.sampling");
  const Term* host = explanation.find("step_time.host");
  return sampling != nullptr && (host == nullptr || host->value < sampling->value);
}

void add_step_bound(BoundBy bound, Explanation& explanation) {
  const Figure share =
      explanation.figure(std::string("bound_by.").append(bound_by_names[static_cast<std::size_t>(bound)]), "share");
  std::string text;
  switch (bound) {
    case BoundBy::bandwidth:
      text =
          "Memory bandwidth bounds the step: {share} of its time moves bytes. No batch at this context does more than "
          "{intensity_ceiling}, against a ridge of {ridge}";
      text += explanation.value("intensity_ceiling") < explanation.value("ridge")
                  ? ", so decoding stays bound by bandwidth."
                  : ".";
      break;
    case BoundBy::compute:
      text = "Arithmetic bounds the step: {share} of its time computes.";
      break;
    case BoundBy::latency:
      text = "The least times of kernels bound the step: {share} of its time passes however little they do.";
      break;
    case BoundBy::collectives:
      text = "All-reduces bound the step: {share} of its time sums over ranks.";
      break;
    case BoundBy::transfers:
      text = "Transfers of KV to and from the host bound the step: {share} of its time.";
      break;
    case BoundBy::host:
      text = samples_most(explanation)
                 ? "The time between the layers of two steps bounds it: {share} of it prepares inputs and samples."
                 : "The host bounds the step: {share} of its time schedules, samples and launches.";
      break;
    case BoundBy::fixed:
      text = "The step's length is given, whatever it computes.";
      break;
  }
  explanation.remarks.push_back(
      {"step_bound", std::move(text), {share, explanation.figure("intensity_ceiling"), explanation.figure("ridge")}});
}

/// Where to look when a larger batch brings no more tokens.
void add_check_first(const Subject& subject, BoundBy bound, Explanation& explanation) {
  const std::int64_t fits = sequences_that_fit(subject, subject.context);
  std::string text = "When a larger batch brings no more tokens, check first ";
  if (step_batch(subject) >= fits) {
    text +=
        "whether it runs at all: the pool is full at {sequences} sequences of {context}, so watch running sequences, "
        "preemptions and KV use. Then ";
  }
  switch (bound) {
    case BoundBy::bandwidth:
      if (explanation.value("cache_share") >= 0.5) {
        text +=
            "the KV bytes that a step reads: they are {cache_share} of it and grow with the batch, so tokens/s level "
            "off below "
            "{tokens_per_s_limit}, and this batch has {tokens_per_s}. A shorter context, fewer bytes a token or more "
            "bandwidth "
            "raise that limit; a larger batch does not.";
      } else {
        text +=
            "the share of the KV cache in a step's bytes: it is only {cache_share}, the weights are the rest and are "
            "read once "
            "whatever the batch, so more sequences are almost free as far as the pool and max_num_seqs allow them.";
      }
      break;
    case BoundBy::compute:
      text +=
          "the arithmetic: tokens cost operations one by one, so a larger batch only makes a step longer. A smaller "
          "format of "
          "the weights with its own peak, or more GPUs, raise the limit.";
      break;
    case BoundBy::latency:
      text +=
          "whether it grows at all: kernels take their least time whatever the batch, so more sequences are almost "
          "free. "
          "Fewer ranks a server, or fused kernels, shorten such a step.";
      break;
    case BoundBy::collectives:
      text +=
          "the all-reduces: their bytes grow with the batch. Fewer ranks a server, or links that reduce, shorten them.";
      break;
    case BoundBy::transfers:
      text += "the link to the host: a pool that evicts less often moves less.";
      break;
    case BoundBy::host:
      text +=
          samples_most(explanation)
              ? "the sampling: it grows with the sequences of a step, and asynchronous scheduling does not hide it; "
                "several servers share it out."
              : "the host: while its time dominates, a larger batch is free; shorten it with CUDA graphs or "
                "asynchronous scheduling.";
      break;
    case BoundBy::fixed:
      text += "max_num_seqs and the pool: a step takes the same time whatever its batch.";
      break;
  }
  explanation.remarks.push_back(
      {"check_first",
       std::move(text),
       {explanation.figure("sequences"), explanation.figure("context"), explanation.figure("cache_share"),
        explanation.figure("tokens_per_s_limit"), explanation.figure("tokens_per_s")}});
}

}  // namespace

void add_remarks_without_steps(const Subject& subject, Explanation& explanation) {
  explanation.remarks.push_back(
      {"no_steps",
       "With pipeline stages memory is explained and steps are not; the stage with the fewest "
       "blocks bounds the pool of all.",
       {}});
  add_cache_remarks(subject, explanation);
  add_left_out(subject, explanation);
}

void add_remarks(const Subject& subject, Explanation& explanation) {
  add_batch_bound(subject, explanation);
  add_growth(subject, explanation);
  if (explanation.find("step_time") != nullptr) {
    const BoundBy bound = main_bound(explanation);
    add_step_bound(bound, explanation);
    add_touched(subject, explanation);
    add_speculation_remark(explanation);
    add_check_first(subject, bound, explanation);
  }
  add_cache_remarks(subject, explanation);
  add_left_out(subject, explanation);
  // What was not asked about comes last.
  add_gap(subject, explanation);
}

}  // namespace decodesim::explain_sections
