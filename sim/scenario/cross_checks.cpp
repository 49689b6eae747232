#include "sim/scenario/cross_checks.hpp"

#include <optional>
#include <string>

#include "sim/scenario/deployment_checks.hpp"
#include "sim/scenario/load_checks.hpp"
#include "sim/scenario/model_checks.hpp"
#include "sim/scenario/policy_checks.hpp"
#include "sim/scenario/pool.hpp"
#include "sim/scenario/prefix_checks.hpp"
#include "sim/scenario/slo_checks.hpp"
#include "sim/scenario/speculative_checks.hpp"
#include "sim/scenario/trtllm_checks.hpp"
#include "sim/scenario/workload_checks.hpp"
#include "sim/serving/policy_table.hpp"

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

  Reading& reading_;
  const DocumentNode& tree_;
  const Scenario& scenario_;
};

}  // namespace

void check_across(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  const std::size_t before = reading.errors();
  Checks(reading, tree, scenario).all();
  check_workload(reading, tree, scenario);
  check_class_slos(reading, tree, scenario);
  check_loads(reading, tree, scenario);
  check_speculative(reading, tree, scenario);
  if (reading.errors() == before) check_deployment(reading, tree, scenario);
}

}  // namespace decodesim
