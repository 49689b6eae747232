#include "sim/scenario/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "sim/scenario/raw_text.hpp"

namespace decodesim {

const DocumentNode* DocumentNode::find(std::string_view key) const {
  for (const DocumentEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

DocumentNode* DocumentNode::find(std::string_view key) {
  for (DocumentEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

namespace {

// Thrown through the parser where reading on makes no sense.
struct GiveUp {};

// Builds the tree from the parser's events, which carry the position of everything.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, std::size_t skipped, std::vector<Diagnostic>& diagnostics)
      : source_(source), locator_(source), skipped_(skipped), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      complain(locator_.position(offset_of(mark), 3), "second-document", "a scenario is one YAML document",
               "put the second one into a file of its own");
      throw GiveUp{};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    DocumentNode node;
    const std::size_t offset = offset_of(mark);
    const std::string_view rest = std::string_view(source_.text).substr(offset);
    const bool written =
        rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") || rest.starts_with("NULL");
    node.at = written ? locator_.position(offset, rest[0] == '~' ? 1 : 4) : place(offset);
    if (!written && !levels_.empty() && levels_.back().has_key) {
      give_up_at_open_bracket();
      complain(node.at, "empty-value", "'" + levels_.back().key + "' has no value",
               "write a value, or 'null' to remove what a base file states");
    }
    add(std::move(node));
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override { refuse_anchor(mark, "&" + name); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse_anchor(mark, "*");
    throw GiveUp{};
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    refuse_tag(mark, tag);
    DocumentNode node;
    node.shape = DocumentNode::Shape::scalar;
    node.scalar = value;
    node.quoted = tag == "!";  // the parser's name for scalars that are not plain
    node.at = locator_.scalar(offset_of(mark), value);
    if (!is_utf8(value)) complain(node.at, "not-utf8", "this text is not UTF-8", "save the file as UTF-8");
    if (expects_key()) {
      levels_.back().key = value;
      levels_.back().key_at = node.at;
      levels_.back().has_key = true;
    } else {
      add(std::move(node));
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, DocumentNode::Shape::list, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, DocumentNode::Shape::map, style);
  }
  void OnMapEnd() override { close(); }

  // What the parser itself says; it forgets the place where a bracket is never closed.
  void syntax_error(const YAML::ParserException& error) {
    ended_ = true;
    if (error.msg.ends_with("flow not found") && !levels_.empty()) {
      const bool list = levels_.back().node.shape == DocumentNode::Shape::list;
      complain_of_open_bracket(locator_.position(levels_.back().offset, 1), list ? '[' : '{');
      return;
    }
    const Position at = locator_.position(offset_of(error.mark), 1);
    std::string help;
    if (!inside_brackets()) {
      if (const auto tab = tab_in_indentation(error.mark)) {
        const Position place = locator_.position(*tab, 1);
        complain(place, "syntax", "line " + std::to_string(place.line) + " begins with a tab; YAML indents with spaces",
                 "put spaces in place of the tab");
        return;
      }
    }
    if (error.msg == "illegal map value") {
      help = "a value that holds ': ' needs quotes, and the keys of a mapping start in one column";
    } else if (error.msg == "end of map not found" || error.msg == "end of sequence not found") {
      help = "is this line indented like those around it?";
    }
    complain(at, "syntax", "not valid YAML: " + error.msg, help);
  }

  DocumentNode take() { return std::move(root_); }

 private:
  struct Level {
    DocumentNode node;
    std::size_t offset = 0;
    bool flow = false;
    std::string key;
    Position key_at;
    bool has_key = false;
  };

  // Marks of yaml-cpp count lines and columns from 0, and columns in bytes of what it was given.
  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(std::max(mark.line, 0));
    return locator_.offset(line, static_cast<std::size_t>(std::max(mark.column, 0)) + (line == 0 ? skipped_ : 0));
  }

  // A tab among what indents the line of a mark, where nothing else stands before it.
  [[nodiscard]] std::optional<std::size_t> tab_in_indentation(const YAML::Mark& mark) const {
    const std::string& text = source_.text;
    for (std::size_t at = locator_.offset(static_cast<std::size_t>(std::max(mark.line, 0)), 0);
         at < text.size() && (text[at] == ' ' || text[at] == '\t'); ++at) {
      if (text[at] == '\t') return at;
    }
    return std::nullopt;
  }

  void complain_of_open_bracket(const Position& at, char bracket) {
    complain(at, "syntax", "this bracket is never closed", bracket == '[' ? "close it with ']'" : "close it with '}'");
  }

  // The parser reads the end of the text as that of a key or a value, before it misses a bracket.
  void give_up_at_open_bracket() {
    const auto outermost = std::find_if(levels_.begin(), levels_.end(), [](const Level& level) { return level.flow; });
    if (outermost != levels_.end()) give_up_at_open_bracket(outermost->offset);
  }
  void give_up_at_open_bracket(std::size_t outermost) {
    if (outermost == closed_bracket_) return;  // many keys of one bracket may lack their values
    const std::optional<std::size_t> open = never_closed(source_.text, outermost);
    if (open) {
      complain_of_open_bracket(locator_.position(*open, 1), source_.text[*open]);
      throw GiveUp{};
    }
    closed_bracket_ = outermost;
  }

  // Between brackets, tabs may indent.
  [[nodiscard]] bool inside_brackets() const { return !levels_.empty() && levels_.back().flow; }

  [[nodiscard]] bool expects_key() const {
    return !levels_.empty() && levels_.back().node.shape == DocumentNode::Shape::map && !levels_.back().has_key;
  }

  // Where a value without a text of its own is shown: at its key.
  [[nodiscard]] Position place(std::size_t offset) {
    if (!levels_.empty() && levels_.back().has_key) return levels_.back().key_at;
    return locator_.position(offset, 1);
  }

  void open(const YAML::Mark& mark, const std::string& tag, DocumentNode::Shape shape,
            YAML::EmitterStyle::value style) {
    refuse_tag(mark, tag);
    const Position opened = locator_.position(offset_of(mark), 1);
    if (expects_key()) {
      give_up_at_open_bracket();
      if (style == YAML::EmitterStyle::Flow) give_up_at_open_bracket(offset_of(mark));
      complain(opened, "key-not-a-word", "a key must be a word", key_help);
      throw GiveUp{};
    }
    if (levels_.size() >= deepest_nesting) {
      complain(opened, "too-deep", "brackets are nested more than " + std::to_string(deepest_nesting) + " deep", "");
      throw GiveUp{};
    }
    Level level;
    level.node.shape = shape;
    level.node.at = place(offset_of(mark));
    level.offset = offset_of(mark);
    level.flow = style == YAML::EmitterStyle::Flow;
    levels_.push_back(std::move(level));
  }

  void close() {
    DocumentNode node = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(node));
  }

  void add(DocumentNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.shape == DocumentNode::Shape::list) {
      level.node.items.push_back(std::move(node));
      return;
    }
    if (!level.has_key) {
      complain(node.at, "key-not-a-word", "a key must be a word", key_help);
      throw GiveUp{};
    }
    level.has_key = false;
    for (const DocumentEntry& entry : level.node.entries) {
      if (entry.key != level.key) continue;
      complain(level.key_at, "duplicate-key", "'" + level.key + "' is stated twice",
               "the first is in line " + std::to_string(entry.key_at.line) + "; keep one of them");
      return;
    }
    if (level.node.entries.size() >= most_keys) {
      complain(level.key_at, "too-many-keys", "a mapping has at most " + std::to_string(most_keys) + " keys", "");
      throw GiveUp{};
    }
    level.node.entries.push_back({std::move(level.key), level.key_at, std::move(node)});
  }

  void refuse_anchor(const YAML::Mark& mark, const std::string& text) {
    complain(locator_.position(offset_of(mark), text.size()), "alias",
             "anchors and aliases are not part of scenario files",
             "write the value out, or put what is shared into a file that 'base' names");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    complain(locator_.position(offset_of(mark), 1), "tag", "tags such as '" + tag + "' are not part of scenario files",
             "leave the tag out");
  }
  static constexpr const char* key_help = "write 'key: value'; a key that holds brackets needs quotes";

  void complain(const Position& at, std::string code, std::string message, std::string help) {
    diagnostics_.push_back(diagnostic_at(at, Severity::error, std::move(code), std::move(message), std::move(help)));
    if (diagnostics_.size() > most_diagnostics && !ended_) throw GiveUp{};
  }

  const SourceText& source_;
  Locator locator_;
  std::size_t skipped_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Level> levels_;
  DocumentNode root_;
  int documents_ = 0;
  bool ended_ = false;                         // there is no parser left to throw through
  std::optional<std::size_t> closed_bracket_;  // the outermost bracket that was last found to be closed
};

}  // namespace

std::optional<DocumentNode> parse_document(const SourceText& source, std::vector<Diagnostic>& diagnostics,
                                           std::size_t skipped) {
  if (source.text.size() > largest_file) {
    diagnostics.push_back(diagnostic_at({&source, 1, 1, 1}, Severity::error, "too-large",
                                        "the file is larger than 16 MiB",
                                        "put long lists of requests into a trace file that workload.trace names"));
    return std::nullopt;
  }
  // yaml-cpp takes a NUL for the end of the file, so what follows would silently be ignored.
  if (const std::size_t nul = source.text.find('\0'); nul != std::string::npos) {
    diagnostics.push_back(diagnostic_at(Locator(source).position(nul, 1), Severity::error, "syntax",
                                        "the text holds a NUL byte: it is no text file",
                                        "write the scenario as UTF-8 text"));
    return std::nullopt;
  }
  TreeBuilder builder(source, skipped, diagnostics);
  std::istringstream stream(source.text.substr(skipped));
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const GiveUp&) {
    return std::nullopt;
  } catch (const YAML::ParserException& error) {
    builder.syntax_error(error);
    return std::nullopt;
  }
  DocumentNode root = builder.take();
  if (root.at.source == nullptr) root.at = {&source, 1, 1, 1};
  return root;
}

Position place_of(const DocumentNode& tree, std::string_view path) {
  const DocumentNode* node = &tree;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const DocumentNode* next = node->find(path.substr(0, dot));
    if (next == nullptr) break;
    node = next;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node->at;
}

}  // namespace decodesim
