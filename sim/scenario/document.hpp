#pragma once
// YAML as a tree in which every key and value knows where it stands.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/source_text.hpp"

namespace decodesim {

struct DocumentEntry;

/// A scalar, a list or a mapping. Null is a scalar that is not there: it removes what a base states.
struct DocumentNode {
  enum class Shape { null, scalar, list, map };
  Shape shape = Shape::null;
  std::string scalar;
  std::vector<DocumentNode> items;
  std::vector<DocumentEntry> entries;
  Position at;          // of a scalar itself; of the key that holds a list, a mapping or null
  int layer = 0;        // what merged later has a higher layer
  std::string extends;  // of a mapping: laid over a scalar, it starts from it, as the value of this key
  bool quoted = false;  // of a scalar: it is text, even where it reads as a number

  [[nodiscard]] const DocumentNode* find(std::string_view key) const;
  [[nodiscard]] DocumentNode* find(std::string_view key);
};

struct DocumentEntry {
  std::string key;
  Position key_at;
  DocumentNode value;
};

/// Where a path such as "memory.block_size" stands in the tree, or the deepest part of it that does.
Position place_of(const DocumentNode& tree, std::string_view path);

/// The limits of a document, so that no file can exhaust the program.
inline constexpr std::size_t largest_file = std::size_t{16} << 20;
inline constexpr std::size_t deepest_nesting = 64;
inline constexpr std::size_t most_keys = 1000;  // of one mapping
// A list of a million wrong rows is one mistake to its author.
inline constexpr std::size_t most_diagnostics = 500;

/// The tree of one YAML document. Mistakes go to `diagnostics`: syntax, duplicate keys, keys without a value, aliases,
/// tags, a second document, too much nesting. Nothing where it could not be read to its end, so that what is missing
/// there is not complained about; an empty text is null.
///
/// The text is what follows the first `skipped` bytes of the source, on its first line (for "path=value").
std::optional<DocumentNode> parse_document(const SourceText& source, std::vector<Diagnostic>& diagnostics,
                                           std::size_t skipped = 0);

}  // namespace decodesim
