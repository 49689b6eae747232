#include "sim/scenario/cross_checks.hpp"

#include <map>
#include <optional>
#include <string>
#include <system_error>

#include "sim/scenario/deployment_checks.hpp"
#include "sim/scenario/load_checks.hpp"
#include "sim/scenario/model_checks.hpp"
#include "sim/scenario/policy_checks.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/scenario/prefix_checks.hpp"
#include "sim/scenario/speculative_checks.hpp"
#include "sim/scenario/trtllm_checks.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

namespace {

class Checks {
 public:
  Checks(Reading& reading, const DocumentNode& tree, const Scenario& scenario)
      : reading_(reading), tree_(tree), scenario_(scenario) {}

  void all() {
    parts_that_may_be_left_out();
    ranks();
    if (has_model()) check_model(reading_, tree_, "model", scenario_.model);
    scheduler();
    host();
    window();
    workload();
  }

 private:
  void error(std::string_view path, std::string code, std::string message, std::string help) {
    reading_.error(place_of(tree_, path), std::move(code), std::move(message), std::move(help));
  }

  void warn(std::string_view path, std::string code, std::string message, std::string help) {
    reading_.warn(place_of(tree_, path), std::move(code), std::move(message), std::move(help));
  }

  [[nodiscard]] bool has_model() const { return scenario_.model.layers > 0; }
  [[nodiscard]] bool has_hardware() const { return tree_.find("hardware") != nullptr; }

  // Neither the price of a step nor the pool needs them then.
  void parts_that_may_be_left_out() {
    if (scenario_.cost.model == CostKind::fixed && scenario_.memory.num_gpu_blocks) return;
    const std::string why = scenario_.cost.model == CostKind::fixed ? "the size of the KV pool depends on it"
                                                                    : "the price of a step depends on it";
    if (!has_model())
      error("", "missing-key", "missing key 'model': " + why,
            "add 'model: llama-3-70b'; 'decodesim list models' shows them");
    if (!has_hardware())
      error("", "missing-key", "missing key 'hardware': " + why,
            "add 'hardware: {node: hgx-h100}'; 'decodesim list nodes' shows them");
  }

  void ranks() {
    const int tp = scenario_.parallel.tp;
    const int pp = scenario_.parallel.pp;
    const int gpus = scenario_.hardware.gpus;
    if (const int installed = scenario_.hardware.gpus_installed; installed != 0 && installed < gpus) {
      error("hardware.gpus_installed", "out-of-range",
            "'hardware.gpus_installed' is " + std::to_string(installed) + ", below 'hardware.gpus'",
            "it counts all GPUs that the links are wired for");
    }
    if (has_hardware() && pp > 1 && std::int64_t{tp} * pp > gpus) {
      error("parallel.pp", "out-of-range",
            "'parallel.pp' of " + std::to_string(pp) + " stages with " + std::to_string(tp) + " ranks each takes " +
                std::to_string(std::int64_t{tp} * pp) + " GPUs, but 'hardware' has " + std::to_string(gpus),
            "use fewer stages or ranks, or more GPUs");
    } else if (has_hardware() && tp > gpus) {
      error("parallel.tp", "out-of-range",
            "'parallel.tp' is " + std::to_string(tp) + ", but 'hardware' has " + std::to_string(gpus) + " GPUs",
            "use at most " + std::to_string(gpus) + " ranks, or more GPUs");
    }
    if (has_model() && pp > scenario_.model.layers) {
      error("parallel.pp", "out-of-range",
            "the model's " + std::to_string(scenario_.model.layers) + " layers do not fill the " + std::to_string(pp) +
                " stages of 'parallel.pp'",
            "use at most one stage a layer");
    }
    if (has_model() && tp > 0 && scenario_.model.heads % tp != 0) {
      const bool given = tree_.find("parallel") != nullptr;
      error(given ? "parallel.tp" : "hardware", "out-of-range",
            "the model's " + std::to_string(scenario_.model.heads) + " heads cannot be split evenly over " +
                std::to_string(tp) + " ranks",
            "choose 'parallel.tp' so that it divides " + std::to_string(scenario_.model.heads));
    } else if (has_hardware() && std::int64_t{tp} * pp < gpus) {
      const std::string stages = pp > 1 ? ", in " + std::to_string(pp) + " stages" : "";
      warn("parallel.tp", "idle-gpus",
           std::to_string(gpus - tp * pp) + " of " + std::to_string(gpus) + " GPUs are not used: tp is " +
               std::to_string(tp) + stages,
           (pp > 1 ? "raise 'parallel.tp' or 'parallel.pp'" : "raise 'parallel.tp' to " + std::to_string(gpus)) +
               ", or take fewer with 'hardware.gpus: " + std::to_string(tp * pp) + "'");
    }
  }

