#include "sim/study/mapping_file.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "sim/scenario/record_reader.hpp"

namespace decodesim {

void read_mapping_file(const std::filesystem::path& file, FieldTable fields, void* spec, const std::string& what) {
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) throw UnreadableFile("cannot read " + file.string() + ": " + why);
  Reading reading(find_catalog());
  const SourceText* source = reading.keep_file(file, std::move(*text));
  if (const std::optional<DocumentNode> tree = reading.parse(*source)) {
    if (tree->shape == DocumentNode::Shape::map) {
      std::vector<std::string> stated;
      RecordReader(reading, fields, stated).read(*tree, fields, spec, "");
    } else {
      reading.error({source, 1, 1, 1}, "wrong-type", what + " is a mapping of keys to values",
                    "begin with 'version: 1'");
    }
  }
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
}

}  // namespace decodesim
