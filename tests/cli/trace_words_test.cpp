// What describe and import say of a trace that they cannot read, or of what they were told about it.

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What a command that is refused says.
std::string refused(const std::string& arguments) {
  const ProgramResult result = run_program(arguments);
  CAPTURE(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  return result.err;
}

void check_says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(has(text, part));
  }
}

/// What a scenario needs besides its workload.
const std::string server = "version: 1\ncost: {model: fixed, step: 1 s}\nmemory: {num_gpu_blocks: 11}\n";
const std::string own = "arrival_s,input_tokens,output_tokens\n";
const std::string vidur = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,7,3\n2,8,4\n";
const std::string grid = own + "0,1,5\n0,2,5\n0,3,5\n3,4,5\n3,5,5\n3,6,5\n";

}  // namespace

TEST_CASE("describe and import say settings as options, and never with an empty place") {
  const TemporaryFolder folder;
  const std::string zero = folder.write("zero.csv", own + "0,1,0\n1,1,1\n");
  check_says(refused("describe " + zero), {"--set zero_output=drop", "--set zero_output=clip", "zero.csv:2:5"});
  check_says(refused("import decodesim " + zero), {"--set zero_output=drop"});
  const std::string back = folder.write("back.csv", own + "1,1,1\n0,1,1\n");
  check_says(refused("describe " + back), {"--set backward_time=sort, 'segment' or 'drop'"});

  const std::string plain = folder.write("t.csv", vidur);
  check_says(refused("describe " + plain), {"state it, --format vidur"});
  check_says(refused("describe " + plain + " --format csv"),
             {" --> " + plain + "\n", "missing key 'columns'", "--set columns.input_tokens=NAME"});
  check_says(refused("describe " + plain + " --format csv --set columns.input_tokens=num_prefill_tokens"),
             {"missing key 'columns.output_tokens'", "add '--set columns.output_tokens="});
  check_says(refused("import servegen " + plain), {" --> " + plain + "\n", "add '--set dataset="});
  check_says(refused("describe " + plain + " --format vidur --set time_unit=m"),
             {" --> --set[1]:1:11", "'time_unit' cannot be 'm'"});
  check_says(refused("describe " + plain + " --format vidr"), {" --> --format:1:1", "did you mean 'vidur'"});
  check_says(refused("describe " + plain + " --set format=vidur --set block_size=4"), {"--set[2]"});
  check_says(refused("describe " + plain + " --format vidur --set format=azure"), {"said twice"});
  check_says(refused("import vidur " + plain + " --set format=azure"), {"said twice"});
  for (const char* command : {"import vidur ", "describe --format vidur "}) {
    check_says(refused(command + plain + " --set file=" + zero), {"the trace is said twice, '" + plain + "'"});
    check_says(refused(command + plain + " --set over_context=drop"), {"describe and import know no server"});
  }
  check_says(refused("describe " + zero + " --set zero_output=drop --set start=5s --set max_requests=3"),
             {" --> " + zero + "\n", "from 0 s to 1 s", "choose a --set start and a --set duration within"});
  for (const std::string& err : {refused("describe " + plain + " --format csv"), refused("import servegen " + plain)})
    CHECK_FALSE(has(err, " --> \n"));
  // A scenario says the same in YAML.
  const std::string scenario = folder.write("s.yaml", server + "workload: {trace: zero.csv}\n");
  check_says(refused("run " + scenario), {"`zero_output: drop`", "it stands beside the trace's file: 'trace: {file: "});
}

TEST_CASE(
    "a window or policies that keep no row are refused by all that read or write a trace, and nothing is written") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", own + "0,1,1\n19,1,1\n");
  const std::string scenario = folder.write("s.yaml", server + "workload: {trace: t.csv}\n");
  const std::string late = " --set workload.trace.start=20s";
  for (const std::string& arguments :
       {"run " + scenario + late, "check " + scenario + late, "describe --scenario " + scenario + late,
        "run " + scenario + late + " --export-trace " + (folder / "out.yaml"), "describe " + trace + " --set start=20s",
        "import decodesim " + trace + " --set start=20s -o " + (folder / "out.yaml")}) {
    CAPTURE(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.exit_code == 2);
    CHECK(
        has(result.err, "no request is left of 2 rows: 2 before the start of the window; they reach from 0 s to 19 s"));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "out.yaml"));
}

