#include "sim/scenario/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <utility>

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

std::string_view line_of(const SourceText& source, std::size_t offset) {
  const std::string_view text = source.text;
  const std::size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is the start of the text
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  std::string_view line = text.substr(start, end - start);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Positions of a text, whose lines are found once.
class Locator {
 public:
  explicit Locator(const SourceText& source, std::size_t skipped) : source_(source), skipped_(skipped) {
    starts_.push_back(0);
    for (std::size_t at = source.text.find('\n'); at != std::string::npos; at = source.text.find('\n', at + 1))
      starts_.push_back(at + 1);
  }

  // The byte that a mark of yaml-cpp means; its lines and columns count from 0, and columns in bytes.
  [[nodiscard]] std::size_t offset(const YAML::Mark& mark) const {
    const std::size_t line = std::min(static_cast<std::size_t>(std::max(mark.line, 0)), starts_.size() - 1);
    const std::size_t shift = line == 0 ? skipped_ : 0;
    return std::min(starts_[line] + static_cast<std::size_t>(std::max(mark.column, 0)) + shift, source_.text.size());
  }

  [[nodiscard]] Position position(std::size_t offset, std::size_t bytes) const {
    const auto line = std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin();
    const std::size_t start = starts_[static_cast<std::size_t>(line - 1)];
    const std::string_view text = source_.text;
    const std::size_t end = std::min(std::min(text.find('\n', offset), text.size()), offset + bytes);
    Position at{&source_, static_cast<int>(line), characters(text.substr(start, offset - start)) + 1,
                characters(text.substr(offset, end - offset))};
    at.length = std::max(at.length, 1);
    return at;
  }

  // The text of a scalar as it is written, quotes included.
  [[nodiscard]] Position scalar(std::size_t offset, const std::string& value) const {
    const std::string_view text = source_.text;
    if (offset < text.size() && (text[offset] == '"' || text[offset] == '\'')) {
      const char quote = text[offset];
      std::size_t end = offset + 1;
      while (end < text.size() && text[end] != quote && text[end] != '\n')
        end += text[end] == '\\' && quote == '"' ? 2 : 1;
      return position(offset, end + 1 - offset);
    }
    if (text.substr(offset, value.size()) == value) return position(offset, value.size());
    return position(offset, 1);
  }

 private:
  const SourceText& source_;
  std::size_t skipped_;
  std::vector<std::size_t> starts_;
};

// Builds the tree from the parser's events, which carry the position of everything.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, std::size_t skipped, std::vector<Diagnostic>& diagnostics)
      : source_(source), locator_(source, skipped), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      complain(locator_.position(locator_.offset(mark), 3), "second-document", "a scenario is one YAML document",
               "put the second one into a file of its own");
      throw GiveUp{};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    DocumentNode node;
    const std::size_t offset = locator_.offset(mark);
    const std::string_view rest = std::string_view(source_.text).substr(offset);
    const bool written =
        rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") || rest.starts_with("NULL");
    node.at = written ? locator_.position(offset, rest[0] == '~' ? 1 : 4) : place(offset);
    if (!written && !levels_.empty() && levels_.back().has_key) {
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
    node.at = locator_.scalar(locator_.offset(mark), value);
    if (expects_key()) {
      levels_.back().key = value;
      levels_.back().key_at = node.at;
      levels_.back().has_key = true;
    } else {
      add(std::move(node));
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, DocumentNode::Shape::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, tag, DocumentNode::Shape::map);
  }
  void OnMapEnd() override { close(); }

  // What the parser itself says; it forgets the place where a bracket is never closed.
  void syntax_error(const YAML::ParserException& error) {
    const bool unclosed = error.msg.ends_with("flow not found") && !levels_.empty();
    const Position at = unclosed ? levels_.back().opened : locator_.position(locator_.offset(error.mark), 1);
    std::string help;
    if (unclosed) {
      help = levels_.back().node.shape == DocumentNode::Shape::list ? "close it with ']'" : "close it with '}'";
    } else if (error.msg == "illegal map value") {
      help = "a value that holds ': ' needs quotes, and the keys of a mapping start in one column";
    }
    complain(at, "syntax", unclosed ? "this bracket is never closed" : "not valid YAML: " + error.msg, help);
  }

  DocumentNode take() { return std::move(root_); }

 private:
  struct Level {
    DocumentNode node;
    Position opened;
    std::string key;
    Position key_at;
    bool has_key = false;
  };

  [[nodiscard]] bool expects_key() const {
    return !levels_.empty() && levels_.back().node.shape == DocumentNode::Shape::map && !levels_.back().has_key;
  }

  // Where a value without a text of its own is shown: at its key.
  [[nodiscard]] Position place(std::size_t offset) const {
    if (!levels_.empty() && levels_.back().has_key) return levels_.back().key_at;
    return locator_.position(offset, 1);
  }

  void open(const YAML::Mark& mark, const std::string& tag, DocumentNode::Shape shape) {
    refuse_tag(mark, tag);
    const Position opened = locator_.position(locator_.offset(mark), 1);
    if (expects_key()) {
      complain(opened, "key-not-a-word", "a key must be a word", "");
      throw GiveUp{};
    }
    if (levels_.size() >= deepest_nesting) {
      complain(opened, "too-deep", "brackets are nested more than " + std::to_string(deepest_nesting) + " deep", "");
      throw GiveUp{};
    }
    Level level;
    level.node.shape = shape;
    level.node.at = place(locator_.offset(mark));
    level.opened = opened;
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
      complain(node.at, "key-not-a-word", "a key must be a word", "");
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
    complain(locator_.position(locator_.offset(mark), text.size()), "alias",
             "anchors and aliases are not part of scenario files",
             "write the value out, or put what is shared into a file that 'base' names");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    complain(locator_.position(locator_.offset(mark), 1), "tag",
             "tags such as '" + tag + "' are not part of scenario files", "leave the tag out");
  }
  void complain(const Position& at, std::string code, std::string message, std::string help) {
    diagnostics_.push_back(diagnostic_at(at, Severity::error, std::move(code), std::move(message), std::move(help)));
  }

  const SourceText& source_;
  Locator locator_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Level> levels_;
  DocumentNode root_;
  int documents_ = 0;
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
    diagnostics.push_back(diagnostic_at(Locator(source, 0).position(nul, 1), Severity::error, "syntax",
                                        "the file holds a NUL byte: it is no text file"));
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

Diagnostic diagnostic_at(const Position& at, Severity severity, std::string code, std::string message,
                         std::string help) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  if (at.source == nullptr) return diagnostic;
  diagnostic.file = at.source->name;
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  diagnostic.length = at.length;
  std::size_t offset = 0;
  for (int line = 1; line < at.line && offset != std::string::npos; ++line) {
    offset = at.source->text.find('\n', offset);
    if (offset != std::string::npos) ++offset;
  }
  if (offset != std::string::npos) diagnostic.source_line = std::string(line_of(*at.source, offset));
  return diagnostic;
}

}  // namespace decodesim
