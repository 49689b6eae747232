#include "sim/workload/generators/request_draws.hpp"

namespace decodesim {

RequestDraws::RequestDraws(const ClientSpec& client, std::uint64_t seed, const std::string& of)
    : cancelled(seed, "who cancels" + of) {
  if (client.input_tokens.stated()) inputs.emplace(client.input_tokens, seed, "input lengths" + of);
  if (client.output_tokens.stated())
    outputs.emplace(client.output_tokens, seed, "output lengths" + of, LengthColumn::output_tokens);
  if (client.prefix_groups.groups > 0)
    prefixes.emplace(client.prefix_groups, seed, "prefix groups" + of, of.empty() ? "" : client.name + "/");
  if (client.cancel.share > 0) cancels.emplace(client.cancel.after, seed, "cancellations" + of);
  if (!client.sessions.on()) return;
  const SessionsSpec& sessions = client.sessions;
  turns.emplace(sessions.turns, seed, "session turns" + of);
  think_times.emplace(sessions.think_time, seed, "think times" + of);
  if (sessions.first_input.stated()) first_inputs.emplace(sessions.first_input, seed, "first inputs" + of);
}

ClientSpec common_client(const WorkloadSpec& workload) {
  ClientSpec common;
  common.input_tokens = workload.input_tokens;
  common.output_tokens = workload.output_tokens;
  common.prefix_groups = workload.prefix_groups;
  common.sessions = workload.sessions;
  common.slo_class = workload.slo_class;
  common.tenant = workload.tenant;
  common.priority = workload.priority;
  common.deadline = workload.deadline;
  common.timeout = workload.timeout;
  common.cancel = workload.cancel;
  return common;
}

ClientSpec completed_client(const ClientSpec& client, const ClientSpec& common) {
  ClientSpec whole = client;
  if (!whole.input_tokens.stated()) whole.input_tokens = common.input_tokens;
  if (!whole.output_tokens.stated()) whole.output_tokens = common.output_tokens;
  if (whole.prefix_groups.groups == 0) whole.prefix_groups = common.prefix_groups;
  if (!whole.sessions.on()) whole.sessions = common.sessions;
  if (whole.slo_class.empty()) whole.slo_class = common.slo_class.empty() ? client.name : common.slo_class;
  if (whole.tenant.empty()) whole.tenant = common.tenant;
  if (!whole.priority) whole.priority = common.priority;
  if (!whole.deadline) whole.deadline = common.deadline;
  if (!whole.timeout) whole.timeout = common.timeout;
  if (whole.cancel.share == 0) whole.cancel = common.cancel;
  return whole;
}

}  // namespace decodesim
