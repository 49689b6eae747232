// decodesim: the command line.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/suggest.hpp"
#include "sim/report/utf8.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/scenario/trace_diagnostics.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/interruption.hpp"
#include "tools/decodesim/messages.hpp"
#include "tools/decodesim/options.hpp"

namespace {

using namespace decodesim;

constexpr int exit_broken_invariant = 70;

std::string help_text() {
  std::string text = "decodesim simulates a multi-GPU LLM decode server.\n\nusage: decodesim COMMAND [options]\n\n";
  for (const Command& command : command_table()) {
    text += "  " + std::string(command.name) + std::string(10 - command.name.size(), ' ') +
            std::string(command.summary) + "\n";
  }
  return text + "\n'decodesim COMMAND --help' says more. '--version' prints the version.\n";
}

constexpr const char* first_steps =
    "decodesim simulates a multi-GPU LLM decode server. Three things to try:\n\n"
    "  decodesim run scenarios/context-gap.yaml        why 4k and 128k contexts differ 32-fold on one node\n"
    "  decodesim explain scenarios/context-gap.yaml    the arithmetic behind it, term by term\n"
    "  decodesim list models                           what can be served\n\n"
    "'decodesim --help' lists all commands.\n";

const Command* find_command(const std::string& name) {
  for (const Command& command : command_table()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int run(const std::vector<std::string>& args) {
  if (args.empty()) {
    std::fputs(first_steps, stdout);
    return exit_done;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    std::fputs(help_text().c_str(), stdout);
    return exit_done;
  }
  if (args[0] == "--version") {
    if (args.size() > 1) throw UsageError("--version takes no arguments, not '" + args[1] + "'", "decodesim --version");
    std::fputs("decodesim " DECODESIM_VERSION "\n", stdout);
    return exit_done;
  }
  const Command* command = find_command(args[0]);
  if (command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command& known : command_table()) names.push_back(known.name);
    throw UsageError("unknown command '" + args[0] + "'", suggestion(args[0], names));
  }
  return command->run(std::span(args).subspan(1));
}

// A result that did not arrive is a failure, whatever it said: a full disk behind a redirection, a closed pipe.
void check_stdout() {
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0) return;
  throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "cannot write to standard output");
}

// Help of several lines is indented below its first.
std::string help_lines(const std::string& help) {
  std::string text;
  for (std::size_t start = 0; start <= help.size();) {
    const std::size_t end = std::min(help.find('\n', start), help.size());
    text += (text.empty() ? "  = help: " : "          ") + printable(help.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return text;
}

std::string command_line(const std::vector<std::string>& args) {
  std::string line = "decodesim";
  for (const std::string& arg : args) {
    line += arg.find_first_of(" \t\"'$\\;&|<>*?(){}#") == std::string::npos ? " " + arg : " '" + arg + "'";
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  messages_to_stderr();
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    const int code = run(args);
    check_stdout();
    return code;
  } catch (const Interrupted&) {
    return exit_interrupted;
  } catch (const ScenarioError& error) {
    std::fputs(diagnostics_text(error.diagnostics()).c_str(), stderr);
    return exit_usage;
  } catch (const TraceError& error) {
    std::fputs(diagnostics_text(trace_diagnostics(error)).c_str(), stderr);
    return error.unreadable() ? exit_failure : exit_usage;
  } catch (const UsageError& error) {
    complain(printable(error.what()));
    if (!error.help().empty()) std::fputs(help_lines(error.help()).c_str(), stderr);
    return exit_usage;
  } catch (const BrokenInvariant& error) {
    confess("a fault of decodesim itself: " + std::string(error.what()));
    std::fputs(("It comes back with: " + printable(command_line(args)) + "\n").c_str(), stderr);
    return exit_broken_invariant;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return exit_failure;
  } catch (const std::exception& error) {
    complain(printable(error.what()));
    return exit_failure;
  }
}
