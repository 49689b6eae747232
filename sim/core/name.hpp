#pragma once
// What users call things: texts that are mostly empty, and else shared by many.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace decodesim {

/// A text that never changes. It takes the room of a pointer, and nothing else where it is empty, as most names of most
/// requests are; copies share the text, whatever threads they are in.
class Name {
 public:
  Name() = default;
  Name(std::string text) : shared_(text.empty() ? nullptr : new Shared{std::move(text)}) {}  // NOLINT: as a string is
  Name(std::string_view text) : Name(std::string(text)) {}                                   // NOLINT
  Name(const char* text) : Name(std::string(text)) {}                                        // NOLINT
  Name(const Name& other) : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Name(Name&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Name& operator=(Name other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Name() {
    if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared_;
  }

  [[nodiscard]] constexpr bool empty() const { return shared_ == nullptr; }
  [[nodiscard]] const std::string& text() const {
    static const std::string none;
    return shared_ != nullptr ? shared_->text : none;
  }
  operator const std::string&() const { return text(); }  // NOLINT: a name is read as a string is
  operator std::string_view() const { return text(); }    // NOLINT
  void clear() { *this = Name(); }

  friend bool operator==(const Name& a, const Name& b) { return a.shared_ == b.shared_ || a.text() == b.text(); }
  friend bool operator==(const Name& a, const std::string& b) { return a.text() == b; }
  friend bool operator==(const Name& a, const char* b) { return a.text() == b; }
  friend std::string operator+(std::string a, const Name& b) { return std::move(a) + b.text(); }
  friend std::string operator+(const Name& a, const std::string& b) { return a.text() + b; }
  friend bool operator<(const Name& a, const Name& b) { return a.shared_ != b.shared_ && a.text() < b.text(); }

 private:
  struct Shared {
    std::string text;
    std::atomic<std::int64_t> owners{1};
  };
  Shared* shared_ = nullptr;
};

}  // namespace decodesim
