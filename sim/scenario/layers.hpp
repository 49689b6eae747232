#pragma once
// A scenario file with its bases below it and `--set` above it, still a tree.

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/document.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// A file after its bases were merged, and its cases.
struct LayeredFile {
  DocumentNode tree;                                        // without `base`, `cases` and `sweep`
  std::vector<std::pair<std::string, DocumentNode>> cases;  // what each lays over the tree, in the order written
  std::optional<DocumentNode> sweep;
  int layers = 0;
};

/// Merges the bases of a text, left to right, and then the text itself. Nothing where a part of it could not be read.
std::optional<LayeredFile> read_layers(Reading& reading, SourceText source);

/// A file and the bases below it, as far as they can be read. Nothing need be right in them, nor need they make a scenario.
/// Throws UnreadableFile where the file itself cannot be read.
std::vector<std::string> files_of_layers(const std::filesystem::path& file);

/// Lays a value, which knows its layer, over a tree. The path begins at `at`. It may go on behind a name from the catalog:
/// `model.kv_heads` = 64 turns `model: NAME` into `{like: NAME, kv_heads: 64}`.
void lay_value(Reading& reading, DocumentNode& tree, const std::string& path, const Position& at, DocumentNode value);

/// Lays "path=value" texts over a tree, the first below the second.
void lay_sets(Reading& reading, DocumentNode& tree, std::span<const std::string> sets, int layer);

}  // namespace decodesim