  void scheduler() {
    const SchedulerSpec& scheduler = scenario_.scheduler;
    if (scheduler.engine == "sglang") sglang();
    check_policies(reading_, tree_, scheduler);
    check_prefix_caching(reading_, tree_, scheduler, scenario_.memory);
    const std::int64_t most = model_len_limit(scenario_);
    check_trtllm(reading_, tree_, scheduler, scenario_.memory.block_size,
                 most == no_model_len_limit ? std::nullopt : std::optional(most));
    if (engine_reads(scheduler.engine, "reservation") && model_len_limit(scenario_) == no_model_len_limit) {
      error("scheduler", "missing-key",
            "engine '" + scheduler.engine +
                "' reserves memory for max_model_len tokens, but there is neither a model nor "
                "'scheduler.max_model_len'",
            "set scheduler.max_model_len");
    }
    const std::int64_t longest =
        scheduler.max_model_len ? *scheduler.max_model_len : scenario_.model.max_model_len.value();
    // vLLM V0 ignores prompts above the budget one by one.
    const bool whole_prompts = !scheduler.enable_chunked_prefill && scheduler.engine != "vllm-v0";
    if (whole_prompts && longest == 0) {
      error("scheduler.enable_chunked_prefill", "missing-key",
            "without chunked prefill a prompt must fit one step, but nothing limits prompts: there is neither a model "
            "nor 'scheduler.max_model_len'",
            "set scheduler.max_model_len, at most max_num_batched_tokens (" +
                std::to_string(scheduler.max_num_batched_tokens) + ")");
    }
    if (whole_prompts && longest > 0 && scheduler.max_num_batched_tokens < longest) {
      error("scheduler.enable_chunked_prefill", "contradiction",
            "without chunked prefill a prompt must fit one step, but 'scheduler.max_num_batched_tokens' is " +
                std::to_string(scheduler.max_num_batched_tokens) + " and max_model_len is " + std::to_string(longest),
            "the server refuses to start: raise max_num_batched_tokens, lower scheduler.max_model_len, or leave "
            "chunked prefill on");
    }
    if (!scheduler.trtllm.max_num_tokens && scheduler.max_num_batched_tokens < scheduler.max_num_seqs) {
      warn("scheduler.max_num_batched_tokens", "small-budget",
           "'scheduler.max_num_batched_tokens' (" + std::to_string(scheduler.max_num_batched_tokens) +
               ") is below 'scheduler.max_num_seqs' (" + std::to_string(scheduler.max_num_seqs) +
               "): no more sequences run than the budget has tokens",
           "");
    }
  }

  void host() {
    const DocumentNode* memory = tree_.find("memory");
    if (memory == nullptr) return;
    if (memory->find("host_cache") != nullptr) host_cache();
    const bool swaps = may_swap(scenario_.scheduler);
    const std::string scheduler = "that of engine '" + scenario_.scheduler.engine + "' does not";
    if (memory->find("host_swap") != nullptr && !swaps) {
      error("memory.host_swap", "no-effect",
            "'memory.host_swap' has an effect only where the scheduler swaps, and " + scheduler, "remove it");
    }
    if (memory->find("host_link") == nullptr) return;
    if (!swaps && !scenario_.memory.host_cache.on()) {
      error("memory.host_link", "no-effect",
            "'memory.host_link' has an effect only where the scheduler swaps, and " + scheduler +
                ", or where 'memory.host_cache' is given",
            "remove it, or add what moves KV over it");
    } else if (scenario_.cost.model == CostKind::fixed) {
      error("memory.host_link", "no-effect",
            "'memory.host_link' has no effect under 'cost.model: fixed': a step lasts as long, whatever it moves",
            "remove it, or choose cost model 'ideal' or 'roofline'");
    }
  }

