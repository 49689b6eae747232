// Every kind of mistake, where it is pointed out, and what the reader is told to write instead.

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/scenario/marked_text.hpp"

namespace decodesim::tests {

namespace {

constexpr WrongFile wrong_files[] = {
    // Keys.
    {"a misspelt key", FIXED LOAD "scheduler: {§max_num_sequences: 4}\n", "unknown-key",
     "did you mean 'max_num_seqs'?"},
    {"a key with two letters swapped", FIXED LOAD "scheduler: {§max_num_sesq: 4}\n", "unknown-key",
     "did you mean 'max_num_seqs'?"},
    {"a misspelt section", FIXED LOAD "§serveing: {prefill: computed}\n", "unknown-key", "did you mean 'serving'?"},
    {"a key in the wrong section", FIXED LOAD "serving:\n  §watermark: 0.1\n", "unknown-key",
     "it belongs at 'scheduler.watermark'"},
    {"an unknown key in a request", FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2, §arival: 1 s}]}\n",
     "unknown-key", "did you mean 'arrival'?"},
    {"an unknown key of the node", "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, §gpu_count: 4}\n" LOAD,
     "unknown-key", "allowed: node, name, gpu"},
    {"a key in the singular", H100 LOAD "x-note: 1\nprecision: {§weight: fp8}\n", "unknown-key",
     "did you mean 'weights'?"},
    {"a key stated twice", FIXED LOAD "run: {seed: 1, §seed: 2}\n", "duplicate-key", "the first is in line 5"},
    {"a section stated twice", FIXED LOAD "slo: {ttft_p99: 2 s}\n§slo: {ttft_p99: 3 s}\n", "duplicate-key",
     "the first is in line 5"},
    {"a key without a value", FIXED LOAD "run:\n  §seed:\n", "empty-value", "or 'null' to remove"},
    {"a list with an empty entry", FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2}, §, ]}\n",
     "wrong-type", "write '{key: value}'"},
    {"no version", "§cost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n" LOAD, "missing-key",
     "add 'version: 1'"},
    {"a version of the future", "version: §2\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n" LOAD,
     "out-of-range", "it must be 1"},
    {"no workload", "§version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n", "missing-key",
     "add 'workload: NAME'"},
    {"no model where its price counts", "§version: 1\nhardware: {node: hgx-h100}\ncost: {model: ideal}\n" LOAD,
     "missing-key", "'decodesim list models'"},
    {"no hardware where its price counts", "§version: 1\nmodel: llama-3-8b\ncost: {model: ideal}\n" LOAD, "missing-key",
     "'decodesim list nodes'"},
    {"a fixed cost without its step", "version: 1\n§cost: {model: fixed}\nmemory: {num_gpu_blocks: 11}\n" LOAD,
     "missing-key", "add 'step: 21 ms'"},
    {"a generator without a number of requests", FIXED "§workload: {input_tokens: 5, output_tokens: 2}\n",
     "missing-key", "add 'num_requests: 16'"},
    {"a generator without lengths", FIXED "§workload: {num_requests: 3, output_tokens: 2}\n", "missing-key",
     "add 'input_tokens: 4k'"},
    {"a poisson process without a rate",
     FIXED "workload: {num_requests: 3, §arrival: {process: poisson}, input_tokens: 5, output_tokens: 2}\n",
     "missing-key", "add 'request_rate: 5 req/s'"},
    {"a request without its prompt", FIXED "workload:\n  requests:\n    - §output_tokens: 2\n", "missing-key",
     "add 'input_tokens: 4k'"},
    {"a model without its layers",
     "version: 1\n§model: {parameters: 8e9, hidden_size: 64, heads: 4, kv_heads: 4, head_dim: 16, intermediate_size: "
     "64, vocab_size: 9, "
     "max_model_len: 64}\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n" LOAD,
     "missing-key", "add 'layers: 16'"},
    {"latent attention without its rank",
     "version: 1\nmodel: {like: llama-3-8b, §mla: {rope_head_dim: 64}}\nhardware: {node: hgx-h100}\n" LOAD,
     "missing-key", "add 'kv_lora_rank: 16'"},
    // Units and numbers.
    {"tokens with a capital", FIXED "workload: {num_requests: 3, input_tokens: §128K, output_tokens: 2}\n",
     "wrong-unit", "write '128k'"},
    {"a share for a time", FIXED LOAD "slo: {tpot_p99: §5 %}\n", "wrong-unit", "allowed: ns, us, ms, s, min, h"},
    {"a share in percent without the sign", H100 LOAD "memory: {utilization: §90}\n", "out-of-range", "write '90 %'"},
    {"a time without a unit", FIXED LOAD "slo: {ttft_p99: §500}\n", "missing-unit", "write '500 ms' or '500 s'"},
    {"memory without a unit", H100 LOAD "memory: {runtime_overhead: §2}\n", "missing-unit", "write '2 GB' or '2 GiB'"},
    {"a rate without a unit",
     FIXED
     "workload: {num_requests: 3, arrival: {process: constant, request_rate: §5}, input_tokens: 5, output_tokens: 2}\n",
     "missing-unit", "write '5 req/s'"},
    {"a unit of another kind", FIXED LOAD "slo: {ttft_p99: §2 GB}\n", "wrong-unit", "allowed: ns, us, ms, s, min, h"},
    {"a unit in the wrong case", H100 LOAD "memory: {runtime_overhead: §2 gb}\n", "wrong-unit", "did you mean 'GB'?"},
    {"tokens with a wrong prefix", FIXED "workload: {num_requests: 3, input_tokens: §4 ki, output_tokens: 2}\n",
     "wrong-unit", "did you mean 'k'?"},
    {"a word for a number", FIXED LOAD "scheduler: {max_num_seqs: §many}\n", "not-a-number", "write it like '16'"},
    {"a unit on a plain number", FIXED LOAD "scheduler: {max_num_seqs: §16 GB}\n", "not-a-number",
     "write it like '16'"},
    {"half a sequence", FIXED LOAD "scheduler: {max_num_seqs: §1.5}\n", "not-a-number", "write it like '16'"},
    {"half a token", FIXED "workload: {num_requests: 3, input_tokens: §0.0001k, output_tokens: 2}\n", "not-a-number",
     "write it like '4k'"},
    {"less than a nanosecond", FIXED LOAD "slo: {ttft_p99: §0.5 ns}\n", "out-of-range", "whole nanoseconds"},
    {"an octal number", FIXED LOAD "scheduler: {max_num_seqs: §010}\n", "leading-zero", "write '10'"},
    {"thousands separators", FIXED LOAD "scheduler: {max_num_batched_tokens: §\"8,192\"}\n", "not-a-number",
     "write '8192'"},
    {"not a number", H100 LOAD "memory: {utilization: §.nan}\n", "not-finite", "write it like '25 %'"},
    {"infinity", FIXED LOAD "slo: {ttft_p99: §.inf}\n", "not-finite", "write it like '21 ms'"},
    {"a negative count", FIXED LOAD "scheduler: {max_num_seqs: §-1}\n", "out-of-range", "write it like '16'"},
    {"a negative time", FIXED LOAD "slo: {ttft_p99: §-2 s}\n", "out-of-range", "write it like '21 ms'"},
    {"zero where it cannot be", FIXED LOAD "scheduler: {max_num_seqs: §0}\n", "out-of-range", "at least 1"},
    {"more than 64 bits", FIXED LOAD "run: {seed: §99999999999999999999}\n", "out-of-range",
     "the largest value is 9223372036854775807"},
    {"a time of a thousand years", FIXED LOAD "slo: {ttft_p99: §9999999 h}\n", "out-of-range", "the largest value is"},
    {"more memory than doubles hold", H100 LOAD "memory: {runtime_overhead: §1e399 GB}\n", "out-of-range", ""},
    {"a share above all", H100 LOAD "memory: {utilization: §1.5}\n", "out-of-range", "above 0 and at most 1"},
    {"a share in percent above all", H100 LOAD "memory: {utilization: §150 %}\n", "out-of-range",
     "above 0 and at most 1"},
    {"a watermark that leaves nothing", FIXED LOAD "scheduler: {watermark: §1}\n", "out-of-range",
     "at least 0 and below 1"},
    {"a yes for a flag", FIXED LOAD "scheduler: {reserve_full_isl: §yes}\n", "not-a-flag", "write 'true' or 'false'"},
    // Shapes.
    {"a mapping for a number", FIXED LOAD "scheduler: {§max_num_seqs: {a: 1}}\n", "wrong-type", "write it like '16'"},
    {"a list for a time", FIXED LOAD "slo: {§ttft_p99: [1 s, 2 s]}\n", "wrong-type", "write it like '21 ms'"},
    {"a value for a section", FIXED LOAD "scheduler: §vllm-v1\n", "wrong-type", "write its keys below it"},
    {"a name alone for the hardware", "version: 1\nmodel: llama-3-8b\nhardware: §hgx-h100\ncost: {model: ideal}\n" LOAD,
     "wrong-type", "write '{node: hgx-h100}'"},
    {"a GPU alone for the hardware", "version: 1\nmodel: llama-3-8b\nhardware: §h200-sxm\ncost: {model: ideal}\n" LOAD,
     "wrong-type", "write '{gpu: h200-sxm, gpus: N}'"},
    {"a GPU's family alone for the hardware",
     "version: 1\nmodel: llama-3-8b\nhardware: §h100\ncost: {model: ideal}\n" LOAD, "wrong-type",
     "write '{node: hgx-h100}'"},
    {"a mapping for a list", FIXED "workload: {§requests: {input_tokens: 5, output_tokens: 2}}\n", "wrong-type",
     "begin each entry with '- '"},
    {"a number for a request", FIXED "workload: {requests: [§5]}\n", "wrong-type", "write '{key: value}'"},
    {"a list for the file", "§- 1\n- 2\n", "wrong-type", "begin with 'version: 1'"},
    // Names.
    {"an unknown cost model", "version: 1\ncost: {model: §rooflin}\n" LOAD, "unknown-value",
     "did you mean 'roofline'?"},
    {"an unknown number format", H100 LOAD "precision: {weights: §bf61}\n", "unknown-value", "did you mean 'bf16'?"},
    {"an unknown engine", FIXED LOAD "scheduler: {engine: §vlm-v1}\n", "unknown-name", "did you mean 'vllm-v1'?"},
    {"an unknown model", "version: 1\nmodel: §lama-3-70b\nhardware: {node: hgx-h100}\n" LOAD, "unknown-name",
     "did you mean 'llama-3-70b'?"},
    {"an unknown model to start from",
     "version: 1\nmodel: {like: §llama-9, layers: 2}\nhardware: {node: hgx-h100}\n" LOAD, "unknown-name",
     "allowed: deepseek-67b"},
    {"an unknown node", "version: 1\nmodel: llama-3-8b\nhardware: {node: §hgx-h101}\n" LOAD, "unknown-name",
     "did you mean 'hgx-h100'?"},
    {"an unknown gpu", "version: 1\nmodel: llama-3-8b\nhardware: {gpu: §h100-smx, gpus: 2}\n" LOAD, "unknown-name",
     "did you mean 'h100-sxm'?"},
    {"a name that is a path", "version: 1\nmodel: §../models/llama-3-8b\nhardware: {node: hgx-h100}\n" LOAD,
     "unknown-name", "llama-3-8b"},
    {"never_fits with a count but no mapping", FIXED LOAD "scheduler: {never_fits: §fail_after}\n", "missing-value",
     "write '{fail_after: 16}'"},
    {"never_fits with an unknown word", FIXED LOAD "scheduler: {never_fits: §rejects}\n", "unknown-value",
     "did you mean 'reject'?"},
    {"a distribution that is not known, with its own keys",
     FIXED "workload: {num_requests: 3, input_tokens: {distribution: §zipf, mu: 5, sigma: 2}, output_tokens: 2}\n",
     "unknown-value", "allowed: constant, uniform, lognormal"},
    // Keys without effect.
    {"utilization where the blocks are given",
     "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11, §utilization: 0.9}\n" LOAD, "no-effect",
     "remove it"},
    {"a step under a priced cost",
     "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\ncost: {model: ideal, §step: 1 s}\n" LOAD, "no-effect",
     "remove it"},
    {"host time under a cost without it",
     "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\ncost: {model: ideal, §host_time: 1 ms}\n" LOAD,
     "no-effect", "remove it"},
    {"an all-reduce under a fixed cost",
     "version: 1\ncost: {model: fixed, step: 1 s, §all_reduce: ring}\nmemory: {num_gpu_blocks: 11}\n" LOAD, "no-effect",
     "remove it"},
    {"a refetch where prompts are computed here", FIXED LOAD "serving: {§after_preemption: refetch}\n", "no-effect",
     "remove it"},
    {"arrivals in a closed loop",
     FIXED "workload: {num_requests: 3, max_concurrency: 2, §arrival: {process: all_at_once}, input_tokens: 5, "
           "output_tokens: 2}\n",
     "no-effect", "remove it"},
    {"a rate where all come at once",
     FIXED "workload: {num_requests: 3, arrival: {process: all_at_once, §request_rate: 5 req/s}, input_tokens: 5, "
           "output_tokens: 2}\n",
     "no-effect", "remove it"},
    {"a rate without a process",
     FIXED "workload: {num_requests: 3, arrival: {§request_rate: 5 req/s}, input_tokens: 5, output_tokens: 2}\n",
     "no-effect", "'process: poisson' or 'process: constant'"},
    {"a refetch without a prefill tier", FIXED LOAD "serving: {§after_preemption: refetch}\n", "no-effect",
     "add 'prefill: arrives_computed'"},
    {"a generator beside a list",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 2}], §num_requests: 3}\n", "no-effect", "remove it"},
    {"a list beside a trace", FIXED "workload: {trace: a.csv, §requests: [{input_tokens: 5, output_tokens: 2}]}\n",
     "contradiction", "keep one of them"},
    // Between keys.
    {"more ranks than GPUs", H100 LOAD "parallel: {tp: §16}\n", "out-of-range", "at most 8 ranks"},
    {"ranks that do not divide the heads", H100 LOAD "parallel: {tp: §3}\n", "out-of-range", "divides 32"},
    {"more GPUs than the node has",
     "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, gpus: §9}\ncost: {model: ideal}\n" LOAD, "out-of-range",
     "take at most 8"},
    {"KV heads that do not divide the heads",
     "version: 1\nmodel: {like: llama-3-8b, kv_heads: §3}\nhardware: {node: hgx-h100}\n" LOAD, "out-of-range",
     "a divisor of 'model.heads'"},
    {"a window without a middle", FIXED LOAD "run: {§window: {skip_first: 60 %, skip_last: 40 %}}\n", "out-of-range",
     "below 100 %"},
    {"a budget below a prompt without chunks",
     H100 LOAD "scheduler: {enable_chunked_prefill: §false, max_num_batched_tokens: 4096}\n", "contradiction",
     "the server refuses to start"},
    {"a chunk below a page", FIXED LOAD "scheduler: {engine: sglang, chunked_prefill_size: §8}\n", "contradiction",
     "multiple of the page"},
    {"an order by a cache that is off",
     FIXED LOAD "scheduler: {engine: sglang, schedule_policy: §lpm, disable_radix_cache: true}\n", "contradiction",
     "leave the cache on"},
    {"computed prompts for an engine that computes them",
     FIXED LOAD "scheduler: {engine: sglang}\nserving: {prefill: §arrives_computed}\n", "unsupported",
     "choose another engine"},
    {"planning ahead, which vLLM V0 does not do", FIXED LOAD "scheduler: {engine: vllm-v0, §async: true}\n",
     "no-effect", "remove it"},
    {"a uniform length upside down",
     FIXED "workload: {num_requests: 3, input_tokens: {distribution: uniform, min: §9, max: 5}, output_tokens: 2}\n",
     "out-of-range", "swap them"},
    {"a constant length with two values",
     FIXED "workload: {num_requests: 3, input_tokens: {distribution: §constant, min: 5, max: 9}, output_tokens: 2}\n",
     "contradiction", "'input_tokens: 5'"},
    {"an empty list of requests", FIXED "workload: {§requests: []}\n", "out-of-range", "at least one request"},
    {"two requests of one name",
     FIXED "workload: {requests: [{id: a, input_tokens: 5, output_tokens: 2}, {id: §a, input_tokens: 5, output_tokens: "
           "2}]}\n",
     "duplicate-id", "its own id"},
    {"an answer longer than was asked for",
     FIXED "workload: {requests: [{input_tokens: 5, output_tokens: 4, max_tokens: §2}]}\n", "out-of-range",
     "no server generates more"},
    {"a trace that is not there", FIXED "workload: {trace: §no-such-trace.csv}\n", "unreadable-file",
     "relative to the file"},
    {"a base that is not there", "base: §no-such-base.yaml\n" FIXED LOAD, "unreadable-file", "relative to the file"},
    {"a base that is no name", "base: [§{a: 1}]\n" FIXED LOAD, "wrong-type", "base: [a.yaml, b.yaml]"},
    {"cases that are a list", FIXED LOAD "§cases: [1, 2]\n", "wrong-type", "cases: {NAME: {key: value}}"},
    {"a case that is a number", FIXED LOAD "cases: {a: §1}\n", "wrong-type", "write 'a: {key: value}'"},
    {"a case with a base", FIXED LOAD "cases: {a: {§base: b.yaml}}\n", "unknown-key", "move it out of 'cases'"},
    {"a mistake in a case", FIXED LOAD "cases:\n  a:\n    scheduler: {max_num_seqs: §0}\n", "out-of-range",
     "at least 1"},
    // YAML.
    {"a bracket that is never closed", FIXED LOAD "slo: §{ttft_p99: 2 s\n", "syntax", "close it with '}'"},
    {"a list that is never closed", FIXED "workload: {requests: §[{input_tokens: 5, output_tokens: 2}\n", "syntax",
     "close it with ']'"},
    {"a colon in a value", FIXED LOAD "name: a§: b\n", "syntax", "needs quotes"},
    {"a tab in front of a key", FIXED LOAD "slo:\n§\tttft_p99: 2 s\n", "syntax", "put spaces in place of the tab"},
    {"a tab among spaces", FIXED LOAD "slo:\n  ttft_p99: 2 s\n  §\ttpot_p99: 1 s\n", "syntax", "spaces"},
    {"a key between two columns", FIXED LOAD "slo:\n  ttft_p99: 2 s\n §tpot_p99: 1 s\n", "syntax",
     "is this line indented like those around it?"},
    {"an anchor", FIXED LOAD "slo: §&limits {ttft_p99: 2 s}\n", "alias", "'base'"},
    {"an alias", FIXED LOAD "slo: §*limits\n", "syntax", ""},
    {"a tag", FIXED LOAD "run: {seed: §!!int 1}\n", "tag", "leave the tag out"},
    {"a second document", FIXED LOAD "§---\nversion: 1\n", "second-document", "a file of its own"},
    {"a key that is a mapping", FIXED LOAD "? §{a: 1}\n: 2\n", "key-not-a-word", ""},
};

}  // namespace

