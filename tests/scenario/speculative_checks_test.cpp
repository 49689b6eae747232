// Where speculation is refused, and what is refused beside it.

#include <doctest/doctest.h>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

#define DRAFT "scheduler: {speculative: {draft_tokens: 3, acceptance: 0.7, draft: model, model: "
#define SERVER "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n" LOAD

constexpr WrongFile wrong_files[] = {
    {"drafts on an engine that verifies none",
     SERVER "scheduler: {engine: sglang, §speculative: {draft_tokens: 3, acceptance: 0.7}}\n", "no-effect",
     "remove it, or choose 'engine: vllm-v1'"},
    {"no chance at all", SERVER "scheduler: {§speculative: {draft_tokens: 3}}\n", "missing-key",
     "add 'acceptance: 0.7', or 'acceptance_by_position: [...]': it depends on what drafts and on the text, and "
     "servers "
     "log it"},
    {"chances for other drafts",
     SERVER "scheduler: {speculative: {draft_tokens: 3, §acceptance_by_position: [0.8, 0.6]}}\n", "out-of-range",
     "give one for each draft token"},
    {"drafts ahead of results", SERVER "scheduler: {async: §true, speculative: {draft_tokens: 3, acceptance: 0.7}}\n",
     "unsupported", "write 'async: false'"},
    {"a budget below one sequence",
     SERVER
     "scheduler: {max_num_seqs: 2, max_num_batched_tokens: §3, speculative: {draft_tokens: 3, acceptance: 0.7}}\n",
     "contradiction", "raise it to at least 4"},
    {"a threshold that cuts drafts",
     SERVER "scheduler: {long_prefill_token_threshold: §2, speculative: {draft_tokens: 3, acceptance: 0.7}}\n",
     "contradiction", "raise it to 4, or write 0"},
    {"a draft model whose heads do not group", SERVER DRAFT "{like: llama-3-8b, kv_heads: §5}}}\n", "out-of-range",
     "choose a divisor of 'scheduler.speculative.model.heads'"},
    {"a draft model with more active experts than it has",
     SERVER DRAFT "{like: llama-3-8b, moe: {experts: 4, active: §5, intermediate_size: 64}}}}\n", "out-of-range",
     "a token uses some of the experts"},
    {"a draft model with more active parameters than it has",
     SERVER DRAFT "{like: llama-3-8b, active_parameters: §1e15}}}\n", "out-of-range",
     "the active ones are among all of them"},
    {"a draft model whose states nobody plans",
     SERVER DRAFT "{like: llama-3-8b, §linear: {full_every: 4, state: 1 MB}}}}\n", "unsupported",
     "choose a model whose layers are all full attention or see a window"},
    {"a draft model that reads the best tokens of no latent",
     SERVER DRAFT "{like: llama-3-8b, §sparse: {top_k: 1, index_heads: 1, index_dim: 1}}}}\n", "contradiction",
     "state 'scheduler.speculative.model.mla'"},
    {"a head that is counted twice",
     SERVER "model: {like: llama-3-8b, draft_layers: §1}\n"
            "scheduler: {speculative: {draft_tokens: 3, acceptance: 0.7, draft: head}}\n",
     "contradiction", "a head brings its own layers, 'head_layers'"},
};

}  // namespace

TEST_CASE("speculation that is incomplete, and what cannot go with it, is refused with the reason") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

TEST_CASE("no drafts ask for nothing") {
  CHECK(diagnostics_text(load_text(SERVER "scheduler: {async: true, speculative: {draft_tokens: 0}}\n").diagnostics) ==
        "");
}

}  // namespace decodesim::tests
