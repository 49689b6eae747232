// The program itself: what it prints, where, and how it exits.

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/catalog.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

struct Ran {
  int exit = -1;
  std::string out;
  std::string err;
};

// Runs the program with arguments as a shell reads them, with its own catalog or one that lies at `home`.
Ran decodesim(const std::string& args, const std::string& home = "") {
  const Folder folder;
  const std::string err = (folder.path() / "err").string();
  const std::string program = (home.empty() ? "" : "DECODESIM_HOME='" + home + "' ") + std::string(DECODESIM_BINARY);
  FILE* pipe = popen((program + " " + args + " 2>" + err).c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ran ran;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    ran.out.append(buffer.data(), count);
  const int status = pclose(pipe);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream file(err);
  ran.err.assign(std::istreambuf_iterator<char>(file), {});
  return ran;
}

}  // namespace

TEST_CASE("without arguments the program shows three things to try") {
  const Ran ran = decodesim("");
  CHECK(ran.exit == 0);
  CHECK(ran.out.find("Three things to try") != std::string::npos);
  CHECK(ran.err.empty());
}

TEST_CASE("--help lists every command, and each command explains itself") {
  const Ran help = decodesim("--help");
  CHECK(help.exit == 0);
  for (const std::string command : {"run", "check", "list", "show", "schema"}) {
    CHECK(help.out.find("\n  " + command + " ") != std::string::npos);
    const Ran ran = decodesim(command + " --help");
    CHECK(ran.exit == 0);
    CHECK(ran.out.starts_with("usage: decodesim " + command));
    CHECK(ran.err.empty());
  }
  CHECK(decodesim("--version").out.starts_with("decodesim 0."));
}

TEST_CASE("a wrong command line exits with 2 and names what was meant, on stderr") {
  struct Wrong {
    const char* args;
    const char* says;
  };
  for (const Wrong& wrong :
       {Wrong{"chekc", "did you mean 'check'?"}, Wrong{"check --jason x.yaml", "did you mean '--json'?"},
        Wrong{"check", "usage: decodesim check"}, Wrong{"list", "usage: decodesim list"},
        Wrong{"list model", "did you mean 'models'?"}, Wrong{"list gpus nodes", "one kind at a time"},
        Wrong{"show h100-smx", "did you mean 'h100-sxm'?"}, Wrong{"show", "usage: decodesim show"},
        Wrong{"schema extra", "no arguments"}, Wrong{"schema --json --markdown", "exclude each other"},
        Wrong{"check --js x.yaml", "unknown option"}, Wrong{"--jason", "unknown command"}}) {
    const Ran ran = decodesim(wrong.args);
    CAPTURE(wrong.args);
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(wrong.says) != std::string::npos);
  }
}

TEST_CASE("check: 0 for valid files, 2 for mistakes, 1 for a file that is not there") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", small_scenario);
  const std::string bad = folder.write("bad.yaml", small_scenario + "slo: {ttft_p99: 5}\nrnu: {seed: 1}\n");
  const std::string gone = (folder.path() / "gone.yaml").string();

  const Ran valid = decodesim("check " + good);
  CHECK(valid.exit == 0);
  CHECK(valid.out == good + ": valid, scenario " + scenario_hash(folder.load("good.yaml").scenarios.at(0)) + "\n");
  CHECK(valid.err.empty());

  const Ran both = decodesim("check " + good + " " + bad);
  CHECK(both.exit == 2);
  CHECK(both.out.find(bad + ": not valid\n") != std::string::npos);
  CHECK(both.err.find("error[missing-unit]") != std::string::npos);
  CHECK(both.err.find("did you mean 'run'?") != std::string::npos);
  CHECK(both.err.ends_with("2 errors in " + bad + "\n"));

  const Ran missing = decodesim("check " + gone);
  CHECK(missing.exit == 1);
  CHECK(missing.err.find("cannot read " + gone) != std::string::npos);
  CHECK(decodesim("check " + folder.path().string()).exit == 1);
  CHECK(decodesim("check " + gone + " " + bad).exit == 2);
  CHECK(decodesim("check " + good + " --set scheduler.max_num_seqs=0").exit == 2);
}

TEST_CASE("--json prints one document with the same mistakes") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", small_scenario + "cases: {a: {name: x}, b: {name: y}}\n");
  const std::string bad = folder.write("bad.yaml", small_scenario + "slo: {ttft_p99: 5}\n");
  const Ran ran = decodesim("check --json " + good + " " + bad);
  CHECK(ran.exit == 2);
  const auto document = nlohmann::json::parse(ran.out);
  CHECK(document.at("schema_version") == 1);
  CHECK(document.at("files").at(0).at("valid") == true);
  CHECK(document.at("files").at(0).at("scenarios").at(1).at("case") == "b");
  CHECK(document.at("files").at(1).at("valid") == false);
  const auto& mistake = document.at("diagnostics").at(0);
  CHECK(mistake.at("code") == "missing-unit");
  CHECK(mistake.at("line") == 5);
  CHECK(mistake.at("column") == 17);
  for (const char* args : {"list models --json", "list policies --json", "show h100-sxm --json", "schema --json"}) {
    CAPTURE(args);
    CHECK(nlohmann::json::accept(decodesim(args).out));
  }
}

