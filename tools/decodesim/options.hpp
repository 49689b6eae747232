#pragma once
// The options of a command: declared once, parsed without guessing, mistakes answered with the nearest name.

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace decodesim {

/// The command line itself is wrong; exit code 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string help = {})
      : runtime_error(message), help_(std::move(help)) {}
  [[nodiscard]] const std::string& help() const { return help_; }

 private:
  std::string help_;
};

/// How a command is called. `--help` is added to every command, and the positional option where it is not declared.
struct CommandLine {
  std::string usage;    // "decodesim run SCENARIO [options]"
  std::string summary;  // a sentence or two
  boost::program_options::options_description options{"options"};
  std::string
      positional;  // the name under which arguments without a flag come, a vector of strings; empty: none are allowed
};

/// The options' values; nothing where `--help` was asked for and has been printed, so that the command is done.
/// Throws UsageError.
std::optional<boost::program_options::variables_map> parse_options(const CommandLine& line,
                                                                   std::span<const std::string> args);

/// What an option that may be repeated was given; nothing where it was not.
std::vector<std::string> texts_of(const boost::program_options::variables_map& values, const char* name);

/// The file that an option names; nothing where it was not given. Throws UsageError where the name is empty.
std::string file_of(const boost::program_options::variables_map& values, const char* name);

/// A whole number from `least` to `most`, or `otherwise` where the option was not given. Throws UsageError.
std::int64_t number_of(const boost::program_options::variables_map& values, const char* name, std::int64_t otherwise,
                       std::int64_t most, std::int64_t least = 1);

/// Adds `--jobs`, for commands that play many runs.
void add_jobs(boost::program_options::options_description& options);
/// How many runs to play side by side: what it says, or as many as there are processors. Throws UsageError.
std::int64_t jobs_of(const boost::program_options::variables_map& values);

}  // namespace decodesim