TEST_CASE("each mistake is named at its place, alone, with what to write instead") {
  for (const WrongFile& wrong : wrong_files) check_mistake(wrong);
}

TEST_CASE("the same files without their mistake are valid") {
  for (const char* text : {FIXED LOAD, H100 LOAD}) CHECK(load_text(text).scenarios.size() == 1);
}

TEST_CASE("all mistakes of a file are told at once, in the order of the file") {
  const Loaded loaded = load_text(
      "version: 1\nmodel: llama-3-70\nhardware: {nod: hgx-h100}\nmemory: {runtime_overhead: 2, utilization: 1.5}\n"
      "slo: {ttft_p99: 500, tpot_p99: 30 ms}\nworkload: {num_requests: 3, input_tokens: 5, output_tokens: .nan}\n");
  std::vector<int> lines;
  for (const Diagnostic& diagnostic : loaded.diagnostics) lines.push_back(diagnostic.line);
  INFO(diagnostics_text(loaded.diagnostics));
  CHECK(lines == std::vector<int>{2, 3, 4, 4, 5, 6});
}

TEST_CASE("where the weights do not fit, the help says where more memory is to be had") {
  const auto help = [](const std::string& hardware) {
    const Loaded loaded = load_text("version: 1\nmodel: llama-3.1-405b\nhardware: " + hardware + "\n" LOAD);
    REQUIRE_FALSE(loaded.diagnostics.empty());
    CHECK(loaded.diagnostics.back().code == "does-not-fit");
    CHECK(loaded.diagnostics.back().message.find("take more GPUs (parallel.tp is now ") != std::string::npos);
    return loaded.diagnostics.back().help;
  };
  CHECK(help("{node: hgx-h100}") == "'decodesim list nodes' shows nodes with more or larger GPUs");
  CHECK(help("{node: hgx-h100, gpus: 4}") == "the node has 8 GPUs: raise hardware.gpus");
  CHECK(help("{node: hgx-h100}\nparallel: {tp: 4}") == "'hardware' has 8 GPUs: raise parallel.tp");
}

TEST_CASE("a tab that indents is called a tab") {
  const Loaded loaded = load_text("version: 1\nmemory:\n\tutilization: 0.9\n");
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics.front().message == "line 3 begins with a tab; YAML indents with spaces");
  CHECK(load_text(FIXED LOAD "slo: {ttft_p99: 2 s,\n\ttpot_p99: 1 s}\n").scenarios.size() == 1);
}

}  // namespace decodesim::tests
