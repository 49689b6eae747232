#pragma once
// Keys of a Hugging Face config.json: what each holds, or a mistake at its place.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/core/field.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// One object of the file. A key that holds null is a key that is not there, as for the library that writes these files.
/// What is there and cannot be read is told to the Reading, and then counts as absent.
class ConfigKeys {
 public:
  /// `prefix` is what stands before its keys in messages: "text_config.", or nothing.
  ConfigKeys(const DocumentNode& object, std::string prefix, Reading& reading)
      : object_(object), prefix_(std::move(prefix)), reading_(reading) {}

  [[nodiscard]] const DocumentNode* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// It stands in the file, as null.
  [[nodiscard]] bool is_null(std::string_view key) const { return object_.find(key) != nullptr && !has(key); }
  /// The keys of an object in this one.
  [[nodiscard]] ConfigKeys inside(std::string_view key) const { return {*find(key), name(key) + ".", reading_}; }
  /// As messages and comments name a key: "text_config.hidden_size".
  [[nodiscard]] std::string name(std::string_view key) const { return prefix_ + std::string(key); }
  /// Where the value stands; of a key that is not there the object.
  [[nodiscard]] Position place(std::string_view key) const;

  /// A whole number within `range`, which also fits an int.
  std::optional<int> whole(std::string_view key, const Range& range);
  std::optional<double> number(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::string> text(std::string_view key);

  void error(std::string_view key, std::string code, std::string message, std::string help = {});
  void error_at(const Position& at, std::string code, std::string message, std::string help = {}) {
    reading_.error(at, std::move(code), std::move(message), std::move(help));
  }
  void warn(std::string_view key, std::string code, std::string message, std::string help = {});
  /// There is no such key, and nothing stands for it.
  void missing(std::string_view key, std::string help = {});

 private:
  // A plain scalar, not in quotes.
  const DocumentNode* plain(std::string_view key, std::string_view what);

  const DocumentNode& object_;
  std::string prefix_;
  Reading& reading_;
};

}  // namespace decodesim
