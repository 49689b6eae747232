#pragma once
// What users call things: texts that are mostly empty, and else shared by many.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace decodesim {

/// A text that never changes. Where it is empty, as most names of most requests are, it holds nothing; copies share the text,
/// whatever threads they are in.
class Name {
 public:
  Name() = default;
  Name(std::string text)  // NOLINT: as a string is
      : shared_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  Name(std::string_view text) : Name(std::string(text)) {}  // NOLINT
  Name(const char* text) : Name(std::string(text)) {}       // NOLINT

  [[nodiscard]] bool empty() const { return shared_ == nullptr; }
  [[nodiscard]] const std::string& text() const {
    static const std::string none;
    return shared_ != nullptr ? *shared_ : none;
  }
  operator const std::string&() const { return text(); }  // NOLINT: a name is read as a string is
  operator std::string_view() const { return text(); }    // NOLINT
  void clear() { shared_.reset(); }

  friend bool operator==(const Name& a, const Name& b) { return a.shared_ == b.shared_ || a.text() == b.text(); }
  friend bool operator==(const Name& a, const std::string& b) { return a.text() == b; }
  friend bool operator==(const Name& a, const char* b) { return a.text() == b; }
  friend std::string operator+(std::string a, const Name& b) { return std::move(a) + b.text(); }
  friend std::string operator+(const Name& a, const std::string& b) { return a.text() + b; }
  friend bool operator<(const Name& a, const Name& b) { return a.shared_ != b.shared_ && a.text() < b.text(); }

 private:
  std::shared_ptr<const std::string> shared_;
};

}  // namespace decodesim
