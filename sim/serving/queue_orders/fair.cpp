// The virtual token counter: the next request is the oldest of the client that got the least service so far, prompts and
// outputs weighed by their prices. A client that comes back after a time without requests gets no credit for it.
// (Sheng and others, "Fairness in serving large language models", OSDI 2024.)

#include <set>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/serving/lock_step.hpp"
#include "sim/serving/policy_factories.hpp"

namespace decodesim {

namespace {

/// Counters change while requests wait, so the queue itself is sorted by arrival, and the head is looked for when it is
/// asked for: a look at every client that has requests waiting. Ties go to the client that was seen first.
class Fair final : public QueueOrder {
 public:
  explicit Fair(const ServerConfig& server) : prices_(server.scheduler.fair) {}

  bool before(const Sequence& a, const Sequence& b) const override { return a.request.index < b.request.index; }

  void reads(const LockStep& cohort) override { cohort_ = &cohort; }

  void joined(Sequence& sequence) override {
    Client& client = client_of(sequence);
    // Who only comes back after an eviction never left.
    if (client.waiting.empty() && !sequence.admitted) lift(client);
    client.waiting.insert(&sequence);
    waiting_.insert(client.id);
  }
  void left(Sequence& sequence) override {
    Client& client = clients_[sequence.client];
    client.waiting.erase(&sequence);
    if (client.waiting.empty()) waiting_.erase(client.id);
  }
  void admitted(const Sequence& sequence) override {
    if (!sequence.admitted) clients_[sequence.client].prompt_tokens += sequence.request.input_tokens;
  }

  [[nodiscard]] Sequence* head() const override {
    const Client* least = least_served();
    return least != nullptr ? *least->waiting.begin() : nullptr;
  }

 private:
  struct ByArrival {
    bool operator()(const Sequence* a, const Sequence* b) const { return a->request.index < b->request.index; }
  };
  struct Client {
    std::size_t id = 0;
    double weight = 1;
    double lifted = 0;               // what it was lifted by, in all
    std::int64_t prompt_tokens = 0;  // of requests that were admitted
    std::set<Sequence*, ByArrival> waiting;
  };

  Client& client_of(const Sequence& sequence) {
    if (sequence.client < clients_.size()) return clients_[sequence.client];
    check(sequence.client == clients_.size(), "clients are numbered as they are first seen");
    Client& client = clients_.emplace_back();
    client.id = sequence.client;
    for (const ClientWeight& one : prices_.weights) {
      if (one.client == sequence.request.client) client.weight = one.weight;
    }
    return client;
  }

  [[nodiscard]] double service(const Client& client) const {
    return (prices_.input_price * static_cast<double>(client.prompt_tokens) +
            prices_.output_price * static_cast<double>(cohort_->tokens_of(client.id))) /
           client.weight;
  }
  [[nodiscard]] double counter(const Client& client) const { return client.lifted + service(client); }

  // Of those with requests waiting.
  [[nodiscard]] const Client* least_served() const {
    const Client* least = nullptr;
    for (const std::size_t id : waiting_) {
      if (least == nullptr || counter(clients_[id]) < counter(*least)) least = &clients_[id];
    }
    return least;
  }

  // A client of whom nobody waits comes up to the least served of those who wait.
  void lift(Client& client) {
    const Client* least = least_served();
    if (least == nullptr || counter(*least) <= counter(client)) return;
    client.lifted = counter(*least) - service(client);
  }

  FairSpec prices_;
  const LockStep* cohort_ = nullptr;
  std::vector<Client> clients_;    // by Sequence::client, so in the order in which they were first seen
  std::set<std::size_t> waiting_;  // those with requests waiting
};

}  // namespace

std::unique_ptr<QueueOrder> make_fair_order(const ServerConfig& server) { return std::make_unique<Fair>(server); }

}  // namespace decodesim
