#include "sim/scenario/model_import/model_import.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/core/letters.hpp"
#include "sim/core/suggest.hpp"
#include "sim/model/model_fields.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/model_import/model_shape.hpp"

namespace decodesim {

namespace {

std::string supported() {
  std::string text = "supported are ";
  for (const ModelFamily& family : model_families())
    text += (&family == model_families().data() ? "" : ", ") + std::string(family.model_type);
  return text + "; write any other model by hand, as those in workloads/models";
}

// What makes no sense to read on from.
bool is_json_object(const SourceText& source, Reading& reading) {
  const std::string& text = source.text;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  constexpr const char* help = "give the config.json that lies beside a model's weights";
  if (text.size() > largest_config) {
    reading.error({&source, 1, 1, 1}, "too-large", "the file is larger than 1 MiB: it is no config.json", help);
  } else if (start == std::string::npos) {
    reading.error({&source, 0, 0, 1}, "not-json", "the file is empty", help);
  } else if (text[start] != '{') {
    reading.error(Locator(source).position(start, 1), "not-json", "not a JSON object: it does not begin with '{'",
                  help);
  } else {
    return true;
  }
  return false;
}

// The parser reads JSON as the YAML that it is; nobody who gives it JSON should have to know.
std::optional<DocumentNode> parse_json(const SourceText& source, Reading& reading) {
  std::vector<Diagnostic> found;
  std::optional<DocumentNode> tree = parse_document(source, found);
  for (Diagnostic& diagnostic : found) {
    if (const std::size_t yaml = diagnostic.message.find("YAML"); yaml != std::string::npos)
      diagnostic.message.replace(yaml, 4, "JSON");
    if (diagnostic.code == "too-many-keys")
      diagnostic.help = "take it out where it says nothing of the shape";
    else
      diagnostic.help.clear();
    reading.note(std::move(diagnostic));
  }
  return reading.errors() > 0 ? std::nullopt : std::move(tree);
}

const ModelFamily* find_family(ConfigKeys& keys, ConfigKeys& root) {
  // A text_config without a type goes by that of the whole.
  ConfigKeys& holder = keys.has("model_type") ? keys : root;
  if (holder.has("model_type")) {
    const std::optional<std::string> type = holder.text("model_type");
    if (!type) return nullptr;
    if (const ModelFamily* family = family_of_type(*type)) return family;
    holder.error("model_type", "unsupported",
                 "'" + holder.name("model_type") + "' is '" + *type + "', an architecture that cannot be imported",
                 supported());
    return nullptr;
  }
  const DocumentNode* classes = root.find("architectures");
  if (classes == nullptr) {
    holder.missing("model_type", supported());
    return nullptr;
  }
  for (const DocumentNode& name : classes->items) {
    if (const ModelFamily* family = family_of_architecture(name.scalar)) return family;
  }
  root.error("architectures", "unsupported",
             "there is no 'model_type', and 'architectures' names none that can be imported", supported());
  return nullptr;
}

// A head that classifies, or drafts, has other parameters than the model that its type names.
void check_architectures(const ModelFamily& family, ConfigKeys& root) {
  const DocumentNode* classes = root.find("architectures");
  if (classes == nullptr) return;
  for (const DocumentNode& name : classes->items) {
    if (name.scalar == family.architecture || name.scalar.ends_with("ForConditionalGeneration")) return;
    // Kimi K2 and others go by a type of their own and by a known class.
    if (family_of_architecture(name.scalar) != nullptr) return;
  }
  root.warn("architectures", "other-architecture",
            "'architectures' names " + (classes->items.empty() ? "nothing" : "'" + classes->items[0].scalar + "'") +
                ": it is counted as " + std::string(family.model_type) + " with an output layer");
}

void add_vision(ConfigKeys& root, ModelShape& shape) {
  const DocumentNode* node = root.find("vision_config");
  if (node == nullptr || node->shape != DocumentNode::Shape::map) return;
  ConfigKeys vision = root.inside("vision_config");
  if (vision.text("model_type") == "siglip_vision_model")
    shape.vision_parameters = siglip_parameters(vision, shape.spec.hidden_size);
  if (shape.vision_parameters == 0)
    root.warn("vision_config", "vision-tower", "'vision_config': the parameters of the vision tower are not counted",
              "add them to 'parameters' where the server holds it");
}

void tell_quantization(ConfigKeys& root) {
  const DocumentNode* node = root.find("quantization_config");
  if (node == nullptr) return;
  std::string method;
  if (node->shape == DocumentNode::Shape::map)
    method = root.inside("quantization_config").text("quant_method").value_or("");
  root.warn("quantization_config", "quantized",
            "'quantization_config'" + (method.empty() ? "" : " says " + method) +
                ": the format of the weights is the scenario's",
            "state it in 'precision.weights'");
}

std::string default_name(const std::filesystem::path& file, const ModelFamily& family) {
  std::string name = file.stem().string();
  if (name == "config") name = file.parent_path().filename().string();
  if (name.empty() || name == "." || name == "..") name = std::string(family.model_type);
  return lower(name);
}

std::string origin_of(const ModelShape& shape, const std::string& path) {
  const auto found = std::find_if(shape.origins.begin(), shape.origins.end(),
                                  [&](const auto& origin) { return origin.first == path; });
  return found == shape.origins.end() ? "" : found->second;
}

// The fields' own text with the keys of the file beside it. What has no origin is a default, and left out.
std::string entry_text(const ModelShape& shape, const std::vector<Diagnostic>& warnings, const std::string& head) {
  constexpr std::size_t comment_column = 32;
  std::string result = "# " + printable(head) + "\n";
  for (const Diagnostic& warning : warnings)
    result += "# Note: " + printable(warning.message) + (warning.help.empty() ? "" : "; " + warning.help) + ".\n";
  const std::string lines = fields_text(model_fields, &shape.spec, "");
  std::string record;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = lines.find('\n', start);
    std::string line = lines.substr(start, end - start);
    start = end + 1;
    const std::string key = line.substr(0, line.find(':'));
    const bool nested = key.starts_with(' ');
    if (line.ends_with(':')) {
      record = key;
      result += line + "\n";
      continue;
    }
    const std::string origin = origin_of(shape, nested ? record + "." + key.substr(2) : key);
    if (key == "name") result += line + "\n";
    if (origin.empty()) continue;
    line.resize(std::max(line.size() + 1, comment_column), ' ');
    result += line + "# " + printable(origin) + "\n";
  }
  return result;
}

void count(const ModelFamily& family, ModelShape& shape, Reading& reading, const Position& at) {
  count_parameters(family, shape);
  if (shape.spec.parameters > most_parameters) {
    reading.error(at, "out-of-range", "a model of this shape has more than 1e15 parameters");
    return;
  }
  const auto whole = [](double number) { return grouped(static_cast<std::int64_t>(number)); };
  std::string words = "counted from the shape";
  if (shape.vision_parameters > 0) words += ", " + whole(shape.vision_parameters) + " of them the vision tower's";
  shape.origins.emplace_back("parameters", words + ": " + whole(shape.spec.parameters));
  if (shape.spec.active_parameters > 0)
    shape.origins.emplace_back("active_parameters",
                               "counted: matrices of one token, with the output layer, without the input embedding");
}

}  // namespace

