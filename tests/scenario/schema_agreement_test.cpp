// The schema and the loader agree, as far as a schema can tell.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "sim/scenario/schema.hpp"
#include "tests/scenario/loading.hpp"
#include "tests/scenario/random_text.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim::tests {

namespace {

// Exit code 0 where the schema takes every good-*.yaml and refuses every bad-*.yaml of the folder.
constexpr const char* script = R"(
import glob, json, os, sys, warnings
warnings.simplefilter('ignore')
import jsonschema, yaml
folder = sys.argv[1]
# As YAML 1.2 has it, and the loader and editors read it: on and off are words.
resolvers = yaml.SafeLoader.yaml_implicit_resolvers
for first in 'yYnNoO':
    resolvers[first] = [one for one in resolvers[first] if one[0] != 'tag:yaml.org,2002:bool']
schema = json.load(open(os.path.join(folder, 'schema.json')))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
wrong = 0
for file in sorted(glob.glob(os.path.join(folder, '*.yaml'))):
    errors = list(validator.iter_errors(yaml.safe_load(open(file, encoding='utf-8'))))
    if (len(errors) == 0) != os.path.basename(file).startswith('good'):
        print(open(file, encoding='utf-8').read(), [error.message for error in errors])
        wrong += 1
sys.exit(1 if wrong else 0)
)";

}  // namespace

TEST_CASE("the schema takes what the loader takes, and refuses wrong keys, units, choices and types") {
  // Debian's own interpreter first: another one on the path may lack what apt installed.
  std::string python;
  for (const char* const one : {"/usr/bin/python3", "python3"}) {
    if (python.empty() &&
        std::system((std::string(one) + " -W ignore -c 'import jsonschema, yaml' >/dev/null 2>&1").c_str()) == 0) {
      python = one;
    }
  }
  if (python.empty()) return skip_for_want_of("python3-jsonschema");
  const Folder folder;
  folder.write("schema.json", scenario_schema());
  folder.write("validate.py", script);
  std::mt19937_64 random(17);
  for (int i = 0; i < 60; ++i) {
    const std::string text = random_scenario_text(random);
    folder.write("good-" + std::to_string(i) + ".yaml", text);
    folder.write("good-resolved-" + std::to_string(i) + ".yaml", scenario_text(load_one(text)));
  }
  for (const auto& entry : std::filesystem::directory_iterator(DECODESIM_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    std::filesystem::copy_file(entry.path(), folder.path() / ("good-" + entry.path().filename().string()));
  }
  folder.write("good-cases.yaml",
               small_scenario + "cases: {a: {slo: {ttft_p99: 1 s}}}\nslo: null\nx-note: [1, {a: b}]\n");
  folder.write("good-sweep.yaml",
               small_scenario +
                   "sweep: {grid: {run.seed: [1, 2], scheduler.max_num_seqs: {from: 1, to: 3, step: 1}},\n"
                   "  zip: {memory.block_size: [4, 8]}, candidates: [{name: a}, {name: b}],\n"
                   "  exclude: [{run.seed: 1}], x-note: a}\n");
  int bad = 0;
  for (const char* line : {"slo: {ttft_p99: 500}",
                           "slo: {ttft_p99: 5 GB}",
                           "scheduler: {max_num_sesq: 4}",
                           "scheduler: {max_num_seqs: 0}",
                           "scheduler: {max_num_seqs: 1.5}",
                           "scheduler: {never_fits: rejects}",
                           "scheduler: {watermark: 1}",
                           "scheduler: {engine: vlm}",
                           "scheduler: vllm-v1",
                           "serving: {prefill: calculated}",
                           "rnu: {seed: 1}",
                           "run: {window: {skip_first: many}}",
                           "precision: {weights: bf61}",
                           "cases: {a: {base: b.yaml}}",
                           "cases: [a]",
                           "hardware: hgx-h100",
                           "model: {like: llama-3-8b, layer: 3}",
                           "base: {a: b}",
                           "sweep: {}",
                           "sweep: {gird: {a: [1]}}",
                           "sweep: {grid: {run.seed: []}}",
                           "sweep: {grid: {run.seed: 1}}",
                           "sweep: {grid: {run.seed: {from: 1, to: 2}}}",
                           "sweep: {candidates: {run.seed: 1}}",
                           "cases: {a: {sweep: {grid: {run.seed: [1]}}}}"}) {
    folder.write("bad-" + std::to_string(bad++) + ".yaml", small_scenario + line + "\n");
    CAPTURE(line);
    CHECK(load_text(small_scenario + line + "\n").scenarios.empty());
  }
  const std::string command =
      python + " -W ignore " + (folder.path() / "validate.py").string() + " " + folder.path().string();
  CHECK(std::system(command.c_str()) == 0);
}

}  // namespace decodesim::tests
