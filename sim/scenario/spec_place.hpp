#pragma once
// Where the fields of one Spec stand, and what messages call them.

#include <string>
#include <utility>

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// A mapping of the tree, or the deepest part of it that is there, and its path.
class SpecPlace {
 public:
  SpecPlace(Reading& reading, const DocumentNode& node, std::string path)
      : reading_(&reading), node_(&node), path_(std::move(path)) {}

  /// The mapping at `key`, or this one where it is not there, as in an entry of the catalog.
  [[nodiscard]] SpecPlace inside(const std::string& key) const {
    const DocumentNode* inner = node_->find(key);
    return {*reading_, inner != nullptr ? *inner : *node_, path_ + "." + key};
  }
  [[nodiscard]] SpecPlace item(const std::string& key, std::size_t index) const {
    const DocumentNode* list = node_->find(key);
    const bool there = list != nullptr && index < list->items.size();
    return {*reading_, there ? list->items[index] : *node_, path_ + "." + key + "[" + std::to_string(index) + "]"};
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The path of one of its fields in quotes, for sentences.
  [[nodiscard]] std::string quoted(const std::string& key) const { return "'" + path_ + "." + key + "'"; }
  /// `key` is the field that the mistake is pointed out at; empty: the mapping itself.
  void error(const std::string& key, std::string code, std::string message, std::string help) const {
    reading_->error(place_of(*node_, key), std::move(code), std::move(message), std::move(help));
  }

 private:
  Reading* reading_;
  const DocumentNode* node_;
  std::string path_;
};

}  // namespace decodesim
