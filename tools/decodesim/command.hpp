#pragma once
// The commands of the program, one file each.

#include <span>
#include <string>
#include <string_view>

namespace decodesim {

/// What the process returns, whatever the command.
enum ExitCode {
  exit_done = 0,
  exit_failure = 1,
  exit_usage = 2,
  exit_missed = 3,
  exit_regression = 4,
  exit_interrupted = 130
};

/// A command takes what follows its name and returns an exit code. It writes results to stdout and all else to stderr.
/// A mistake in the arguments is thrown as UsageError, one in a scenario as ScenarioError: both end with exit code 2.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string> args);
};

/// All commands, in the order of the help text.
std::span<const Command> command_table();

int calibrate_command(std::span<const std::string> args);
int check_command(std::span<const std::string> args);
int describe_command(std::span<const std::string> args);
int compare_command(std::span<const std::string> args);
int explain_command(std::span<const std::string> args);
int import_command(std::span<const std::string> args);
int list_command(std::span<const std::string> args);
int run_command(std::span<const std::string> args);
int schema_command(std::span<const std::string> args);
int show_command(std::span<const std::string> args);
int sweep_command(std::span<const std::string> args);
int validate_command(std::span<const std::string> args);

}  // namespace decodesim
