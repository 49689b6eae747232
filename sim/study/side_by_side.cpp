#include "sim/study/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace decodesim {

namespace {

/// What the threads share: the next piece to do, and the first that failed.
class Pieces {
 public:
  Pieces(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  /// Does one piece after the other until none is left. Never throws.
  void run() {
    // Who has taken a piece does it, whatever failed meanwhile: so all before a failed one are done.
    while (!failed_) {
      const std::size_t index = next_++;
      if (index >= count_) return;
      try {
        work_(index);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!fault_ || index < fault_index_) {
          fault_ = std::current_exception();
          fault_index_ = index;
        }
        failed_ = true;
      }
    }
  }

  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr fault_;
  std::size_t fault_index_ = 0;
};

}  // namespace

void side_by_side(std::size_t count, std::int64_t jobs, const std::function<void(std::size_t)>& work) {
  Pieces pieces(count, work);
  {
    std::vector<std::jthread> others;  // joined at the end of this block
    const std::size_t threads = std::min(static_cast<std::size_t>(std::max<std::int64_t>(1, jobs)), count);
    try {
      while (others.size() + 1 < threads) others.emplace_back([&pieces] { pieces.run(); });
    } catch (const std::system_error&) {
      // Fewer threads than were asked for are as good, only slower.
    }
    pieces.run();
  }
  pieces.rethrow();
}

}  // namespace decodesim
