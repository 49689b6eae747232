#pragma once
// KV memory that is reserved for a request's whole life when it is admitted.

#include <cstdint>
#include <memory>

#include "sim/serving/kv_memory.hpp"
#include "sim/serving/server_config.hpp"

namespace decodesim {

/// What servers had before paging. A sequence gets all that it may ever need, or it waits; it never grows, so nobody is
/// ever evicted. Where finished sequences hold, what they had stays taken until the last one that was there with them is
/// finished too.
class ReservedMemory : public KvMemory {
 public:
  explicit ReservedMemory(bool holds_finished) : holds_finished_(holds_finished) {}

  /// Reserves for the life of `sequence` and returns true, or changes nothing and returns false.
  [[nodiscard]] bool reserve(Sequence& sequence);
  void release(Sequence& sequence, Released why) final;
  /// Could the empty memory hold such a request?
  [[nodiscard]] virtual bool could_hold(const Request& request, std::int64_t output_tokens) const = 0;

 protected:
  [[nodiscard]] virtual bool take(Sequence& sequence) = 0;
  /// Puts aside what `sequence` had, so that give_back_finished() finds it.
  virtual void put_aside(Sequence& sequence) = 0;
  virtual void give_back_finished() = 0;
  /// Tokens that those who have memory will fill at their ends.
  [[nodiscard]] std::int64_t final_length() const { return final_length_; }

 private:
  bool holds_finished_;
  std::int64_t holders_ = 0;
  std::int64_t final_length_ = 0;
};

/// The memory that the knob `reservation` names.
std::unique_ptr<ReservedMemory> make_reserved_memory(const ServerConfig& server, bool holds_finished);

}  // namespace decodesim