TEST_CASE("a mistake that many rows share is told once, with how many there are") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1,2,3\n";
  const std::string err = refused("import mooncake " + folder.write("t.csv", text));
  check_says(err, {"expected '{'", "so at least 19 more places, of lines 2, 3, 4 and so on", "1 error in "});
  CHECK(count(err, "error[trace]") == 1);
  check_says(refused("describe " + folder.write("u.csv", own + "0,0,1\n1,1,1\n2,0,1\n")),
             {"so at 1 more place, of line 4", "1 error in "});
  const std::string wrong = refused("import mooncake " + folder.write("v.csv", vidur));
  check_says(wrong, {"does not look like a trace of format mooncake", "'arrived_at'", "import vidur"});
  CHECK(count(wrong, "error[trace]") == 1);
}

TEST_CASE("import needs a kind, and says which ones a file may be of") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", vidur);
  check_says(refused("import " + trace + " -o " + (folder / "o.yaml")),
             {"import needs a kind first", "decodesim import vidur " + trace});
  check_says(refused("import " + trace + " vidur"), {"import needs a kind first", "decodesim import vidur " + trace});
  check_says(refused("import " + folder.write("other.txt", "a,b\n")), {"import needs a kind first", "import KIND"});
  check_says(refused("import " + folder.write("config.json", "{\"model_type\": \"llama\"}")), {"import model"});
  check_says(refused("import vidurr " + trace), {"did you mean 'vidur'"});
  for (const char* option : {" --set start=1s", " --seed 3"})
    check_says(refused("import model " + (folder / "config.json") + option), {"is of traces"});
}

TEST_CASE("an import into a name that ends in .csv is rows of CSV, unless they cannot say it") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", vidur);
  const std::string csv = folder / "o.csv";
  REQUIRE(run_program("import vidur " + trace + " -o " + csv).exit_code == 0);
  CHECK(file_text(csv) == own + "0.5,7,3\n2,8,4\n");
  REQUIRE(run_program("import vidur " + trace + " -o " + (folder / "o.yaml")).exit_code == 0);
  CHECK(file_text(folder / "o.yaml").starts_with("version: 1\n"));
  const std::string loop = folder.write("loop.yaml",
                                        "version: 1\nformat: decodesim-trace\nmax_concurrency: 2\nrows: |\n  "
                                        "input_tokens,output_tokens\n  5,6\n");
  const std::string target = folder / "loop.csv";
  check_says(refused("import decodesim " + loop + " -o " + target),
             {"max_concurrency", "name it .yaml: --output " + (folder / "loop.yaml")});
  CHECK_FALSE(std::filesystem::exists(target));
  check_says(refused("import vidur " + trace + " --name x -o " + (folder / "p.csv")), {"have no name"});
}

TEST_CASE("lengths that are drawn from a trace of another format are told to import it, which then works") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", vidur);
  const std::string zero = folder.write("zero.csv", own + "0,1,0\n1,1,1\n");
  const auto scenario = [&](const std::string& lengths) {
    return folder.write("s.yaml", server +
                                      "workload: "
                                      "{num_requests: 3, max_concurrency: 1, " +
                                      lengths + "}\n");
  };
  for (const std::string& head : {std::string("lengths: {from: "),
                                  std::string("output_tokens: 2, input_tokens: {distribution: empirical, file: ")}) {
    const std::string err = refused("run " + scenario(head + trace + "}"));
    check_says(err, {"'decodesim import vidur " + trace + " -o " + trace + ".yaml' writes one; name that"});
    CHECK_FALSE(has(err, "trace: {file:"));
    REQUIRE(run_program("import vidur " + trace + " --force -o " + trace + ".yaml").exit_code == 0);
    CHECK(run_program("run " + scenario(head + trace + ".yaml}")).exit_code == 0);
  }
  check_says(refused("run " + scenario("lengths: {from: " + zero + "}")),
             {"'decodesim import KIND " + zero + " --set zero_output=drop -o " + zero + ".yaml'"});
}

TEST_CASE("an import writes over none of the files that it reads") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", vidur);
  check_says(refused("import vidur " + trace + " --force -o " + trace), {"is an input", "would be overwritten"});
  const std::string chunk = folder.write("chunk.csv", "0,1,1,Gamma,1,1\n60,1,1,Gamma,1,1\n");
  const std::string lengths =
      folder.write("lengths.json", "{\"0\": {\"input_tokens\": \"{9: 1}\", \"output_tokens\": \"{5: 1}\"}}");
  const std::string command = "import servegen " + chunk + " --set dataset=" + lengths + " --force -o ";
  const std::string before = file_text(lengths);
  check_says(refused(command + lengths), {"is an input", "would be overwritten"});
  CHECK(file_text(lengths) == before);
  CHECK(run_program(command + (folder / "o.csv")).exit_code == 0);
}

