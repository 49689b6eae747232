#include "sim/scenario/speculative_checks.hpp"

#include <string>

#include "sim/scenario/model_checks.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

const std::string section = "scheduler.speculative";

class SpeculativeChecks {
 public:
  SpeculativeChecks(Reading& reading, const DocumentNode& tree, const Scenario& scenario)
      : reading_(reading), tree_(tree), scenario_(scenario), speculative_(scenario.scheduler.speculative) {}

  void all() {
    acceptance();
    draft();
    scheduler();
  }

 private:
  void error(const std::string& path, std::string code, std::string message, std::string help) {
    reading_.error(place_of(tree_, path), std::move(code), std::move(message), std::move(help));
  }

  void acceptance() {
    const std::int64_t drafts = speculative_.draft_tokens;
    const auto given = static_cast<std::int64_t>(speculative_.acceptance_by_position.size());
    if (given == 0 && !speculative_.acceptance) {
      error(section, "missing-key", "'" + section + "' does not say how often drafts are accepted",
            "add 'acceptance: 0.7', or 'acceptance_by_position: [...]': it depends on what drafts and on the text, and "
            "servers log it");
    } else if (given > 0 && given != drafts) {
      error(section + ".acceptance_by_position", "out-of-range",
            "'" + section + ".acceptance_by_position' has " + std::to_string(given) + " entries, but draft_tokens is " +
                std::to_string(drafts),
            "give one for each draft token");
    }
  }

  void draft() {
    const int layers = scenario_.model.layers;
    const int tp = scenario_.parallel.tp;
    const ModelSpec& model = speculative_.model;
    if (speculative_.draft == DraftKind::model) {
      check_model(reading_, tree_, section + ".model", model);
      if (model.has_states()) {
        error(section + ".model.linear", "unsupported",
              "the draft model keeps states (model.linear), and nothing plans memory for those",
              "choose a model whose layers are all full attention or see a window");
      }
    }
    if (speculative_.draft == DraftKind::head && scenario_.model.draft_layers > 0) {
      error("model.draft_layers", "contradiction",
            "'model.draft_layers' and '" + section + ".draft: head' both count the cache of a head",
            "remove one of them: a head brings its own layers, 'head_layers'");
    }
    if (speculative_.draft == DraftKind::model && tp > 0 && model.heads % tp != 0) {
      error(section + ".model", "out-of-range",
            "the draft model's " + std::to_string(model.heads) + " heads cannot be split evenly over " +
                std::to_string(tp) + " ranks",
            "it runs on the ranks of the target: choose another model or another 'parallel.tp'");
    }
    if (speculative_.draft == DraftKind::head && layers > 0 && speculative_.head_layers > layers) {
      error(section + ".head_layers", "out-of-range",
            "'" + section + ".head_layers' is above the model's " + std::to_string(layers) + " layers",
            "heads have one layer or a few");
    }
  }

  void scheduler() {
    const SchedulerSpec& knobs = scenario_.scheduler;
    const std::int64_t width = 1 + speculative_.draft_tokens;
    const std::string each = "a decoding sequence computes 1 + draft_tokens = " + std::to_string(width) + " a step";
    if (knobs.async) {
      error(
          "scheduler.async", "unsupported",
          "'" + section + "' is not simulated with 'scheduler.async': how many tokens are under way is not known then",
          "write 'async: false'");
    }
    if (may_swap(knobs)) {
      error("scheduler.kv_fate", "unsupported", "'" + section + "' is not simulated where victims' KV is swapped",
            "write 'kv_fate: dropped'");
    }
    if (knobs.long_prefill_token_threshold > 0 && knobs.long_prefill_token_threshold < width) {
      error("scheduler.long_prefill_token_threshold", "contradiction",
            "'scheduler.long_prefill_token_threshold' would cut drafts: " + each,
            "raise it to " + std::to_string(width) + ", or write 0");
    }
    if (knobs.max_num_batched_tokens < width) {
      error("scheduler.max_num_batched_tokens", "contradiction",
            "'scheduler.max_num_batched_tokens' lets nobody decode: " + each,
            "raise it to at least " + std::to_string(width));
    } else if (knobs.max_num_batched_tokens < knobs.max_num_seqs * width &&
               knobs.max_num_batched_tokens >= knobs.max_num_seqs) {
      reading_.warn(place_of(tree_, "scheduler.max_num_batched_tokens"), "small-budget",
                    "'scheduler.max_num_batched_tokens' (" + std::to_string(knobs.max_num_batched_tokens) +
                        ") is below what 'scheduler.max_num_seqs' (" + std::to_string(knobs.max_num_seqs) +
                        ") sequences compute with their drafts: at most " +
                        std::to_string(knobs.max_num_batched_tokens / width) + " decode in a step",
                    "");
    }
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const Scenario& scenario_;
  const SpeculativeSpec& speculative_;
};

}  // namespace

void check_speculative(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  const bool reads = engine_reads(scenario.scheduler.engine, "speculative");
  if (reads && scenario.scheduler.speculative.on()) SpeculativeChecks(reading, tree, scenario).all();
}

}  // namespace decodesim
