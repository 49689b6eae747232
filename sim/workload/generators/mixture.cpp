#include "sim/workload/generators/mixture.hpp"

#include <algorithm>
#include <string>

#include "sim/core/check.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

Mixture::Mixture(const WorkloadSpec& workload, std::uint64_t seed)
    : shared_(common_client(workload), seed, ""), dealing_(seed, "clients"), none_({}, seed, "") {
  const ClientSpec common = common_client(workload);
  double sum = 0;
  for (const ClientSpec& client : workload.clients) {
    clients_.push_back(completed_client(client, common));
    own_.emplace_back(client, seed, " of " + client.name);
    upper_.push_back(sum += client.share.value_or(1));
  }
  if (clients_.empty()) clients_.push_back(common);
  if (!workload.lengths.from.empty()) joint_.emplace(workload.lengths.from, seed, "lengths");
  if (workload.max_concurrency) think_times_.emplace(workload.think_time, seed, "think times");
  for (const ClientSpec& client : clients_)
    check(joint_ || (client.input_tokens.stated() && client.output_tokens.stated()), "a request without tokens");
}

// A draw lies above zero and reaches one, so a client has what lies above the one before it and up to itself.
std::size_t Mixture::deal() {
  if (upper_.empty()) return 0;
  const double draw = dealing_.unit() * upper_.back();
  return static_cast<std::size_t>(std::lower_bound(upper_.begin(), upper_.end(), draw) - upper_.begin());
}

Request Mixture::request_of(std::size_t client, std::int64_t index, bool first) {
  const ClientSpec& spec = clients_[client];
  RequestDraws& own = own_.empty() ? none_ : own_[client];
  Request request;
  request.index = index;
  const LengthPair joint = joint_ ? joint_->next() : LengthPair{};
  request.input_tokens = next_of(own.inputs, shared_.inputs).value_or(joint.input_tokens);
  request.output_tokens = next_of(own.outputs, shared_.outputs).value_or(joint.output_tokens);
  // What the first prompt has belongs to the sessions that the client plays.
  std::optional<Lengths>& first_inputs = own.turns ? own.first_inputs : shared_.first_inputs;
  if (first && first_inputs) request.input_tokens = first_inputs->next();
  request.max_tokens = request.output_tokens;
  request.slo_class = spec.slo_class;
  request.tenant = spec.tenant;
  request.priority = spec.priority.value_or(0);
  request.deadline = spec.deadline;
  request.timeout = spec.timeout;
  cancel(client, request);
  return request;
}

void Mixture::cancel(std::size_t client, Request& request) {
  RequestDraws& own = own_.empty() ? none_ : own_[client];
  RequestDraws& draws = own.cancels ? own : shared_;
  if (!draws.cancels) return;
  const bool cancels = draws.cancelled.unit() <= clients_[client].cancel.share;
  const Duration after = draws.cancels->next();
  if (cancels) request.cancel_after = after;
}

std::vector<Request> Mixture::next(std::optional<std::size_t> of, std::int64_t index, std::int64_t most) {
  const std::size_t client = of ? *of : deal();
  const ClientSpec& spec = clients_[client];
  RequestDraws& own = own_.empty() ? none_ : own_[client];
  const std::optional<std::int64_t> turns = next_of(own.turns, shared_.turns);
  std::vector<Request> drawn{request_of(client, index, true)};
  Request& first = drawn.front();
  if (shared_.prefixes || own.prefixes) {
    // Both deal, so that a client with prefixes of its own moves nobody else's.
    Request spare = first;
    if (shared_.prefixes) shared_.prefixes->draw(own.prefixes ? spare : first);
    if (own.prefixes) own.prefixes->draw(first);
  }
  state_content(first);
  if (!spec.sessions.on()) {
    if (think_times_) first.think_time = think_times_->next();
    return drawn;
  }
  first.session = std::to_string(sessions_++);
  first.turn = 1;
  const auto longest = static_cast<std::int64_t>(longest_request);
  const std::int64_t most_context = spec.sessions.max_context.value_or(longest);
  for (std::int64_t turn = 2; turn <= std::min(*turns, most); ++turn) {
    const Request& before = drawn.back();  // until the next is added
    Request request = request_of(client, index + turn - 1, false);
    request.input_tokens += before.input_tokens + before.output_tokens;
    if (request.input_tokens + request.output_tokens > most_context) break;
    request.session = before.session;
    request.turn = turn;
    request.think_time = (own.think_times ? own.think_times : shared_.think_times)->next();
    drawn.push_back(std::move(request));
  }
  return drawn;
}

}  // namespace decodesim