  void host_cache() {
    const MemorySpec& memory = scenario_.memory;
    const std::string block = std::to_string(memory.block_size);
    if (!engine_reads(scenario_.scheduler.engine, "host_cache")) {
      error("memory.host_cache", "no-effect",
            "'memory.host_cache' has no effect on engine '" + scenario_.scheduler.engine + "'", "remove it");
    }
    if (memory.host_cache.chunk % memory.block_size != 0) {
      error("memory.host_cache.chunk", "out-of-range", "'memory.host_cache.chunk' is no whole number of blocks",
            "choose a multiple of memory.block_size, " + block);
    }
    if (memory.host_cache.write != HostWrite::on_evict) return;
    if (!memory.prefix_caching) {
      error("memory.host_cache.write", "contradiction",
            "nothing is evicted where 'memory.prefix_caching' is off, so nothing would be written to the host",
            "write 'prefix_caching: true', or 'write: through'");
    } else if (memory.host_cache.chunk != memory.block_size) {
      error("memory.host_cache.write", "contradiction",
            "blocks are handed out one by one, so what is written then is one block",
            "write 'chunk: " + block + "' as memory.block_size is, or 'write: through'");
    }
  }

  void sglang() {
    const SglangKnobs& knobs = scenario_.scheduler.sglang;
    if (scenario_.serving.prefill == PrefillMode::arrives_computed) {
      error("serving.prefill", "unsupported",
            "engine 'sglang' computes prompts itself: its decode servers behind a prefill tier have a scheduler of "
            "their own",
            "write 'prefill: computed', or choose another engine");
    }
    if (knobs.chunked_prefill_size > 0 && knobs.chunked_prefill_size < scenario_.memory.block_size) {
      error("scheduler.chunked_prefill_size", "contradiction",
            "'scheduler.chunked_prefill_size' is below 'memory.block_size' (" +
                std::to_string(scenario_.memory.block_size) +
                "): a chunk is whole pages, so no prompt would ever start",
            "raise it to a multiple of the page, or write 0 for no chunks");
    }
    const bool matches = knobs.schedule_policy == SglangOrder::lpm || knobs.schedule_policy == SglangOrder::dfs_weight;
    if (matches && knobs.disable_radix_cache) {
      error("scheduler.schedule_policy", "contradiction",
            "'scheduler.schedule_policy' goes by what is in the radix cache, which 'scheduler.disable_radix_cache' "
            "switches off",
            "the real server falls back to fcfs: write that, or leave the cache on");
    }
  }

  void window() {
    const MeasureWindow& window = scenario_.run.window;
    if (window.skip_first + window.skip_last >= 1) {
      error("run.window", "out-of-range",
            "'run.window' leaves nothing to measure: skip_first and skip_last add up to the whole run",
            "keep their sum below 100 %");
    }
  }

  void workload() {
    const WorkloadSpec& workload = scenario_.workload;
    if (workload.kind == WorkloadKind::generator) {
      length("workload.input_tokens", workload.input_tokens);
      length("workload.output_tokens", workload.output_tokens);
      fixed_lengths(workload);
      if (workload.prefix_groups.tokens > workload.input_tokens.min) {
        error("workload.prefix_groups.tokens", "out-of-range",
              "'workload.prefix_groups.tokens' is above the shortest prompt of 'workload.input_tokens'",
              "the prefix is part of the prompt: at most " + std::to_string(workload.input_tokens.min));
      }
      span(workload);
    }
    if (workload.kind == WorkloadKind::trace) {
      std::error_code ignored;
      if (!std::filesystem::exists(workload.trace.file, ignored)) {
        error("workload.trace", "unreadable-file", "there is no trace file " + workload.trace.file,
              "'workload.trace' is relative to the file that names it, and in '--set' to where you are");
      }
    }
    if (workload.kind == WorkloadKind::requests) requests(workload.requests);
  }

  void length(const std::string& path, const LengthSpec& length) {
    if (length.min > length.max) {
      error(path + ".min", "out-of-range", "'" + path + ".min' is above '" + path + ".max'", "swap them");
    } else if (length.distribution == LengthDistribution::constant && length.min != length.max) {
      error(path + ".distribution", "contradiction", "'" + path + "' is constant, but its min and max differ",
            "write '" + path.substr(path.find('.') + 1) + ": " + std::to_string(length.min) +
                "', or 'distribution: uniform'");
    }
  }