TEST_CASE("check --resolved prints the scenario that it checked") {
  const Folder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Ran ran = decodesim("check --resolved " + file);
  CHECK(ran.exit == 0);
  const std::size_t start = ran.out.find("---\n");
  REQUIRE(start != std::string::npos);
  CHECK(ran.out.substr(start + 4) == scenario_text(folder.load("s.yaml").scenarios.at(0)));
}

TEST_CASE("list names what a scenario may use, a line each") {
  struct Listed {
    const char* kind;
    const char* name;
  };
  for (const Listed& listed : {Listed{"gpus", "h100-sxm"}, Listed{"nodes", "hgx-h100"}, Listed{"models", "llama-3-70b"},
                               Listed{"workloads", "chatbot"}, Listed{"engines", "vllm-v1"}, Listed{"policies", "fcfs"},
                               Listed{"scenarios", "context-gap"}}) {
    const Ran ran = decodesim(std::string("list ") + listed.kind);
    CAPTURE(listed.kind);
    CHECK(ran.exit == 0);
    CHECK(ran.out.find(listed.name) != std::string::npos);
  }
}

TEST_CASE("show knows whatever list prints") {
  for (const char* kind : {"gpus", "nodes", "models", "workloads", "engines", "policies", "scenarios"}) {
    const auto listed = nlohmann::json::parse(decodesim(std::string("list --json ") + kind).out);
    for (const auto& entry : listed.at("entries")) {
      const auto name = entry.at("name").get<std::string>();
      CAPTURE(name);
      const Ran shown = decodesim("show " + name);
      CHECK(shown.exit == 0);
      CHECK(shown.out.find(name) != std::string::npos);
      const auto document = nlohmann::json::parse(decodesim("show --json " + name).out);
      const auto& entries = document.at("entries");
      CHECK(std::any_of(entries.begin(), entries.end(), [&](const auto& one) { return one.at("kind") == kind; }));
    }
  }
  const Ran engine = decodesim("show vllm-v1");
  CHECK(engine.out.find("upstream state of August 2026") != std::string::npos);
  for (const char* axis : {"queue_order", "admission", "victim", "destination", "kv_fate", "after_eviction"})
    CHECK(engine.out.find(std::string("\n") + axis + "  ") != std::string::npos);
}

TEST_CASE("show lists what there is by kind, on lines that fit a terminal") {
  const Ran ran = decodesim("show nothing-of-this-name");
  CHECK(ran.exit == 2);
  for (const char* kind : {"gpus: ", "nodes: ", "models: ", "scenarios: ", "engines: ", "policies: "})
    CHECK(ran.err.find(std::string("\n          ") + kind) != std::string::npos);
  std::size_t longest = 0;
  for (std::size_t start = 0; start < ran.err.size();) {
    const std::size_t end = ran.err.find('\n', start);
    longest = std::max(longest, end - start);
    start = end + 1;
  }
  CHECK(longest <= 120);
  CHECK(decodesim("show h100").err.find("did you mean 'h100-sxm'?") != std::string::npos);
}

TEST_CASE("a scenario of the catalog goes by its name, where no file does") {
  const Ran named = decodesim("check context-gap");
  CHECK(named.exit == 0);
  CHECK(named.out.find("context-gap.yaml: valid, 3 cases: 4k 32k 128k\n") != std::string::npos);
  CHECK(decodesim("explain context-gap --case 4k").exit == 0);
  CHECK(decodesim("run context-gap --case 128k").exit == 0);
  const Ran misspelt = decodesim("check context-gpa");
  CHECK(misspelt.exit == 1);
  CHECK(misspelt.err.find("did you mean the scenario 'context-gap'?") != std::string::npos);

  const Folder folder;
  const std::string file = folder.write("context-gap", small_scenario);
  CHECK(scenario_file(file) == file);
  CHECK(scenario_file("context-gap").filename() == "context-gap.yaml");
  CHECK(scenario_file("../scenarios/context-gap") == "../scenarios/context-gap");
}

TEST_CASE("a context with a capital is told the right letter") {
  CHECK(decodesim("explain context-gap --context 128K").err.find("write '128k'") != std::string::npos);
}