TEST_CASE("names of files that are empty, or that would be of packed traces, are refused, and X.CSV is CSV") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", vidur);
  const std::string scenario = folder.write("s.yaml", server +
                                                          "workload: {trace: {file: t.csv, "
                                                          "format: vidur}}\n");
  const std::string target = folder / "x.csv";
  for (const std::string& ending : {std::string(".gz"), std::string(".GZ")}) {
    check_says(refused("import vidur " + trace + " -o " + target + ending),
               {"--output writes no packed file", "write " + target + " and pack it"});
    check_says(refused("run " + scenario + " --export-trace " + target + ending),
               {"--export-trace writes no packed file", "write " + target + " and pack it"});
    CHECK_FALSE(std::filesystem::exists(target + ending));
  }
  REQUIRE(run_program("import vidur " + trace + " -o " + (folder / "X.CSV")).exit_code == 0);
  CHECK(file_text(folder / "X.CSV").starts_with(own));
  check_says(refused("import vidur " + trace + " -o ''"), {"--output needs a file name"});
  check_says(refused("describe ''"), {"the name of the trace is empty"});
  check_says(refused("import vidur ''"), {"the name of the file is empty"});
  for (const char* empty : {"{trace: ''}", "{trace: {file: ''}}"}) {
    const std::string nameless = folder.write("n.yaml", server + "workload: " + std::string(empty) + "\n");
    check_says(refused("run " + nameless), {"is empty, and names a file"});
  }
}

TEST_CASE("a name that the head of a trace cannot hold is refused with what to do") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", vidur);
  for (const char* name : {"'a\"b'", "'a\\b'", "'a\nb'"}) {
    check_says(refused("import vidur " + trace + " --name " + name + " -o " + (folder / "o.yaml")),
               {"the name of the trace, 'a", "give it another name"});
    CHECK_FALSE(std::filesystem::exists(folder / "o.yaml"));
  }
  const std::string quoted = "'" + (folder / "a\"b.csv") + "'";
  CHECK(run_program("import vidur " + trace + " -o " + quoted).exit_code == 0);
}

TEST_CASE("an import spreads rows as a run with the same seed does, and as one that states none") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", grid);
  const std::string scenario = folder.write("s.yaml", server +
                                                          "workload: {trace: {file: "
                                                          "t.csv, spread: uniform}}\n");
  const auto imported = [&](const std::string& options) {
    const std::string target = folder / "imported.csv";
    REQUIRE(
        run_program("import decodesim " + trace + " --force --set spread=uniform -o " + target + options).exit_code ==
        0);
    return file_text(target);
  };
  const auto exported = [&](const std::string& options) {
    const std::string target = folder / "exported.csv";
    REQUIRE(run_program("run " + scenario + " --export-trace " + target + options).exit_code == 0);
    return file_text(target);
  };
  CHECK(imported("") == exported(""));
  CHECK(imported(" --seed 7") == exported(" --set run.seed=7"));
  CHECK(imported(" --seed 0") == exported(" --set run.seed=0"));
  CHECK(imported(" --seed 7") != imported(""));
  const auto gaps = [&](const std::string& options) {
    return nlohmann::json::parse(run_program("describe --json " + options).out).at("arrivals");
  };
  CHECK(gaps(trace + " --set spread=uniform") == gaps("--scenario " + scenario));
  CHECK(gaps(trace + " --set spread=uniform --seed 7") == gaps("--scenario " + scenario + " --set run.seed=7"));
  check_says(refused("describe " + trace + " --seed x"), {"--seed needs a whole number from 0"});
}

TEST_CASE("describe tells a scenario from a trace, and options of the one from those of the other") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", grid);
  check_says(refused("describe crowded-cache"), {"is a scenario", "describe --scenario crowded-cache"});
  check_says(refused("describe chatbot"), {"'chatbot' is a workload", "--scenario FILE"});
  check_says(refused("describe scenarios/crowded-cache.yaml"), {"this is a scenario", "describe --scenario FILE"});
  check_says(refused("describe --scenario crowded-cache --seed 2"), {"--set run.seed=N"});
  check_says(refused("describe --scenario crowded-cache --format azure"), {"--set workload.trace.format=NAME"});
  check_says(refused("describe " + trace + " --case x"), {"--scenario FILE"});
}

}  // namespace decodesim::tests
