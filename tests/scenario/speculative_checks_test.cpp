// Where speculation is refused, and what is refused beside it.

#include <doctest/doctest.h>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

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
