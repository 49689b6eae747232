// decodesim import KIND FILE: what others write, as files of our own.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "sim/core/suggest.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/workload_report.hpp"
#include "sim/scenario/model_import/model_import.hpp"
#include "sim/workload/traces/reader.hpp"
#include "sim/workload/traces/writer.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/options.hpp"
#include "tools/decodesim/output_files.hpp"
#include "tools/decodesim/trace_options.hpp"

namespace decodesim {

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// A model's shape, from `file`. Warnings are added to `warnings`.
void import_model_file(const fs::path& file, const std::string& name, std::ostream& out,
                       std::vector<Diagnostic>& warnings) {
  ImportedModel imported = import_model(file, name);
  warnings = std::move(imported.warnings);
  out << imported.text;
}

/// A trace of another format, as decodesim's own; what became of its rows is told on stderr.
void import_trace(const TraceSpec& spec, std::uint64_t seed, const std::string& name, const std::string& target,
                  std::ostream& out) {
  TraceColumns columns;
  TraceReader reader(TraceBytes(spec.file), spec, std::nullopt, seed);
  while (const Request* request = reader.next()) {
    stop_if_requested();
    columns.note(*request);
  }
  TraceReader again(TraceBytes(spec.file), spec, std::nullopt, seed);
  {
    const TraceHead head{.name = name, .max_concurrency = reader.concurrency(), .closes = reader.closes()};
    TraceWriter writer(out, trace_form("--output", target, head), head, columns);
    while (const Request* request = again.next()) {
      stop_if_requested();
      writer.write(*request);
    }
  }
  write_account(reader.account(), std::cerr);
}

/// The name of what is imported, a summary, and for traces the format.
struct ImportKind {
  std::string_view name;
  std::string_view summary;
};

std::vector<ImportKind> import_kinds() {
  std::vector<ImportKind> kinds{{"model",
                                 "a model's shape from the Hugging Face config.json that lies beside its weights; "
                                 "scenarios name it: 'model: OUT'"}};
  for (const TraceFormatInfo* format : trace_formats()) kinds.push_back({format->name, format->summary});
  return kinds;
}

bool is_kind(const std::string& name) {
  const std::vector<ImportKind> kinds = import_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const ImportKind& kind) { return kind.name == name; });
}

/// The kinds that a file may be of, by its head.
std::vector<std::string> kinds_of(const std::string& file) {
  std::vector<std::string> kinds;
  try {
    TraceLines lines{TraceBytes(file)};
    if (!lines.next_of_head()) return kinds;
    for (const TraceFormatInfo* format : formats_of_head(lines)) kinds.emplace_back(format->name);
  } catch (const TraceError&) {
    return kinds;
  }
  if (kinds.empty() && fs::path(file).extension() == ".json") kinds.emplace_back("model");
  return kinds;
}

void check_kind(const std::vector<std::string>& what) {
  if (is_kind(what[0])) return;
  if (what.size() == 2 && is_kind(what[1]))
    throw UsageError("import needs a kind first, and then the file", "decodesim import " + what[1] + " " + what[0]);
  std::error_code ignored;
  if (what.size() == 1 && (fs::exists(what[0], ignored) || what[0].find_first_of("./") != std::string::npos)) {
    std::string help;
    for (const std::string& kind : kinds_of(what[0]))
      help += (help.empty() ? "" : "\n") + ("decodesim import " + kind + " " + what[0]);
    throw UsageError(
        "import needs a kind first: '" + what[0] + "' is a file",
        help.empty() ? "decodesim import KIND " + what[0] + "; 'decodesim import --help' lists the kinds" : help);
  }
  std::vector<std::string_view> names;
  const std::vector<ImportKind> kinds = import_kinds();
  for (const ImportKind& kind : kinds) names.push_back(kind.name);
  throw UsageError("'" + what[0] + "' cannot be imported", suggestion(what[0], names));
}

/// What says how a trace is read has no effect on a model.
void refuse_options_of_traces(const po::variables_map& values) {
  for (const char* option : {"set", "seed"}) {
    if (values.count(option) > 0)
      throw UsageError("--" + std::string(option) + " is of traces, and this imports a model", "take it out");
  }
}

void refuse_to_overwrite(const fs::path& target, bool force) {
  std::error_code none;
  if (!force && fs::is_regular_file(target, none))
    throw UsageError(target.string() + " is there already", "--force writes over it");
}

CommandLine command_line() {
  CommandLine line;
  line.usage = "decodesim import KIND FILE [-o OUT] [options]";
  line.summary = "Turns what others write into files of decodesim. Kinds:\n";
  for (const ImportKind& kind : import_kinds())
    line.summary += "\n  " + left(kind.name, 14) + std::string(kind.summary);
  line.positional = "what";
  auto add = line.options.add_options();
  add("output,o", po::value<std::string>(),
      "FILE: in place of standard output; a trace is written as rows of CSV where it ends in .csv");
  add("name", po::value<std::string>(), "NAME: what it is called (from OUT, or from FILE or its folder)");
  add_trace_options(add);
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
  check_kind(what);
  if (what.size() != 2) throw UsageError("import takes a kind and one file", "usage: " + line.usage);
  if (what[1].empty()) throw UsageError("the name of the file is empty", "usage: " + line.usage);
  const bool model = what[0] == "model";
  const auto text_of = [&](const char* option) {
    return values->count(option) > 0 ? (*values)[option].as<std::string>() : std::string();
  };
  const fs::path target = file_of(*values, "output");
  const bool named = values->count("name") > 0;
  if (named && text_of("name").empty()) throw UsageError("--name is empty", "--name my-model");
  const std::string name = named ? text_of("name") : target.stem().string();

  if (!model) refuse_packed("--output", target.string());
  if (!target.empty()) refuse_to_overwrite(target, values->count("force") > 0);
  if (model) refuse_options_of_traces(*values);
  if (!model && named && is_csv(target.string()))
    throw UsageError("rows of CSV have no name", "take out --name, or name the file .yaml");
  TraceSpec spec;
  std::vector<std::string> inputs{what[1]};
  if (!model) {
    spec = trace_settings(*values, what[1], what[0], TraceAsker::import);
    if (!spec.second_file.empty()) inputs.push_back(spec.second_file);
  }
  const OutputFile output[] = {{"--output", target.string()}};
  check_output_files(output, inputs);
  std::vector<Diagnostic> warnings;
  const auto convert = [&](std::ostream& out) {
    if (model) return import_model_file(what[1], name, out, warnings);
    import_trace(spec, trace_seed(*values), name, target.string(), out);
  };
  return with_trace_mistakes(TraceAsker::import, [&] {
    if (target.empty()) {
      convert(std::cout);
    } else {
      listen_to_signals();  // from here on a file is to be taken away
      AtomicFile file(target);
      convert(file.out());
      file.commit();
    }
    std::cerr << diagnostics_text(warnings);
  });
}

}  // namespace decodesim
