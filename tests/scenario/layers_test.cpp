// Bases, cases and --set: what is laid over what.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sim/scenario/merge.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

DocumentNode tree(const std::string& text) {
  static SourceTexts texts;
  std::vector<Diagnostic> diagnostics;
  const auto parsed = parse_document(*texts.add({"t.yaml", "", text}), diagnostics);
  REQUIRE(parsed.has_value());
  return *parsed;
}

std::string shown(const DocumentNode& node) {
  switch (node.shape) {
    case DocumentNode::Shape::null:
      return "null";
    case DocumentNode::Shape::scalar:
      return node.scalar;
    case DocumentNode::Shape::list: {
      std::string text = "[";
      for (const DocumentNode& item : node.items) text += shown(item) + ",";
      return text + "]";
    }
    case DocumentNode::Shape::map: {
      std::string text = "{";
      for (const DocumentEntry& entry : node.entries) text += entry.key + ":" + shown(entry.value) + ",";
      return text + "}";
    }
  }
  return "";
}

std::string merged(const std::string& under, const std::string& over) { return shown(merge(tree(under), tree(over))); }

// A small random document of maps, lists, scalars and nulls.
std::string random_document(std::mt19937_64& random, int depth) {
  if (depth == 0 || random() % 4 == 0) return random() % 5 == 0 ? "null" : std::to_string(random() % 10);
  if (random() % 5 == 0) return "[" + std::to_string(random() % 10) + ", 0]";
  std::string text = "{";
  for (char key : {'a', 'b', 'c'}) {
    if (random() % 2 == 0) text += std::string(1, key) + ": " + random_document(random, depth - 1) + ", ";
  }
  return text + "z: 0}";
}

}  // namespace

TEST_CASE("mappings merge, lists and scalars replace, and null removes") {
  CHECK(merged("{a: 1, b: {c: 2, d: 3}}", "{b: {c: 4, e: 5}}") == "{a:1,b:{c:4,d:3,e:5,},}");
  CHECK(merged("{a: [1, 2]}", "{a: [3]}") == "{a:[3,],}");
  CHECK(merged("{a: 1, b: 2}", "{a: null}") == "{b:2,}");
  CHECK(merged("{a: {b: 1}}", "{a: 5}") == "{a:5,}");
  CHECK(merged("{a: 5}", "{a: {b: 1}}") == "{a:{b:1,},}");
  CHECK(merged("{}", "{a: {b: null, c: 1}}") == "{a:{c:1,},}");
}

TEST_CASE(
    "merging keeps the laws: nothing under changes nothing, and laying the same over twice is laying it over once") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    const std::string a = "{a: " + random_document(random, 3) + "}";
    const std::string b = "{a: " + random_document(random, 3) + "}";
    const std::string c = "{a: " + random_document(random, 3) + "}";
    CAPTURE(a);
    CAPTURE(b);
    const std::string clean = merged("{}", a);
    REQUIRE(shown(merge(merge({}, tree(a)), tree("{}"))) == clean);
    REQUIRE(shown(merge(merge(tree(a), tree(b)), tree(b))) == merged(a, b));
    REQUIRE(shown(merge(merge(merge({}, tree(a)), tree(b)), tree(c))).find("null") == std::string::npos);
  }
}

TEST_CASE("bases merge left to right below the file, relative to the file that names them") {
  const Folder folder;
  folder.write("common/one.yaml", "scheduler: {max_num_seqs: 1, max_num_batched_tokens: 64}\nname: one\n");
  folder.write("common/two.yaml", "base: deeper/three.yaml\nscheduler: {max_num_seqs: 2}\n");
  folder.write("common/deeper/three.yaml", "scheduler: {max_num_seqs: 3, watermark: 25 %}\n");
  folder.write("s.yaml", "base: [common/one.yaml, common/two.yaml]\n" + small_scenario);
  const Loaded loaded = folder.load("s.yaml");
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  CHECK(loaded.scenarios[0].scheduler.max_num_seqs == 2);
  CHECK(loaded.scenarios[0].scheduler.max_num_batched_tokens == 64);
  CHECK(loaded.scenarios[0].scheduler.watermark == 0.25);
  CHECK(loaded.scenarios[0].name == "one");
}

