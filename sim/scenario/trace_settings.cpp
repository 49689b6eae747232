#include "sim/scenario/trace_settings.hpp"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/scenario/catalog.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/layers.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/record_reader.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

namespace {

DocumentNode text_node(const std::string& text, const Position& at) {
  DocumentNode node;
  node.shape = DocumentNode::Shape::scalar;
  node.scalar = text;
  node.at = at;
  node.quoted = true;
  return node;
}

/// Every 'key: value' as the command says it.
std::string as_options(const std::string& help, TraceAsker asker) {
  std::string text;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t close = help[at] == '\'' ? help.find('\'', at + 1) : std::string::npos;
    const std::size_t colon = close == std::string::npos ? close : help.find(": ", at + 1);
    if (colon == std::string::npos || colon > close || help[at + 1] == '{') {
      text += help[at++];
      continue;
    }
    text += '\'' + said_setting(help.substr(at + 1, colon - at - 1), help.substr(colon + 2, close - colon - 2), asker) +
            '\'';
    at = close + 1;
  }
  return text;
}

/// What a scenario is told to write, a command is told to say.
void put_in_options(Diagnostic& diagnostic, TraceAsker asker) {
  // Of a key inside of another the help names the inner one, and an option needs the whole path.
  const std::size_t open = diagnostic.message.find('\'');
  const std::size_t close = diagnostic.message.find('\'', open + 1);
  const std::string path = open == std::string::npos ? "" : diagnostic.message.substr(open + 1, close - open - 1);
  const std::size_t dot = path.rfind('.');
  const std::string inner = "add '" + path.substr(dot + 1) + ": ";
  if (diagnostic.code == "missing-key" && dot != std::string::npos && diagnostic.help.starts_with(inner))
    diagnostic.help = "add '" + path + ": " + diagnostic.help.substr(inner.size());
  if (path == "columns" && (diagnostic.code == "missing-key" || diagnostic.code == "wrong-type"))
    diagnostic.help = "add '--set columns.input_tokens=NAME', and the same for the other columns";
  diagnostic.help = as_options(diagnostic.help, asker);
}

}  // namespace

TraceSpec read_trace_settings(const std::string& file, const std::optional<std::string>& format,
                              std::span<const std::string> settings, TraceAsker asker) {
  Reading reading(find_catalog());
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::current_path(ignored);
  const Position at{reading.keep({file, folder, ""}), 0, 0,
                    1};  // what no option says is missing of the file as a whole
  DocumentNode tree;
  tree.shape = DocumentNode::Shape::map;
  tree.entries.push_back({"file", at, text_node(file, at)});
  if (format) {
    const std::string option = asker == TraceAsker::import ? "import" : "--format";
    const Position said{reading.keep({option, folder, *format}), 1, 1, static_cast<int>(format->size())};
    tree.entries.push_back({"format", said, text_node(*format, said)});
  }
  lay_sets(reading, tree, settings, 1);
  tree.at = at;
  TraceSpec spec;
  std::vector<std::string> stated;
  RecordReader(reading, trace_fields, stated).read(tree, trace_fields, &spec, "");
  if (reading.errors() == 0) return spec;
  std::vector<Diagnostic> diagnostics = reading.diagnostics();
  for (Diagnostic& diagnostic : diagnostics) put_in_options(diagnostic, asker);
  throw ScenarioError(std::move(diagnostics));
}

}  // namespace decodesim
