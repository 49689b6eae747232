#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/model/deployment_fields.hpp"
#include "sim/scenario/load.hpp"
#include "sim/serving/policy_table.hpp"
#include "sim/serving/serving_fields.hpp"
#include "tests/support/draw_clients.hpp"
#include "tests/support/draw_engine.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/sample_machine.hpp"
#include "tests/support/step_cost.hpp"

namespace decodesim::tests {

namespace {

/// The kind of the sample machine's cost model, where it has one.
std::optional<CostKind> priced_kind(ScenarioCost cost) {
  switch (cost) {
    case ScenarioCost::ideal:
      return CostKind::ideal;
    case ScenarioCost::roofline:
      return CostKind::roofline;
    case ScenarioCost::calibrated:
      return CostKind::calibrated;
    case ScenarioCost::grid:
    case ScenarioCost::shape:
      break;
  }
  return std::nullopt;
}

/// How often this scenario does what it might do, in percent.
struct Weights {
  std::int64_t long_prompts;
  std::int64_t long_outputs;
  std::int64_t longer_limit;  // max_tokens beyond the output
  std::int64_t burst;         // arrives together with the one before
  std::int64_t exact;         // arrives at an instant where steps can end
};

std::int64_t weight(Draws& draws) { return draws.pick({0, 10, 50, 90, 100}); }

Weights draw_weights(Draws& draws) {
  return {weight(draws), weight(draws), weight(draws), weight(draws), weight(draws)};
}

constexpr Ranges small_ranges{14, 14, 40, 12, 8, 64, 60};
constexpr Ranges large_ranges{160, 90, 700, 200, 150, 2000, 4000};

const Ranges& ranges_of(ScenarioSize size) { return size == ScenarioSize::small ? small_ranges : large_ranges; }

std::int64_t length(Draws& draws, const Ranges& ranges, bool is_long) {
  return is_long ? draws.between(ranges.short_max + 1, ranges.long_max) : draws.between(1, ranges.short_max);
}

std::vector<Request> draw_requests(Draws& draws, const Ranges& ranges, const Weights& weights, Duration typical_step,
                                   bool closed_loop) {
  std::vector<Request> requests;
  const std::int64_t count = draws.between(1, ranges.requests_max);
  const std::int64_t spread = draws.pick({1, 5, 25, 80}) * ranges.long_max / 40;  // steps over which they arrive
  const bool named = draws.chance(70);
  Time arrival{};
  for (std::int64_t index = 0; index < count; ++index) {
    Request request;
    request.index = index;
    if (named)
      request.id =
          std::string(1, static_cast<char>('A' + index % 26)) + std::string(static_cast<std::size_t>(index / 26), '+');
    if (!closed_loop && !draws.chance(weights.burst)) {
      const std::int64_t instant = draws.between(0, 4 * spread) * typical_step.count() / 4;
      arrival = Time(Duration(draws.chance(weights.exact) ? instant : instant + draws.between(1, 99'999)));
    }
    request.arrival = arrival;
    request.input_tokens = length(draws, ranges, draws.chance(weights.long_prompts));
    request.output_tokens = length(draws, ranges, draws.chance(weights.long_outputs));
    request.max_tokens = request.output_tokens;
    if (draws.chance(weights.longer_limit)) request.max_tokens += draws.between(1, 60);
    requests.push_back(request);
  }
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.arrival < b.arrival; });
  return requests;
}

/// A pool that holds about one request, about a few, or any number.
void draw_pool(Draws& draws, const Ranges& ranges, ServerConfig& server, const std::vector<Request>& requests) {
  server.block_size = draws.chance(50) ? draws.between(1, 4) : draws.between(1, 16);
  // Where chunks that are cut are whole blocks a step must hold one.
  const SchedulerSpec& knobs = server.scheduler;
  if (knobs.engine == "vllm-v0" && knobs.enable_chunked_prefill && server.prefix_caching)
    server.block_size = std::min(server.block_size, knobs.max_num_batched_tokens);
  std::int64_t largest = 0;
  for (const Request& request : requests) largest = std::max(largest, request.input_tokens + request.output_tokens);
  const std::int64_t alone = (largest + server.block_size - 1) / server.block_size;
  switch (draws.between(0, 3)) {
    case 0:
      server.usable_blocks = alone + draws.between(-3, 2);
      break;
    case 1:
      server.usable_blocks = alone + draws.between(0, alone);
      break;
    case 2:
      server.usable_blocks = 2 * alone + draws.between(0, 5);
      break;
    default:
      server.usable_blocks = draws.between(3, ranges.blocks_max);
  }
  server.usable_blocks = std::clamp<std::int64_t>(server.usable_blocks, 3, ranges.blocks_max);
  server.num_blocks = server.usable_blocks + (find_engine(server.scheduler.engine)->keeps_null_block ? 1 : 0);
}

/// Room on the host for nobody, for a few or for all, over a link that is slow or fast beside a step.
void draw_host(Draws& draws, RandomScenario& scenario) {
  ServerConfig& server = scenario.server;
  const bool keeps = engine_reads(server.scheduler.engine, "host_cache") && draws.chance(30);
  if (!may_swap(server.scheduler) && !keeps) return;
  if (keeps) {
    HostCacheSpec& cache = scenario.memory.host_cache;
    cache.chunks = draws.between(1, 12);
    cache.chunk = server.block_size * draws.between(1, 3);
    if (server.prefix_caching && draws.chance(40)) {
      cache.write = HostWrite::on_evict;
      cache.chunk = server.block_size;
    }
  }
  if (may_swap(server.scheduler)) {
    scenario.memory.host_swap.blocks =
        draws.pick<std::int64_t>({0, server.usable_blocks / 2, 2 * server.usable_blocks, 100 * server.usable_blocks});
  }
  HostLinkSpec& link = scenario.memory.host_link;
  if (draws.chance(50)) link.bandwidth = BytesPerSecond(draws.pick({1e7, 1e9, 25e9}));
  if (draws.chance(50)) link.per_message = Seconds(0);
  if (draws.chance(60)) link.overlap = HostOverlap::step;
  const CostKind kind = scenario.cost_kind == ScenarioCost::grid
                            ? CostKind::fixed
                            : priced_kind(scenario.cost_kind).value_or(CostKind::ideal);
  scenario.memory.block_size = server.block_size;
  const HostMemory host = sample_host(kind, server.scheduler, scenario.memory);
  server.host_blocks = host.blocks;
  server.host = host.transfer;
  server.host_cache = host.cache;
}

void draw_report(Draws& draws, RandomScenario& scenario, Duration typical_step) {
  if (draws.chance(50)) {
    scenario.run.window.skip_first = static_cast<double>(draws.between(0, 40)) / 100;
    scenario.run.window.skip_last = static_cast<double>(draws.between(0, 40)) / 100;
  }
  if (draws.chance(50)) scenario.slo.ttft_p99 = typical_step * draws.between(1, 20);
  if (draws.chance(50)) scenario.slo.itl_p99 = typical_step * draws.between(1, 4);
}

std::string cost_name(ScenarioCost kind) {
  switch (kind) {
    case ScenarioCost::grid:
      return "fixed";
    case ScenarioCost::ideal:
      return "ideal";
    case ScenarioCost::roofline:
      return "roofline";
    case ScenarioCost::calibrated:
      return "calibrated";
    case ScenarioCost::shape:
      break;
  }
  return "";
}

std::string number(std::int64_t value) { return std::to_string(value); }

/// Only where tests of admission look at the free blocks may some be neither free nor of who runs.
bool looks_at_free_blocks(const PolicyChoices& chosen) {
  const std::string admission = chosen.admission.value_or("first-chunk");
  return (admission == "first-chunk" || admission == "whole-sequence") &&
         chosen.kv_fate.value_or("dropped") == "dropped";
}

/// KV that is loaded while others run: from the host, where there is a tier, or from elsewhere.
void draw_loads(Draws& draws, RandomScenario& scenario, Duration typical_step) {
  ServerConfig& server = scenario.server;
  const PolicyChoices& chosen = server.scheduler.policies;
  if (!engine_reads(server.scheduler.engine, "remote_loads") || !looks_at_free_blocks(chosen)) return;
  if (server.scheduler.async) server.scheduler.defer_frees = draws.chance(30);
  if (server.scheduler.async) server.scheduler.drop_in_flight = draws.chance(30);
  const std::string order = chosen.queue_order.value_or("fcfs");
  if (server.serving.prefill != PrefillMode::computed || (order != "fcfs" && order != "priority")) return;
  if (server.host_cache.chunks > 0) {
    if (draws.chance(60)) scenario.memory.host_cache.load = server.host_cache.load = HostLoad::async;
    return;
  }
  const std::int64_t loading = draws.pick({0, 0, 40, 100});
  for (Request& request : scenario.requests) {
    if (!draws.chance(loading) || request.no_prefix_read) continue;
    request.remote_tokens = draws.chance(40) ? request.input_tokens : draws.between(1, request.input_tokens);
    request.load_time = typical_step * draws.between(0, 6);
    if (draws.chance(30)) request.load_time += typical_step / 3;
  }
}

/// A time by all its nanoseconds.
std::string seconds(Duration duration) {
  std::string digits = number(duration.count());
  if (digits.size() < 10) digits.insert(0, 10 - digits.size(), '0');
  return digits.insert(digits.size() - 9, ".") + " s";
}

/// What its prompt begins with, as fields of a request.
std::string content_text(const Request& request) {
  std::string text;
  if (!request.prefix_group.empty()) {
    text += ", prefix_group: " + request.prefix_group + ", prefix_tokens: " + number(request.prefix_tokens);
  } else if (!request.content.empty()) {
    for (const TokenRun& run : request.content)
      text += (text.empty() ? ", hash_ids: [" : ", ") + number(static_cast<std::int64_t>(run.key));
    // Only the last run can be shorter than a block.
    text += "], hash_block_size: " + number(request.content.front().tokens);
  }
  if (!request.cache_salt.empty()) text += ", cache_salt: " + request.cache_salt;
  if (request.no_prefix_read) text += ", no_prefix_read: true";
  return text;
}

/// A share that has two decimals.
std::string hundredths(double share) {
  const auto count = static_cast<std::int64_t>(share * 100 + 0.5);
  return std::string("0.") + (count < 10 ? "0" : "") + number(count);
}

}  // namespace

RandomScenario random_scenario(std::uint64_t seed, ScenarioSize size) {
  const Ranges& ranges = ranges_of(size);
  Draws draws(Draws(seed).next());  // so that the streams of neighbours have nothing in common
  const Weights weights = draw_weights(draws);
  RandomScenario scenario;
  scenario.seed = seed;
  scenario.cost_kind = draws.pick({ScenarioCost::grid, ScenarioCost::grid, ScenarioCost::shape, ScenarioCost::shape,
                                   ScenarioCost::ideal, ScenarioCost::roofline, ScenarioCost::calibrated});
  Duration typical_step{};
  switch (scenario.cost_kind) {
    case ScenarioCost::grid:
      typical_step = draws.pick<Duration>({std::chrono::seconds(1), std::chrono::milliseconds(20)});
      scenario.server.grid_step = typical_step;
      scenario.cost = std::make_unique<GridCost>(typical_step);
      break;
    case ScenarioCost::shape: {
      // With coarse prices steps often end at the very instant of an arrival.
      const bool coarse = draws.chance(50);
      typical_step = std::chrono::microseconds(coarse ? 160 : 120);
      scenario.cost = std::make_unique<ShapeCost>(1, coarse ? std::chrono::microseconds(40) : Duration(1));
      break;
    }
    case ScenarioCost::ideal:
      typical_step = std::chrono::microseconds(600);
      scenario.cost = sample_cost(CostKind::ideal);
      break;
    case ScenarioCost::roofline:
      typical_step = std::chrono::milliseconds(4);
      scenario.cost = sample_cost(CostKind::roofline);
      break;
    case ScenarioCost::calibrated:
      typical_step = std::chrono::milliseconds(4);
      if (draws.chance(50)) scenario.window = draws.between(1, 60);
      scenario.cost = sample_cost(CostKind::calibrated, scenario.window);
      break;
  }
  if (scenario.window > 0) scenario.server.attention_clip = scenario.window;
  if (draws.chance(30)) scenario.concurrency = draws.between(1, 2 * ranges.num_seqs_max / 3);
  scenario.requests = draw_requests(draws, ranges, weights, typical_step, scenario.concurrency.has_value());
  draw_scheduler(draws, ranges, scenario.server);
  if (const auto kind = priced_kind(scenario.cost_kind))
    scenario.cost =
        with_sample_draft(std::move(scenario.cost), scenario.server.scheduler.speculative, *kind, scenario.window);
  scenario.server.seed = scenario.run.seed;
  if (scenario.server.scheduler.async) scenario.cost = with_host_beside_device(std::move(scenario.cost));
  scenario.server.cost = scenario.cost.get();
  draw_engine_requests(draws, scenario.server, scenario.requests);
  draw_pool(draws, ranges, scenario.server, scenario.requests);
  draw_host(draws, scenario);
  draw_loads(draws, scenario, typical_step);
  draw_report(draws, scenario, typical_step);
  draw_clients(draws, scenario, typical_step);
  draw_labels(draws, scenario, typical_step);
  return scenario;
}

std::uint64_t last_seed() {
  const char* chosen = std::getenv("DECODESIM_SCENARIOS");
  return chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 5000;
}

std::string RandomScenario::yaml() const {
  SchedulerSpec knobs = server.scheduler;
  knobs.max_model_len = server.max_model_len;
  std::string text = "version: 1\nname: random-" + std::to_string(seed) + "\n" + sample_machine_yaml(window);
  MemorySpec stated = memory;
  stated.num_gpu_blocks = server.num_blocks;
  stated.block_size = server.block_size;
  stated.prefix_caching = server.prefix_caching;
  stated.uncached_free_to_front = server.uncached_free_to_front;
  const bool fixed = cost_kind == ScenarioCost::shape || cost_kind == ScenarioCost::grid;
  if (fixed) stated.host_link = {};  // such a file has no use for it
  text += "memory:\n" + fields_text(memory_fields, &stated, "  ");

  text += "scheduler:\n" + fields_text(scheduler_fields, &knobs, "  ");

  if (server.serving.prefill == PrefillMode::computed) {
    text += "serving: {prefill: computed}\n";
  } else {
    const bool refetch = server.serving.after_preemption == AfterPreemption::refetch;
    text += std::string("serving: {prefill: arrives_computed, after_preemption: ") +
            (refetch ? "refetch" : "recompute") + "}\n";
  }
  if (cost_kind == ScenarioCost::shape) {
    text += "# no file can name the made-up cost model of this scenario; fixed stands for it\n";
    text += "cost: {model: fixed, step: 0.00012 s}\n";
  } else if (cost_kind == ScenarioCost::grid) {
    text += "cost: {model: fixed, step: " + seconds(server.grid_step) + "}\n";
  } else {
    text += "cost: {model: " + cost_name(cost_kind) + "}\n";
  }

  text += "run: {window: {skip_first: " + hundredths(run.window.skip_first) +
          ", skip_last: " + hundredths(run.window.skip_last) + "}}\n";
  if (slo.ttft_p99 || slo.itl_p99) text += "slo:\n";
  if (slo.ttft_p99) text += "  ttft_p99: " + seconds(*slo.ttft_p99) + "\n";
  if (slo.itl_p99) text += "  itl_p99: " + seconds(*slo.itl_p99) + "\n";

  text += "workload:\n";
  if (concurrency) text += "  # a closed loop of " + number(*concurrency) + " over this list, which no file can say\n";
  if (closes) text += "  # nobody asks from " + seconds(closes->time_since_epoch()) + " on, which no file can say\n";
  text += "  requests:\n";
  std::vector<Request> listed = requests;
  std::sort(listed.begin(), listed.end(), [](const Request& a, const Request& b) { return a.index < b.index; });
  for (const Request& request : listed) {
    text += "    - {";
    if (!request.id.empty()) text += "id: " + request.id + ", ";
    if (!concurrency) text += "arrival: " + seconds(request.arrival.time_since_epoch()) + ", ";
    text += "input_tokens: " + number(request.input_tokens) + ", output_tokens: " + number(request.output_tokens) +
            ", max_tokens: " + number(request.max_tokens);
    if (request.priority != 0) text += ", priority: " + number(request.priority);
    if (!request.tenant.empty()) text += ", tenant: " + request.tenant;
    if (!request.slo_class.empty()) text += ", slo_class: " + request.slo_class;
    if (request.deadline) text += ", deadline: " + seconds(*request.deadline);
    if (request.timeout) text += ", timeout: " + seconds(*request.timeout);
    if (request.cancel_after) text += ", cancel_after: " + seconds(*request.cancel_after);
    if (!request.session.empty())
      text += ", session: " + request.session + ", think_time: " + seconds(request.think_time);
    if (request.remote_tokens > 0)
      text += ", remote_tokens: " + number(request.remote_tokens) + ", load_time: " + seconds(request.load_time);
    if (request.ignore_eos) text += ", ignore_eos: true";
    text += content_text(request) + "}\n";
  }
  return text;
}

}  // namespace decodesim::tests
