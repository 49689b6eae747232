#include "tests/support/catalog_entries.hpp"

#include <cstdlib>

#include "sim/scenario/load.hpp"

namespace decodesim::tests {

NodeSpec catalog_node(const std::string& name) {
  ::setenv("DECODESIM_HOME", DECODESIM_SOURCE_DIR, 1);
  std::vector<Diagnostic> warnings;
  const std::string text = "version: 1\nmodel: llama-3-8b\nhardware: {node: " + name +
                           "}\ncost: {model: calibrated}\n"
                           "workload: {num_requests: 1, max_concurrency: 1, input_tokens: 1, output_tokens: 1}\n";
  return load_scenarios_text(text, name, DECODESIM_SOURCE_DIR, {}, warnings).front().hardware;
}

}  // namespace decodesim::tests
