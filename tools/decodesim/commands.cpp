// The table of commands.

#include "tools/decodesim/command.hpp"

namespace decodesim {

std::span<const Command> command_table() {
  static constexpr Command commands[] = {
      {"run", "play a scenario and report what happened", run_command},
      {"compare", "play variants on the same requests and say which is better, and whether by more than noise",
       compare_command},
      {"sweep", "play a scenario at many points, such as contexts, GPUs or limits, and print a row each",
       sweep_command},
      {"validate", "hold predictions against measurements of real servers, row by row", validate_command},
      {"calibrate", "fit constants to measurements of your own server", calibrate_command},
      {"explain", "the arithmetic behind a scenario, term by term", explain_command},
      {"check", "validate scenario files and name every mistake", check_command},
      {"describe", "what a trace, or a scenario's workload, is like: rates, bursts, lengths, prefixes",
       describe_command},
      {"import", "what others write as files of decodesim: a model's config.json, traces", import_command},
      {"list", "names of gpus, nodes, models, engines, policies or scenarios", list_command},
      {"show", "what a name stands for: an entry with its sources, an engine, a policy", show_command},
      {"schema", "the JSON Schema of scenario files, for editors", schema_command},
  };
  return commands;
}

}  // namespace decodesim
