// What is no config.json, or one of a model that cannot be imported: a message at the place, soon.

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <string>

#include "sim/scenario/model_import/model_import.hpp"
#include "tests/scenario/marked_text.hpp"
#include "tests/support/damage.hpp"

namespace decodesim::tests {

namespace {

#define SHAPE                                                                                          \
  "\"hidden_size\": 64,\n\"intermediate_size\": 64, \"vocab_size\": 64, \"max_position_embeddings\": " \
  "64,\n\"num_hidden_layers\": 4"
#define LLAMA "{\"model_type\": \"llama\",\n" SHAPE
#define DEEPSEEK                                                                                          \
  "{\"model_type\": \"deepseek_v3\",\n" SHAPE                                                             \
  ", \"num_attention_heads\": 4, \"kv_lora_rank\": 8, \"qk_rope_head_dim\": 8, \"n_routed_experts\": 4, " \
  "\"num_experts_per_tok\": 2, \"moe_intermediate_size\": 8"

struct WrongConfig {
  std::string_view text;  // § stands where the caret must begin, and is not part of the file
  std::string_view code;
  std::string_view message;  // a part of it
};

const WrongConfig wrong_configs[] = {
    {"§", "not-json", "empty"},
    {" \n §hidden_size: 4096", "not-json", "does not begin with '{'"},
    {"§[1, 2]", "not-json", "does not begin with '{'"},
    {"§{\"model_type\": \"llama\"", "syntax", "never closed"},
    {"{\"model_type\": \"llama\",\n§\"model_type\": \"llama\"}", "duplicate-key", "stated twice"},
    {"{\"model_type\": §\"mamba2\"}", "unsupported", "'model_type' is 'mamba2'"},
    {"{\"text_config\": {\"model_type\": §\"llama4_text\"}}", "unsupported", "'text_config.model_type' is"},
    {"{§\"text_config\": [1]}", "wrong-type", "'text_config' takes an object"},
    {"{\"model_type\": §12}", "wrong-type", "takes a text in quotes, not 12"},
    {"§{}", "missing-key", "there is no 'model_type'"},
    {"{§\"architectures\": [\"BertForMaskedLM\"]}", "unsupported", "names none that can be imported"},
    {"§" LLAMA "}", "missing-key", "there is no 'num_attention_heads'"},
    {LLAMA ", \"num_attention_heads\": §\"4\"}", "wrong-type", "takes a whole number, not the text \"4\""},
    {LLAMA ", §\"num_attention_heads\": [4]}", "wrong-type", "not a list"},
    {LLAMA ", \"num_attention_heads\": §true}", "not-a-number", "'num_attention_heads' takes"},
    {LLAMA ", \"num_attention_heads\": §0}", "out-of-range", "it must be from 1 to 100,000"},
    {LLAMA ", \"num_attention_heads\": §-4}", "out-of-range", "must not be negative"},
    {LLAMA ", \"num_attention_heads\": §2.5}", "not-a-number", "must be a whole number"},
    {LLAMA ", \"num_attention_heads\": §NaN}", "not-finite", "must be a finite number"},
    {LLAMA ", \"num_attention_heads\": §1e300}", "out-of-range", "too large"},
    {LLAMA ", \"num_attention_heads\": §4000000000}", "out-of-range", "is 4,000,000,000"},
    {LLAMA ", \"num_attention_heads\": 4, \"tie_word_embeddings\": §1}", "wrong-type", "takes true or false"},
    {LLAMA ", \"num_attention_heads\": 4, \"num_key_value_heads\": §3}", "contradiction", "is 3, but"},
    {"{\"model_type\": \"llama\", \"num_attention_heads\": 5, \"hidden_size\": §64, \"intermediate_size\": 64, "
     "\"vocab_size\": 64, \"max_position_embeddings\": 64, \"num_hidden_layers\": 4}",
     "contradiction", "no multiple of 'num_attention_heads'"},
    {DEEPSEEK ", \"v_head_dim\": 8, \"qk_nope_head_dim\": §16}", "unsupported", "one size of head"},
    {DEEPSEEK ", \"v_head_dim\": 8, \"qk_nope_head_dim\": 8, \"moe_layer_freq\": §2}", "unsupported",
     "experts in every layer behind the dense ones"},
    {DEEPSEEK ", \"v_head_dim\": 8, \"qk_nope_head_dim\": 8, \"first_k_dense_replace\": §5}", "contradiction",
     "above 'num_hidden_layers'"},
    {"{\"model_type\": \"gpt_oss\",\n" SHAPE
     ", \"num_attention_heads\": 4, \"num_local_experts\": 2, \"num_experts_per_tok\": 1, \"sliding_window\": 8, "
     "\"layer_types\": [\"full_attention\", \"full_attention\", §\"sliding_attention\", \"full_attention\"]}",
     "unsupported", "layer 3 breaks"},
    {"{\"model_type\": \"gpt_oss\",\n" SHAPE
     ", \"num_attention_heads\": 4, \"num_local_experts\": 2, \"num_experts_per_tok\": §3}",
     "contradiction", "3 experts of 2"},
    {"{\"model_type\": \"gpt_oss\",\n" SHAPE
     ", \"num_attention_heads\": 4, \"num_local_experts\": 2, \"num_experts_per_tok\": 1, \"sliding_window\": 8, "
     "§\"layer_types\": [\"full_attention\"]}",
     "contradiction", "has 1 entries for 4 layers"},
    {"{\"model_type\": \"qwen2\", \"use_sliding_window\": true, \"sliding_window\": 8, \"max_window_layers\": "
     "§2, \"num_attention_heads\": 4,\n" SHAPE "}",
     "unsupported", "is 2 of 4 layers"},
    {"{\"model_type\": \"qwen3_moe\", \"num_attention_heads\": 4, \"num_experts\": 4, \"num_experts_per_tok\": 2, "
     "\"moe_intermediate_size\": 8, §\"mlp_only_layers\": [0],\n" SHAPE "}",
     "unsupported", "names layers without experts"},
};

std::vector<Diagnostic> mistakes(const std::string& text) {
  try {
    import_model_text(text, "m/config.json", "");
  } catch (const ScenarioError& error) {
    return error.diagnostics();
  }
  return {};
}

}  // namespace

TEST_CASE("what is wrong in a config.json is told with its place and the key") {
  for (const WrongConfig& wrong : wrong_configs) {
    CAPTURE(std::string(wrong.text));
    const Expected place = expected(wrong.text);
    const std::vector<Diagnostic> found = mistakes(place.text);
    REQUIRE(found.size() == 1);
    CAPTURE(diagnostic_text(found[0]));
    CHECK(found[0].code == wrong.code);
    CHECK(found[0].message.find(wrong.message) != std::string::npos);
    CHECK(found[0].file == "m/config.json");
    if (wrong.text == "§") continue;  // of an empty file there is no line to show
    CHECK(found[0].line == place.line);
    CHECK(found[0].column == place.column);
  }
}

TEST_CASE("all mistakes of a config.json are told at once, and an unknown architecture says what is known") {
  CHECK(mistakes("{\"model_type\": \"llama\", \"num_hidden_layers\": 0, \"hidden_size\": \"x\", \"vocab_size\": -1}")
            .size() == 6);
  const std::vector<Diagnostic> unknown = mistakes("{\"model_type\": \"mamba2\"}");
  REQUIRE(unknown.size() == 1);
  for (const char* type : {"llama", "deepseek_v3", "gemma3_text", "gpt_oss", "qwen3_next"})
    CHECK(unknown[0].help.find(type) != std::string::npos);
}

TEST_CASE("a config.json that means harm ends in a message within a second") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(mistakes("{\"a\": " + std::string(200, '[') + std::string(200, ']') + "}").front().code == "too-deep");
  CHECK_FALSE(mistakes("{\"a\": " + std::string(100000, '[') + "}").empty());
  CHECK(mistakes("{\"a\": " + std::string(2 * largest_config, ' ') + "}").front().code == "too-large");
  CHECK(mistakes(std::string("{\"a\": \0}", 9)).front().code == "syntax");
  CHECK_FALSE(mistakes("\x7f"
                       "ELF\x02\x01")
                  .empty());
  CHECK_FALSE(mistakes("{\"model_type\": \"llama\", \"x\": &a [*a]}").empty());
  CHECK_FALSE(mistakes("{\"model_type\": \"ll\\u0000ama\"}").empty());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
  const Folder folder;
  CHECK_THROWS_AS(import_model(folder.path(), ""), UnreadableFile);
  CHECK_THROWS_AS(import_model(folder.path() / "config.json", ""), UnreadableFile);
}

TEST_CASE("a config.json with random damage is read or ends in messages") {
  const std::string whole = DEEPSEEK
      ", \"v_head_dim\": 8, \"qk_nope_head_dim\": 8, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4, "
      "\"original_max_position_embeddings\": 16}, \"quantization_config\": {\"quant_method\": \"fp8\"}}";
  std::mt19937_64 random(17);
  int read = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = damaged(whole, ":{}[],\"0919-.e \n\\nx\xc3", random);
    CAPTURE(text);
    try {
      const ImportedModel imported = import_model_text(text, "config.json", "m");
      ++read;
      REQUIRE(imported.model.parameters > 0);
      REQUIRE_FALSE(imported.text.empty());
    } catch (const ScenarioError& error) {
      REQUIRE_FALSE(diagnostics_text(error.diagnostics()).empty());
    }
  }
  CHECK(read > 100);
}

}  // namespace decodesim::tests
