#pragma once
// Output tokens by client, counted without walking those that decode in lock-step.

#include <cstdint>
#include <vector>

namespace decodesim {

/// All members of the cohort get the same tokens, so a client's tokens are a constant plus its members times the tokens
/// that the cohort counts.
class ClientTally {
 public:
  void joined(std::size_t client, std::int64_t counted) {
    Client& own = of(client);
    own.members += 1;
    own.tokens -= counted;
  }
  void left(std::size_t client, std::int64_t counted) {
    Client& own = of(client);
    own.members -= 1;
    own.tokens += counted;
  }
  /// A token outside the lock-step.
  void count(std::size_t client) { of(client).tokens += 1; }

  [[nodiscard]] std::int64_t tokens(std::size_t client, std::int64_t counted) const {
    return client < clients_.size() ? clients_[client].tokens + clients_[client].members * counted : 0;
  }

 private:
  struct Client {
    std::int64_t members = 0;
    std::int64_t tokens = 0;
  };
  Client& of(std::size_t client) {
    if (clients_.size() <= client) clients_.resize(client + 1);
    return clients_[client];
  }

  std::vector<Client> clients_;
};

}  // namespace decodesim