TEST_CASE("two files may share a base, but none is a base of itself") {
  const Folder folder;
  folder.write("shared.yaml", small_scenario);
  folder.write("a.yaml", "base: shared.yaml\nname: a\n");
  folder.write("b.yaml", "base: [a.yaml, shared.yaml]\n");
  CHECK(folder.load("b.yaml").scenarios.size() == 1);

  folder.write("x.yaml", "base: y.yaml\n" + small_scenario);
  folder.write("y.yaml", "base: ./z/../z.yaml\n");
  folder.write("z.yaml", "# a comment\nbase: x.yaml\n");
  const Loaded cycle = folder.load("x.yaml");
  REQUIRE(cycle.diagnostics.size() == 1);
  CHECK(cycle.diagnostics[0].code == "base-cycle");
  CHECK(cycle.diagnostics[0].file.ends_with("z.yaml"));
  CHECK(cycle.diagnostics[0].line == 2);
  CHECK(cycle.diagnostics[0].column == 7);

  folder.write("self.yaml", "base: self.yaml\n" + small_scenario);
  CHECK(folder.load("self.yaml").diagnostics.at(0).code == "base-cycle");
}

TEST_CASE("mistakes of all files are told at once, each in its own file") {
  const Folder folder;
  folder.write("one.yaml", "scheduler: {max_num_seqs: 0}\n");
  folder.write("two.yaml", "slo: {ttft_p99: 500}\n");
  folder.write("s.yaml", "base: [one.yaml, two.yaml]\n" + small_scenario + "rum: {seed: 1}\n");
  const Loaded loaded = folder.load("s.yaml");
  REQUIRE(loaded.diagnostics.size() == 3);
  std::vector<std::string> files;
  for (const Diagnostic& diagnostic : loaded.diagnostics)
    files.push_back(std::filesystem::path(diagnostic.file).filename().string());
  std::sort(files.begin(), files.end());
  CHECK(files == std::vector<std::string>{"one.yaml", "s.yaml", "two.yaml"});
  CHECK(diagnostics_text(loaded.diagnostics).ends_with("3 errors in 3 files\n"));
}

TEST_CASE("a value of a base that a later layer takes the effect from is dropped with a warning") {
  const Folder folder;
  folder.write("base.yaml",
               "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\ncost: {model: roofline, host_time: 1 ms}\n"
               "memory: {utilization: 0.8}\nworkload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n");
  folder.write("s.yaml", "base: base.yaml\ncost: {model: ideal}\n");
  const Loaded loaded = folder.load("s.yaml", {"memory.num_gpu_blocks=7"});
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  REQUIRE(loaded.diagnostics.size() == 2);
  for (const Diagnostic& diagnostic : loaded.diagnostics) {
    CHECK(diagnostic.severity == Severity::warning);
    CHECK(diagnostic.code == "superseded");
  }
  CHECK(loaded.scenarios[0].memory.utilization == MemorySpec{}.utilization);
  const std::vector<std::string>& stated = loaded.scenarios[0].stated;
  CHECK(std::find(stated.begin(), stated.end(), "memory.utilization") == stated.end());
}

TEST_CASE("a size of the pool in --set drops all that a file says of the budget") {
  for (const char* size : {"memory.kv_cache=3.81 GiB", "memory.num_gpu_tokens=31000", "memory.num_gpu_blocks=7"}) {
    CAPTURE(size);
    const Loaded loaded = load_text(
        "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100, gpus: 1}\ncost: {model: roofline}\n"
        "memory: {utilization: 0.9, weights: 15 GiB, activation_peak: 1 GiB, non_torch: 0.1 GiB, cuda_graphs: 1 GiB}\n"
        "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n",
        {size});
    INFO(diagnostics_text(loaded.diagnostics));
    REQUIRE(loaded.scenarios.size() == 1);
    REQUIRE(!loaded.diagnostics.empty());
    CHECK(loaded.diagnostics.front().code == "superseded");
    CHECK(loaded.diagnostics.front().message.find(
              "'memory.utilization', 'memory.weights', 'memory.activation_peak', 'memory.non_torch' and "
              "'memory.cuda_graphs', which it leaves without effect: they are dropped") != std::string::npos);
  }
}

TEST_CASE("a model may be a file, relative to the one that names it") {
  const Folder folder;
  folder.write("models/mine.yaml", "like: llama-3-8b\nname: mine\nlayers: 7\n");
  folder.write("base.yaml", "version: 1\nmodel: models/mine.yaml\nhardware: {node: hgx-h100}\n");
  folder.write(
      "below/s.yaml",
      "base: ../base.yaml\ncost: {model: ideal}\nworkload: {num_requests: 3, input_tokens: 5, output_tokens: 2}\n");
  const Loaded loaded = folder.load("below/s.yaml");
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  CHECK(loaded.scenarios[0].model.name == "mine");
  CHECK(loaded.scenarios[0].model.layers == 7);
  CHECK(loaded.scenarios[0].model.heads == 32);
  folder.write("models/mine.yaml", "like: gone.yaml\n");
  CHECK(folder.load("below/s.yaml").diagnostics.front().code == "unreadable-file");
  folder.write("models/mine.yaml", "like: mine.yaml\n");
  CHECK(folder.load("below/s.yaml").diagnostics.front().code == "cycle");
  folder.write("models/mine.yaml", "- a list\n");
  CHECK(folder.load("below/s.yaml").diagnostics.front().code == "wrong-type");
}

