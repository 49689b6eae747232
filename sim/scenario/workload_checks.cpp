#include "sim/scenario/workload_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "sim/scenario/pool.hpp"
#include "sim/scenario/spec_place.hpp"
#include "sim/serving/policy_table.hpp"

namespace decodesim {

namespace {

class WorkloadChecks {
 public:
  WorkloadChecks(Reading& reading, const DocumentNode& tree, const Scenario& scenario)
      : reading_(reading), tree_(tree), scenario_(scenario) {}

  void all() {
    const WorkloadSpec& workload = scenario_.workload;
    if (workload.kind == WorkloadKind::generator) {
      const std::size_t before = reading_.errors();
      check_generator(reading_, tree_, scenario_);
      if (reading_.errors() == before) fixed_lengths(workload);
    }
    if (workload.kind == WorkloadKind::trace) {
      std::error_code ignored;
      if (!std::filesystem::exists(workload.trace.file, ignored)) {
        error("workload.trace", "unreadable-file", "there is no trace file " + workload.trace.file,
              "'workload.trace' is relative to the file that names it, and in '--set' to where you are");
      }
    }
    if (workload.kind == WorkloadKind::requests) requests(workload.requests);
    if (reading_.errors() == 0) computed_again();
  }

 private:
  void error(std::string_view path, std::string code, std::string message, std::string help) {
    reading_.error(place_of(tree_, path), std::move(code), std::move(message), std::move(help));
  }

  void warn(std::string_view path, std::string code, std::string message, std::string help) {
    reading_.warn(place_of(tree_, path), std::move(code), std::move(message), std::move(help));
  }

  // Prompts that begin alike, before a cache that nobody switched on.
  void computed_again() {
    if (scenario_.states("memory.prefix_caching") || scenario_.memory.prefix_caching ||
        !engine_reads(scenario_.scheduler.engine, "prefix_caching"))
      return;
    const std::string path = beginnings_at(scenario_.workload);
    if (path.empty()) return;
    warn(path, "computed-again",
         "prompts begin as others did, and the server computes all of each: 'memory.prefix_caching' is off by default "
         "here",
         "write 'memory: {prefix_caching: true}', as current vLLM has it, or 'false' if that is the question");
  }

  // Where a workload says that prompts begin alike; empty: nowhere.
  static std::string beginnings_at(const WorkloadSpec& workload) {
    if (workload.kind == WorkloadKind::requests) {
      const auto shares = [](const Request& request) {
        return !request.prefix_group.empty() || !request.content.empty() || !request.session.empty();
      };
      return std::any_of(workload.requests.begin(), workload.requests.end(), shares) ? "workload.requests" : "";
    }
    if (workload.kind == WorkloadKind::trace) return "";  // is seen when it is played
    if (workload.prefix_groups.groups > 0) return "workload.prefix_groups";
    if (workload.sessions.on()) return "workload.sessions";
    const auto shares = [](const ClientSpec& client) {
      return client.prefix_groups.groups > 0 || client.sessions.on();
    };
    return std::any_of(workload.clients.begin(), workload.clients.end(), shares) ? "workload.clients" : "";
  }

  // Lengths that meet the limit of a sequence whatever is drawn.
  void fixed_lengths(const WorkloadSpec& workload) {
    const bool one_kind = workload.clients.empty() && !workload.sessions.on();
    if (!one_kind || !workload.input_tokens.has_ends() || !workload.output_tokens.has_ends()) return;
    const std::int64_t limit = model_len_limit(scenario_);
    const PrefixGroupsSpec& prefixes = workload.prefix_groups;
    const bool all_longer = prefixes.place == PrefixPlace::added && prefixes.share == 1;
    const std::int64_t input = workload.input_tokens.shortest() + (all_longer ? prefixes.tokens() : 0);
    const std::int64_t output = workload.output_tokens.shortest();
    const bool drawn = workload.input_tokens.is_drawn() || workload.output_tokens.is_drawn();
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
    const SpecPlace workload(reading_, *tree_.find("workload"), "workload");
    if (list.empty())
      error("workload.requests", "out-of-range", "'workload.requests' is empty", "list at least one request");
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < list.size() && !reading_.is_full(); ++i) {
      const SpecPlace item = workload.item("requests", i);
      const std::string& path = item.path();
      if (list[i].max_tokens < list[i].output_tokens) {
        item.error(
            "max_tokens", "out-of-range", "'" + path + ".max_tokens' is below its output_tokens",
            "output_tokens is what the request really generates, and no server generates more than it was asked for");
      }
      content(list[i], item);
      if (list[i].id.empty()) continue;
      const auto [first, fresh] = seen.emplace(list[i].id, i);
      if (!fresh) {
        item.error(
            "id", "duplicate-id",
            "'" + path + ".id' is '" + list[i].id.text() + "', as is that of request " + std::to_string(first->second),
            "give each request its own id");
      }
    }
  }

  // What a prompt begins with is part of it.
  void content(const Request& request, const SpecPlace& item) {
    const std::string& path = item.path();
    const std::string tokens = std::to_string(request.input_tokens);
    if (!request.prefix_group.empty() && !request.content.empty()) {
      item.error("hash_ids", "contradiction",
                 "'" + path + ".prefix_group' and '" + path + ".hash_ids' exclude each other", "keep one of them");
    } else if (request.prefix_tokens > request.input_tokens) {
      item.error("prefix_tokens", "out-of-range", "'" + path + ".prefix_tokens' is above its input_tokens",
                 "the prefix is part of the prompt: at most " + tokens);
    }
    if (request.content.empty() || request.hash_block_size == 0) return;
    const std::int64_t blocks = (request.input_tokens - 1) / request.hash_block_size + 1;
    const auto ids = static_cast<std::int64_t>(request.content.size());
    if (ids <= blocks) return;
    item.error("hash_ids", "out-of-range",
               "'" + path + ".hash_ids' has " + std::to_string(ids) + " ids, but a prompt of " + tokens +
                   " tokens has " + std::to_string(blocks) + " blocks of " + std::to_string(request.hash_block_size),
               "tokens beyond the blocks that are named are the request's own");
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const Scenario& scenario_;
};

}  // namespace

void check_workload(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  if (tree.find("workload") != nullptr) WorkloadChecks(reading, tree, scenario).all();
}

}  // namespace decodesim