TEST_CASE("show prints the file with its sources and what follows from it") {
  const Ran model = decodesim("show llama-3-70b");
  CHECK(model.exit == 0);
  CHECK(model.out.find("config.json of") != std::string::npos);
  CHECK(model.out.find("# KV cache in bf16: 327,680 bytes a token\n") != std::string::npos);
  CHECK(model.out.find("# KV cache in bf16: 4,096 bytes a token and layer\n") != std::string::npos);
  const Ran gpu = decodesim("show h100-sxm");
  CHECK(gpu.out.find("# ridge in bf16: 295 FLOP a byte\n") != std::string::npos);
}

TEST_CASE("a catalog that is nowhere is named, with what to set") {
  const Folder folder;
  const std::string file = folder.write("s.yaml",
                                        "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\nworkload: "
                                        "{num_requests: 3, input_tokens: 5, output_tokens: 2}\n");
  const Ran ran = decodesim("check " + file, folder.path().string());
  CHECK(ran.exit == 2);
  CHECK(ran.err.find("the catalog was not found at " + folder.path().string()) != std::string::npos);
  CHECK(ran.err.find("= help: set DECODESIM_HOME to") != std::string::npos);
}

TEST_CASE("a catalog that lacks one kind of entries says which, and where they would be") {
  const Folder folder;
  const std::vector<std::pair<std::string, std::string>> kinds{{"gpus", "hardware/gpus"},
                                                               {"nodes", "hardware/nodes"},
                                                               {"models", "workloads/models"},
                                                               {"workloads", "workloads/presets"},
                                                               {"scenarios", "scenarios"}};
  for (const auto& [there, path] : kinds) {
    CAPTURE(there);
    const std::string home = (folder.path() / ("only-" + there)).string();
    std::filesystem::create_directories(home + "/" + path);
    std::ofstream(home + "/" + path + "/one.yaml") << "# the only one\n";
    CHECK(decodesim("list " + there, home).out == "one  the only one\n");
    for (const auto& [lacking, where] : kinds) {
      if (lacking == there) continue;
      CAPTURE(lacking);
      const Ran ran = decodesim("list " + lacking, home);
      CHECK(ran.exit == 1);
      CHECK(ran.out.empty());
      CHECK(ran.err == "error: the catalog at " + home + " has no " + lacking + ": there are none in " + home + "/" +
                           where + "; " + Catalog::remedy + "\n");
    }
  }
  const std::string home = (folder.path() / "only-scenarios").string();
  const std::string file =
      folder.write("s.yaml",
                   "version: 1\nmodel: llama-3-8b\nhardware: {node: hgx-h100}\nworkload: {num_requests: 3, "
                   "input_tokens: 5, output_tokens: 2}\n");
  const Ran check = decodesim("check " + file, home);
  CHECK(check.exit == 2);
  CHECK(check.err.find("has no models") != std::string::npos);
  CHECK(check.err.find("has no nodes") != std::string::npos);
  const Ran run = decodesim("run context-gap", (folder.path() / "only-gpus").string());
  CHECK(run.exit == 1);
  CHECK(run.err.find("has no scenarios") != std::string::npos);
}

TEST_CASE("--version takes no arguments") {
  const Ran ran = decodesim("--version x");
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("not 'x'") != std::string::npos);
}

TEST_CASE("a batch or a context beyond what can be counted is a mistake in the arguments") {
  for (const std::string option :
       {"--batch 1000000001", "--batch 1e18", "--context 1000000001", "--context 4k,1e10", "--batch 1e30"}) {
    CAPTURE(option);
    const Ran ran = decodesim("explain context-gap " + option);
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
  }
  const Ran most = decodesim(
      "explain context-gap --set scheduler.max_model_len=1000000000 --batch 1000000000 --context 1000000000 --json");
  REQUIRE(most.exit == 0);
  const auto terms = nlohmann::json::parse(most.out).at("terms");
  for (const auto& term : terms) {
    CAPTURE(term.dump());
    CHECK(term.at("value").get<double>() >= 0);
  }
}

TEST_CASE("blocks that are given take the place of the memory budget in an explanation") {
  const Ran ran = decodesim(
      "explain context-gap --set model=deepseek-v3 --set hardware.node=hgx-h200 --set parallel.tp=1 "
      "--set precision.weights=fp8 --set memory.num_gpu_blocks=5000 --json");
  REQUIRE(ran.exit == 0);
  const auto terms = nlohmann::json::parse(ran.out).at("terms");
  for (const auto& term : terms) {
    CAPTURE(term.dump());
    CHECK(term.at("value").get<double>() >= 0);
    CHECK(term.at("key") != "usable_memory");
    if (term.contains("share") && term.at("share").is_number()) CHECK(term.at("share").get<double>() <= 1);
    if (term.at("key") == "pool_bytes_per_gpu") CHECK(term.at("value") == 5000.0 * 16 * 70272);
  }
}

}  // namespace decodesim::tests
