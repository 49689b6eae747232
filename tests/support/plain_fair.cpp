#include "tests/support/plain_fair.hpp"

#include <algorithm>

namespace decodesim::tests {

std::size_t PlainFair::find(const std::string& name) const {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i].name == name) return i;
  }
  return clients_.size();
}

double PlainFair::service(const Client& client) const {
  std::int64_t prompts = 0;
  std::int64_t outputs = 0;
  for (const PlainSequence* sequence : client.paid) prompts += sequence->input;
  for (const PlainSequence* sequence : client.sequences) outputs += sequence->emitted;
  return (prices_.input_price * static_cast<double>(prompts) + prices_.output_price * static_cast<double>(outputs)) /
         client.weight;
}

std::size_t PlainFair::least(const std::deque<PlainSequence*>& waiting) const {
  std::size_t chosen = clients_.size();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const bool waits = std::any_of(waiting.begin(), waiting.end(), [&](const PlainSequence* sequence) {
      return sequence->request->client == clients_[i].name;
    });
    if (!waits) continue;
    if (chosen == clients_.size() || counter(clients_[i]) < counter(clients_[chosen])) chosen = i;
  }
  return chosen;
}

void PlainFair::arrived(const PlainSequence& sequence, const std::deque<PlainSequence*>& waiting) {
  const std::string& name = sequence.request->client;
  if (find(name) == clients_.size()) {
    Client& fresh = clients_.emplace_back();
    fresh.name = name;
    for (const ClientWeight& one : prices_.weights) {
      if (one.client == name) fresh.weight = one.weight;
    }
  }
  Client& client = clients_[find(name)];
  client.sequences.push_back(&sequence);
  const bool had_none = std::none_of(waiting.begin(), waiting.end(),
                                     [&](const PlainSequence* other) { return other->request->client == name; });
  const std::size_t other = least(waiting);
  if (!had_none || other == clients_.size()) return;
  const double lowest = counter(clients_[other]);
  if (lowest > counter(client)) client.lifted = lowest - service(client);
}

void PlainFair::admitted(const PlainSequence& sequence) {
  Client& client = clients_[find(sequence.request->client)];
  if (std::find(client.paid.begin(), client.paid.end(), &sequence) == client.paid.end())
    client.paid.push_back(&sequence);
}

std::size_t PlainFair::head(const std::deque<PlainSequence*>& waiting) const {
  const std::string& name = clients_[least(waiting)].name;
  std::size_t oldest = waiting.size();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i]->request->client != name) continue;
    if (oldest == waiting.size() || waiting[i]->request->index < waiting[oldest]->request->index) oldest = i;
  }
  return oldest;
}

}  // namespace decodesim::tests
