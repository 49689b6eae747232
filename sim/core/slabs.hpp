#pragma once
// Many objects of one kind that never move.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/core/huge_pages.hpp"

namespace decodesim {

/// Objects that stay where they are, in slabs that double up to 2 MB each: few pages hold many of them.
template <class T>
class Slabs {
 public:
  T& emplace_back() {
    if (slabs_.empty() || slabs_.back().size() == slabs_.back().capacity()) {
      const std::size_t next = slabs_.empty() ? first : slabs_.back().capacity() * 2;
      slabs_.emplace_back().reserve(std::min(next, largest));
    }
    ++size_;
    return slabs_.back().emplace_back();
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t first = 64;
  static constexpr std::size_t largest = std::max<std::size_t>(first, (std::size_t{2} << 20) / sizeof(T));

  std::vector<std::vector<T, HugePages<T>>> slabs_;
  std::size_t size_ = 0;
};

}  // namespace decodesim