ImportedModel import_model_text(std::string text, const std::filesystem::path& file, const std::string& name) {
  Reading reading{Catalog({})};
  const SourceText& source = *reading.keep_file(file, std::move(text));
  const auto fail = [&] { return ScenarioError(reading.diagnostics()); };
  if (!is_json_object(source, reading)) throw fail();
  const std::optional<DocumentNode> tree = parse_json(source, reading);
  if (!tree) throw fail();

  ConfigKeys root(*tree, "", reading);
  const DocumentNode* nested = root.find("text_config");
  if (nested != nullptr && nested->shape != DocumentNode::Shape::map) {
    root.error("text_config", "wrong-type", "'text_config' takes an object");
    throw fail();
  }
  ConfigKeys keys = nested == nullptr ? root : root.inside("text_config");
  const ModelFamily* family = find_family(keys, root);
  if (family == nullptr) throw fail();
  ModelShape shape = read_model_shape(*family, keys, root);
  check_architectures(*family, root);
  add_vision(root, shape);
  tell_quantization(root);
  if (reading.errors() == 0) count(*family, shape, reading, tree->at);
  if (reading.errors() > 0) throw fail();

  shape.spec.name = name.empty() ? default_name(file, *family) : name;
  ImportedModel imported;
  imported.warnings = reading.diagnostics();
  imported.text = entry_text(shape, imported.warnings,
                             shape.spec.name + ", of type " + std::string(family->model_type) + ", imported from " +
                                 file.filename().string() + ".");
  imported.model = std::move(shape.spec);
  return imported;
}

ImportedModel import_model(const std::filesystem::path& file, const std::string& name) {
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) throw UnreadableFile("cannot read " + file.string() + ": " + why);
  return import_model_text(std::move(*text), file, name);
}

}  // namespace decodesim