  // A run that lasts so long would leave the clock.
  void span(const WorkloadSpec& workload) {
    if (workload.max_concurrency || workload.arrival.process == ArrivalProcess::all_at_once) return;
    const double seconds = static_cast<double>(workload.num_requests) / workload.arrival.request_rate;
    if (seconds <= latest_arrival) return;
    error("workload.arrival.request_rate", "out-of-range",
          "at 'workload.arrival.request_rate' the " + std::to_string(workload.num_requests) +
              " requests of 'workload.num_requests' take more than 50 years to arrive",
          "raise the rate, or make fewer requests");
  }

  // Lengths that meet the limit of a sequence whatever is drawn.
  void fixed_lengths(const WorkloadSpec& workload) {
    const std::int64_t limit = model_len_limit(scenario_);
    const std::int64_t input = workload.input_tokens.min;
    const std::int64_t output = workload.output_tokens.min;
    const bool drawn = input != workload.input_tokens.max || output != workload.output_tokens.max;
    const std::string at_least = drawn ? "at least " : "";
    if (input >= limit) {
      warn("workload.input_tokens", "never-served",
           "every request is refused: its prompt has " + at_least + std::to_string(input) +
               " tokens, and max_model_len, the most of prompt and output together, is " + std::to_string(limit),
           raise_or_shorten("prompts", input + output));
    } else if (input + output > limit) {
      warn("workload.output_tokens", "cut-answers",
           "every answer is cut: prompt and output have " + at_least + std::to_string(input + output) +
               " tokens together, and max_model_len is " + std::to_string(limit),
           raise_or_shorten("prompts or answers", input + output));
    }
  }

  static std::string raise_or_shorten(const std::string& what, std::int64_t needed) {
    return "raise 'scheduler.max_model_len' to " + std::to_string(needed) + " if the model allows it, or shorten the " +
           what;
  }

  void requests(const std::vector<Request>& list) {
    const DocumentNode* node = tree_.find("workload")->find("requests");
    if (list.empty())
      error("workload.requests", "out-of-range", "'workload.requests' is empty", "list at least one request");
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < list.size() && !reading_.is_full(); ++i) {
      const DocumentNode& item = node->items[i];
      const std::string path = "workload.requests[" + std::to_string(i) + "]";
      if (list[i].max_tokens < list[i].output_tokens) {
        reading_.error(
            place_of(item, "max_tokens"), "out-of-range", "'" + path + ".max_tokens' is below its output_tokens",
            "output_tokens is what the request really generates, and no server generates more than it was asked for");
      }
      content(list[i], item, path);
      if (list[i].id.empty()) continue;
      const auto [first, fresh] = seen.emplace(list[i].id, i);
      if (!fresh) {
        reading_.error(
            place_of(item, "id"), "duplicate-id",
            "'" + path + ".id' is '" + list[i].id + "', as is that of request " + std::to_string(first->second),
            "give each request its own id");
      }
    }
  }

  // What a prompt begins with is part of it.
  void content(const Request& request, const DocumentNode& item, const std::string& path) {
    const std::string tokens = std::to_string(request.input_tokens);
    if (!request.prefix_group.empty() && !request.content.empty()) {
      reading_.error(place_of(item, "hash_ids"), "contradiction",
                     "'" + path + ".prefix_group' and '" + path + ".hash_ids' exclude each other", "keep one of them");
    } else if (request.prefix_tokens > request.input_tokens) {
      reading_.error(place_of(item, "prefix_tokens"), "out-of-range",
                     "'" + path + ".prefix_tokens' is above its input_tokens",
                     "the prefix is part of the prompt: at most " + tokens);
    }
    if (request.content.empty() || request.hash_block_size == 0) return;
    const std::int64_t blocks = (request.input_tokens - 1) / request.hash_block_size + 1;
    const auto ids = static_cast<std::int64_t>(request.content.size());
    if (ids <= blocks) return;
    reading_.error(place_of(item, "hash_ids"), "out-of-range",
                   "'" + path + ".hash_ids' has " + std::to_string(ids) + " ids, but a prompt of " + tokens +
                       " tokens has " + std::to_string(blocks) + " blocks of " +
                       std::to_string(request.hash_block_size),
                   "tokens beyond the blocks that are named are the request's own");
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const Scenario& scenario_;
};

}  // namespace

void check_across(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  const std::size_t before = reading.errors();
  Checks(reading, tree, scenario).all();
  check_loads(reading, tree, scenario);
  check_speculative(reading, tree, scenario);
  if (reading.errors() == before) check_deployment(reading, tree, scenario);
}

}  // namespace decodesim