TEST_CASE("a --set that replaces the kind of workload warns once, with all that it drops") {
  const Folder folder;
  folder.write("t.csv", "arrival_s,input_tokens,output_tokens\n0,1,1\n");
  folder.write("s.yaml",
               "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\nworkload: {num_requests: 3, "
               "max_concurrency: 2, input_tokens: 5, output_tokens: 2}\n");
  const Loaded loaded = folder.load("s.yaml", {"workload.trace=" + (folder.path() / "t.csv").string()});
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  REQUIRE(loaded.diagnostics.size() == 1);
  const Diagnostic& warning = loaded.diagnostics.front();
  CHECK(warning.code == "superseded");
  CHECK(warning.file == "--set[1]");
  CHECK(warning.message ==
        "'workload.trace' is stated later than 'workload.num_requests', 'workload.max_concurrency', "
        "'workload.input_tokens' and 'workload.output_tokens', which it leaves without effect: they are dropped");
}

TEST_CASE("a later trace or list takes the place of an earlier one") {
  const Folder folder;
  folder.write(
      "base.yaml",
      "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\nworkload: {trace: base.csv}\n");
  folder.write("base.csv", "arrival_s,input_tokens,output_tokens\n0,1,1\n");
  folder.write("s.yaml", "base: base.yaml\nworkload: {requests: [{input_tokens: 5, output_tokens: 2}]}\n");
  const Loaded loaded = folder.load("s.yaml");
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  CHECK(loaded.scenarios[0].workload.kind == WorkloadKind::requests);
  CHECK(loaded.scenarios[0].workload.trace.file.empty());
  CHECK(loaded.diagnostics.size() == 1);
}

TEST_CASE("a trace is relative to the file that names it") {
  const Folder folder;
  folder.write("traces/base.yaml", "workload: {trace: ../data/t.csv}\n");
  folder.write("data/t.csv", "arrival_s,input_tokens,output_tokens\n0,1,1\n");
  folder.write("s.yaml",
               "base: traces/base.yaml\nversion: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n");
  const Loaded loaded = folder.load("s.yaml");
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 1);
  CHECK(std::filesystem::equivalent(loaded.scenarios[0].workload.trace.file, folder.path() / "data" / "t.csv"));
}

