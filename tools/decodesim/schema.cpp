// decodesim schema: the scenario format, for editors and for readers.

#include "sim/scenario/schema.hpp"

#include <iostream>

#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

int schema_command(std::span<const std::string> args) {
  namespace po = boost::program_options;
  CommandLine line{
      "decodesim schema [options]",
      "Prints the JSON Schema (draft-07) of scenario files. An editor with YAML support checks and completes with it.",
      po::options_description("options"), ""};
  line.options.add_options()("markdown", "the reference page of all keys instead");
  line.options.add_options()("json", "the schema, which is JSON already");
  const auto options = parse_options(line, args);
  if (!options) return exit_done;
  if (options->count("markdown") > 0 && options->count("json") > 0)
    throw UsageError("'--markdown' and '--json' exclude each other");
  std::cout << (options->count("markdown") > 0 ? reference_page() : scenario_schema());
  return exit_done;
}

}  // namespace decodesim
