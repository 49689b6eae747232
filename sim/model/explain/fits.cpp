// What fits: so many sequences of such a length, or not, and why not.

#include <algorithm>

#include "sim/model/explain/sections.hpp"

namespace decodesim::explain_sections {

namespace {

std::vector<std::int64_t> powers_of_two(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = from; power <= to; power *= 2) powers.push_back(power);
  if (powers.empty() || powers.back() < to) powers.push_back(to);
  return powers;
}

std::vector<std::int64_t> contexts_of(const Deployment& deployment, const Question& question) {
  if (!question.fit_contexts.empty()) {
    std::vector<std::int64_t> contexts = question.fit_contexts;
    std::sort(contexts.begin(), contexts.end());
    contexts.erase(std::unique(contexts.begin(), contexts.end()), contexts.end());
    return contexts;
  }
  constexpr std::int64_t usual_longest = 131'072;
  const std::int64_t longest = deployment.max_model_len > 0 ? deployment.max_model_len : usual_longest;
  return powers_of_two(std::min<std::int64_t>(1024, longest), longest);
}

}  // namespace

FitMap map_fits(const Deployment& deployment, const MemoryPlan* plan, const Question& question) {
  FitMap map;
  map.contexts = contexts_of(deployment, question);
  map.batches = powers_of_two(1, deployment.max_num_seqs);
  // One column shows where the scheduler, and not the pool, says no.
  map.batches.push_back(2 * deployment.max_num_seqs);
  const std::int64_t usable =
      plan == nullptr ? 0 : std::max<std::int64_t>(0, plan->num_blocks.value() - deployment.reserved_blocks);
  for (std::int64_t context : map.contexts) {
    const bool too_long = deployment.max_model_len > 0 && context > deployment.max_model_len;
    const std::int64_t blocks = plan == nullptr ? 0 : plan->blocks_of(context, 1);
    const std::int64_t in_blocks = blocks > 0 ? usable / blocks : 0;
    const std::int64_t most = std::min(in_blocks, slots_of(deployment).value_or(in_blocks));
    map.most.push_back(most);
    std::vector<FitMap::Cell>& row = map.cells.emplace_back();
    for (std::int64_t batch : map.batches) {
      FitMap::Cell cell;
      if (usable > 0)
        cell.pool_use = static_cast<double>(batch) * static_cast<double>(blocks) / static_cast<double>(usable);
      cell.verdict = too_long                          ? Fit::beyond_length
                     : most == 0                       ? Fit::never
                     : batch > most                    ? Fit::waits
                     : batch > deployment.max_num_seqs ? Fit::beyond_sequences
                                                       : Fit::fits;
      row.push_back(cell);
    }
  }
  return map;
}

}  // namespace decodesim::explain_sections
