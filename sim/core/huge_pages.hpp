#pragma once
// Memory in large pages, for what is many megabytes and walked without order.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace decodesim {

/// An allocator for containers that grow to megabytes. The system hands out memory by the page, and on a virtual machine each
/// first touch of one costs microseconds, which for a million requests would be most of what storing them takes; and a
/// processor remembers few thousand places of pages. So it asks for pages of 2 MB, where there are such; else nothing is lost.
template <class T>
class HugePages {
 public:
  using value_type = T;

  HugePages() = default;
  template <class Other>
  HugePages(const HugePages<Other>&) {}  // NOLINT: as allocators are

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes <= small) return static_cast<T*>(::operator new (bytes, std::align_val_t{alignof(T)}));
    const std::size_t pages = (bytes + page - 1) / page;
    void* const memory = std::aligned_alloc(page, pages * page);
    if (memory == nullptr) throw std::bad_alloc();
    (void)madvise(memory, pages * page, MADV_HUGEPAGE);  // a wish: where it is not granted, pages are small
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) <= small) {
      ::operator delete (memory, std::align_val_t{alignof(T)});
    } else {
      std::free(memory);
    }
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;
  static constexpr std::size_t small = page / 2;
};

}  // namespace decodesim