TEST_CASE("--set comes last, in order, and its value is YAML") {
  const Scenario scenario =
      load_one(small_scenario + "scheduler: {max_num_seqs: 4, watermark: 0.5}\n",
               {"scheduler.max_num_seqs=5", "scheduler.max_num_seqs=6", "scheduler.watermark=null",
                "slo={ttft_p99: 2 s}", "workload.input_tokens={distribution: uniform, min: 1, max: 1k}", "name=a=b"});
  CHECK(scenario.scheduler.max_num_seqs == 6);
  CHECK(scenario.scheduler.watermark == 0);
  CHECK(scenario.slo.ttft_p99 == Duration(2'000'000'000));
  CHECK(scenario.workload.input_tokens.max == 1024);
  CHECK(scenario.name == "a=b");
}

TEST_CASE("--set goes on behind a name from the catalog") {
  const Scenario scenario = load_one(
      "version: 1\nmodel: llama-3-70b\nhardware: {node: hgx-h100}\nworkload: {num_requests: 3, input_tokens: 5, "
      "output_tokens: 2}\n",
      {"model.kv_heads=64", "hardware.gpu.hbm_bandwidth=4.8 TB/s", "hardware.gpus=4"});
  CHECK(scenario.model.kv_heads == 64);
  CHECK(scenario.model.layers == 80);
  CHECK(scenario.model.name == "like llama-3-70b");
  CHECK(scenario.hardware.gpu.hbm_bandwidth.value() == 4.8e12);
  CHECK(scenario.hardware.gpus == 4);
  CHECK(scenario.hardware.gpus_installed == 8);
  CHECK(scenario.parallel.tp == 4);
}

TEST_CASE("--set reaches into an item of a list by its index") {
  const std::string text =
      "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n"
      "workload: {num_requests: 3, input_tokens: 5, output_tokens: 2, clients: [{name: a}, {name: b, tenant: t}]}\n";
  const Scenario scenario = load_one(text, {"workload.clients[1].share=20 %", "workload.clients[0].input_tokens=9",
                                            "workload.clients[1].tenant=null"});
  REQUIRE(scenario.workload.clients.size() == 2);
  CHECK(scenario.workload.clients[0].input_tokens.max == 9);
  CHECK(scenario.workload.clients[1].share == 0.2);
  CHECK(scenario.workload.clients[1].name == "b");
  CHECK(scenario.workload.clients[1].tenant.empty());
  const std::string item = "{name: c, arrival: {process: constant, request_rate: 2 req/s}}";
  const Scenario whole =
      load_one(text, {"workload.clients=[" + item + "]", "workload.clients[0].arrival.request_rate=3 req/s"});
  CHECK(whole.workload.clients[0].arrival.request_rate == 3);

  for (const auto& [set, message] :
       {std::pair{"workload.clients[2].share=1", "'workload.clients' has 2 items, counted from 0"},
        {"workload.requests[0].id=a", "the file states no list 'workload.requests'"},
        {"version[0]=1", "'version' is no list, so it has no items"},
        {"run.seed[0]=1", "the file states no list 'run'"},
        {"workload.clients[].share=1", "'clients[]' names no item of a list"},
        {"workload.clients[-1].share=1", "'clients[-1]' names no item of a list"}}) {
    CAPTURE(set);
    const Loaded loaded = load_text(text, {set});
    REQUIRE(loaded.diagnostics.size() == 1);
    CHECK(loaded.diagnostics[0].message == message);
  }
}

TEST_CASE("a mistake in --set is shown in it") {
  const Loaded wrong = load_text(small_scenario, {"run.seed=2", "scheduler.max_num_sesq=4", "slo.ttft_p99=500"});
  REQUIRE(wrong.diagnostics.size() == 2);
  CHECK(diagnostic_text(wrong.diagnostics[0]) ==
        "error[unknown-key]: unknown key 'scheduler.max_num_sesq'\n"
        " --> --set[2]:1:11\n"
        "  |\n"
        "1 | scheduler.max_num_sesq=4\n"
        "  |           ^^^^^^^^^^^^\n"
        "  = help: " +
            wrong.diagnostics[0].help + "\n");
  CHECK(wrong.diagnostics[1].code == "missing-unit");
  CHECK(wrong.diagnostics[1].file == "--set[3]");
  CHECK(wrong.diagnostics[1].column == 14);
  for (const char* set :
       {"scheduler", "", "=4", "=", "scheduler.=4", ".=4", "base=a.yaml", "cases={}", "a.b=[", "run.seed="}) {
    CAPTURE(set);
    const Loaded loaded = load_text(small_scenario, {set});
    CHECK(loaded.scenarios.empty());
    CHECK(loaded.diagnostics.size() >= 1);
  }
}

TEST_CASE("a file with cases gives one scenario each, in the order written, below --set") {
  const std::string text = small_scenario +
                           "name: gap\ncases:\n  long: {workload: {input_tokens: 8k}}\n  4k:\n    workload: "
                           "{input_tokens: 4k}\n    scheduler: {max_num_seqs: 7}\n";
  const Loaded loaded = load_text(text, {"run.seed=9"});
  INFO(diagnostics_text(loaded.diagnostics));
  REQUIRE(loaded.scenarios.size() == 2);
  CHECK(loaded.scenarios[0].case_name == "long");
  CHECK(loaded.scenarios[0].name == "gap");
  CHECK(loaded.scenarios[0].workload.input_tokens.min == 8192);
  CHECK(loaded.scenarios[0].scheduler.max_num_seqs == 1024);
  CHECK(loaded.scenarios[1].case_name == "4k");
  CHECK(loaded.scenarios[1].workload.input_tokens.min == 4096);
  CHECK(loaded.scenarios[1].scheduler.max_num_seqs == 7);
  CHECK(loaded.scenarios[0].run.seed == 9);
  CHECK(loaded.scenarios[1].run.seed == 9);
}

TEST_CASE("a mistake that several cases share is told once") {
  const Loaded loaded =
      load_text(small_scenario + "slo: {ttft_p99: 5}\ncases: {a: {name: a}, b: {name: b}, c: {name: c}}\n");
  CHECK(loaded.diagnostics.size() == 1);
}

}  // namespace decodesim::tests
