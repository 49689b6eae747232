// decodesim import KIND FILE: what others write, as files of our own.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "sim/core/suggest.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/scenario/model_import/model_import.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// What can be imported: FILE's text as ours. Warnings are added to `warnings`.
struct ImportKind {
  std::string_view name;
  std::string_view summary;
  std::string (*convert)(const fs::path& file, const std::string& name, std::vector<Diagnostic>& warnings);
};

std::string convert_model(const fs::path& file, const std::string& name, std::vector<Diagnostic>& warnings) {
  ImportedModel imported = import_model(file, name);
  warnings = std::move(imported.warnings);
  return std::move(imported.text);
}

constexpr ImportKind kinds[] = {
    {"model",
     "a model's shape from the Hugging Face config.json that lies beside its weights; scenarios name it: 'model: OUT'",
     convert_model},
};

const ImportKind& find_kind(const std::string& name) {
  std::vector<std::string_view> names;
  for (const ImportKind& kind : kinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw UsageError("'" + name + "' cannot be imported", suggestion(name, names));
}

void write(const fs::path& target, const std::string& text, bool force) {
  std::error_code none;
  if (!force && fs::is_regular_file(target, none))
    throw UsageError(target.string() + " is there already", "--force writes over it");
  AtomicFile file(target);
  file.out() << text;
  file.commit();
}

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim import KIND FILE [-o OUT] [options]";
  line.summary = "Turns what others write into files of decodesim. Kinds:\n";
  for (const ImportKind& kind : kinds)
    line.summary += "\n  " + std::string(kind.name) + "  " + std::string(kind.summary);
  line.positional = "what";
  auto add = line.options.add_options();
  add("output,o", po::value<std::string>(), "FILE: in place of standard output");
  add("name", po::value<std::string>(), "NAME: what it is called (from OUT, or from FILE or its folder)");
  add("force", "writes over a file that is there already");
  return line;
}

}  // namespace

int import_command(std::span<const std::string> args) {
  const CommandLine line = command_line();
  const auto values = parse_options(line, args);
  if (!values) return exit_done;
  const std::vector<std::string> what = texts_of(*values, "what");
  if (what.empty()) throw UsageError("import what?", "usage: " + line.usage);
  const ImportKind& kind = find_kind(what[0]);
  if (what.size() != 2) throw UsageError("import takes a kind and one file", "usage: " + line.usage);
  const auto text_of = [&](const char* option) {
    return values->count(option) > 0 ? (*values)[option].as<std::string>() : std::string();
  };
  const fs::path target = text_of("output");
  const bool named = values->count("name") > 0;
  if (named && text_of("name").empty()) throw UsageError("--name is empty", "--name my-model");
  const std::string name = named ? text_of("name") : target.stem().string();

  std::vector<Diagnostic> warnings;
  const std::string text = kind.convert(what[1], name, warnings);
  std::cerr << diagnostics_text(warnings);
  if (target.empty()) {
    std::cout << text;
  } else {
    write(target, text, values->count("force") > 0);
  }
  return exit_done;
}

}  // namespace decodesim
