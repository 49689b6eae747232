// The import command at its edges: exit codes, files, what goes where.

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

/// A folder with a small config.json.
class ConfigFolder : public TemporaryFolder {
 public:
  ConfigFolder() {
    write("config.json",
          "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 512, \"num_attention_heads\": 8,\n"
          " \"intermediate_size\": 1024, \"vocab_size\": 100, \"max_position_embeddings\": 2048,\n"
          " \"quantization_config\": {\"quant_method\": \"awq\"}}\n");
  }
};

}  // namespace

TEST_CASE("a model is imported to standard output, or into a file that is a model of a scenario") {
  const ConfigFolder folder;
  const std::string command = "import model " + (folder / "config.json");
  const ProgramResult shown = run_program(command + " --name small");
  CHECK(shown.exit_code == 0);
  CHECK(shown.out.starts_with("# small, of type llama, imported from config.json.\n"));
  CHECK(shown.err.find("warning[quantized]") != std::string::npos);
  CHECK(shown.err.find("config.json:3:2") != std::string::npos);

  const ProgramResult written = run_program(command + " -o " + (folder / "small.yaml"));
  CHECK(written.exit_code == 0);
  CHECK(written.out.empty());
  CHECK(file_text(folder / "small.yaml") == shown.out);  // its name is that of the file
  std::string model;
  for (char c : shown.out) model += c == '\n' ? "\n  " : std::string(1, c);
  folder.write("s.yaml",
               "version: 1\nhardware: {node: hgx-h100}\ncost: {model: ideal}\nworkload: {num_requests: 1, "
               "max_concurrency: 1, input_tokens: 8, output_tokens: 2}\nmodel:\n  " +
                   model + "\n");
  CHECK(run_program("run " + (folder / "s.yaml")).exit_code == 0);
}

TEST_CASE("a file that is there is kept unless --force is given, and a failed import writes nothing") {
  const ConfigFolder folder;
  folder.write("mine.yaml", "mine\n");
  const std::string command = "import model " + (folder / "config.json") + " -o " + (folder / "mine.yaml");
  const ProgramResult refused = run_program(command);
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--force") != std::string::npos);
  CHECK(file_text(folder / "mine.yaml") == "mine\n");
  CHECK(run_program(command + " --force").exit_code == 0);
  CHECK(file_text(folder / "mine.yaml").find("hidden_size: 512") != std::string::npos);

  folder.write("wrong.json", "{\"model_type\": \"mamba2\"}\n");
  const ProgramResult wrong = run_program("import model " + (folder / "wrong.json") + " -o " + (folder / "new.yaml"));
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find(folder / "wrong.json:1:16") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "new.yaml"));
  CHECK(run_program("import model " + (folder / "config.json") + " -o " + (folder / "nowhere/x.yaml")).exit_code == 1);
}

TEST_CASE("an import that is told to stop ends with 130 and leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string trace = folder / "t.csv";
  {
    std::ofstream out(trace);
    out << "arrival_s,input_tokens,output_tokens\n";
    for (int i = 0; i < 8'000'000; ++i) out << i << ",10,10\n";
  }
  for (const char* signal : {"INT", "TERM"}) {
    const ProgramResult stopped = run_program("import decodesim " + trace + " -o " + (folder / "o.csv"),
                                              std::string("timeout --preserve-status -s ") + signal + " 0.1");
    CHECK(stopped.exit_code == 130);
    CHECK(stopped.out.empty());
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder / "")) ++files;
    CHECK(files == 1);
  }
}

TEST_CASE("what cannot be imported ends with 2, and with 1 where it cannot be read") {
  const ConfigFolder folder;
  const std::string config = folder / "config.json";
  for (const std::string& arguments :
       {std::string("import"), std::string("import model"), "import modle " + config, "import model " + config + " x",
        "import model " + config + " --name ''", "import model " + config + " --nme x"}) {
    CAPTURE(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_FALSE(result.err.empty());
  }
  CHECK(run_program("import modle " + config).err.find("did you mean 'model'") != std::string::npos);
  CHECK(run_program("import model " + (folder / "nowhere.json")).exit_code == 1);
  CHECK(run_program("import model " + (folder / "")).exit_code == 1);
}

TEST_CASE("a file of a gigabyte is refused without being read") {
  const ConfigFolder folder;
  folder.write("weights.json", "{");
  std::filesystem::resize_file(folder / "weights.json", std::uintmax_t{1} << 30);
  // Time of the processor, since other programs may run beside this one; reading it takes more than a second of it.
  const auto computed = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return std::chrono::seconds(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           std::chrono::microseconds(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  };
  const auto before = computed();
  const ProgramResult result = run_program("import model " + (folder / "weights.json"));
  CHECK(computed() - before < std::chrono::milliseconds(500));
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("larger than 1 MiB") != std::string::npos);
}

}  // namespace decodesim::tests
