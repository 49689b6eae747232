// Published shapes: what is read from a config.json is the catalog's entry, field by field. The texts hold the keys that
// matter, with the values of the file that the entry names.

#include "sim/scenario/model_import/model_import.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "sim/model/model_fields.hpp"
#include "sim/scenario/catalog_entry.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

namespace {

struct Published {
  const char* entry;  // of the catalog
  std::string text;
};

std::string grouped_heads(int layers, int hidden, int heads, int kv_heads, int inner, int vocab, int context) {
  return "\"num_hidden_layers\": " + std::to_string(layers) + ", \"hidden_size\": " + std::to_string(hidden) +
         ", \"num_attention_heads\": " + std::to_string(heads) +
         ", \"num_key_value_heads\": " + std::to_string(kv_heads) +
         ", \"intermediate_size\": " + std::to_string(inner) + ", \"vocab_size\": " + std::to_string(vocab) +
         ", \"max_position_embeddings\": " + std::to_string(context);
}

std::string llama(int layers, int hidden, int heads, int kv_heads, int inner, int vocab, int context) {
  return "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", \"tie_word_embeddings\": false, " +
         grouped_heads(layers, hidden, heads, kv_heads, inner, vocab, context) + "}";
}

const std::string yarn_40 =
    "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 40, \"original_max_position_embeddings\": 4096}";

std::string alternating(int layers) {
  std::string list = "\"layer_types\": [";
  for (int i = 0; i < layers; ++i)
    list += std::string(i > 0 ? ", " : "") + (i % 2 == 0 ? "\"sliding_attention\"" : "\"full_attention\"");
  return list + "]";
}

const std::vector<Published>& published() {
  static const std::vector<Published> models{
      {"llama-2-13b", llama(40, 5120, 40, 40, 13824, 32000, 4096)},
      {"llama-2-70b", llama(80, 8192, 64, 8, 28672, 32000, 4096)},
      {"llama-3-8b", llama(32, 4096, 32, 8, 14336, 128256, 8192)},
      {"llama-3.1-8b", llama(32, 4096, 32, 8, 14336, 128256, 131072)},
      {"llama-3.1-70b", llama(80, 8192, 64, 8, 28672, 128256, 131072)},
      {"llama-3.1-405b", llama(126, 16384, 128, 8, 53248, 128256, 131072)},
      {"deepseek-67b", llama(95, 8192, 64, 8, 22016, 102400, 4096)},
      {"mistral-7b", "{\"model_type\": \"mistral\", \"sliding_window\": 4096, " +
                         grouped_heads(32, 4096, 32, 8, 14336, 32000, 32768) + "}"},
      {"mixtral-8x7b",
       "{\"model_type\": \"mixtral\", \"sliding_window\": null, \"num_local_experts\": 8, \"num_experts_per_tok\": "
       "2, " +
           grouped_heads(32, 4096, 32, 8, 14336, 32000, 32768) + "}"},
      {"qwen2.5-72b",
       "{\"model_type\": \"qwen2\", \"use_sliding_window\": false, \"sliding_window\": 131072, \"max_window_layers\": "
       "70, " +
           grouped_heads(80, 8192, 64, 8, 29568, 152064, 32768) + "}"},
      {"qwen3-32b",
       "{\"model_type\": \"qwen3\", \"head_dim\": 128, \"attention_bias\": false, \"use_sliding_window\": false, " +
           grouped_heads(64, 5120, 64, 8, 25600, 151936, 40960) + "}"},
      {"qwen3-235b",
       "{\"model_type\": \"qwen3_moe\", \"head_dim\": 128, \"num_experts\": 128, \"num_experts_per_tok\": 8, "
       "\"moe_intermediate_size\": 1536, \"decoder_sparse_step\": 1, \"mlp_only_layers\": [], " +
           grouped_heads(94, 4096, 64, 4, 12288, 151936, 40960) + "}"},
      {"deepseek-v2",
       "{\"model_type\": \"deepseek_v2\", \"n_routed_experts\": 160, \"num_experts_per_tok\": 6, \"n_shared_experts\": "
       "2, \"moe_intermediate_size\": 1536, \"first_k_dense_replace\": 1, \"moe_layer_freq\": 1, \"topk_method\": "
       "\"group_limited_greedy\", \"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, "
       "\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, " +
           yarn_40 + ", " + grouped_heads(60, 5120, 128, 128, 12288, 102400, 163840) + "}"},
      {"deepseek-v3",
       "{\"model_type\": \"deepseek_v3\", \"n_routed_experts\": 256, \"num_experts_per_tok\": 8, \"n_shared_experts\": "
       "1, \"moe_intermediate_size\": 2048, \"first_k_dense_replace\": 3, \"topk_method\": \"noaux_tc\", "
       "\"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
       "\"v_head_dim\": 128, \"num_nextn_predict_layers\": 1, \"quantization_config\": {\"quant_method\": \"fp8\"}, " +
           yarn_40 + ", " + grouped_heads(61, 7168, 128, 128, 18432, 129280, 163840) + "}"},
      // Neither vocabulary nor context stand in the file, nor that one of six layers is global.
      {"gemma-3-27b",
       "{\"model_type\": \"gemma3\", \"text_config\": {\"model_type\": \"gemma3_text\", \"head_dim\": 128, "
       "\"hidden_size\": 5376, \"intermediate_size\": 21504, \"num_attention_heads\": 32, \"num_hidden_layers\": 62, "
       "\"num_key_value_heads\": 16, \"rope_scaling\": {\"factor\": 8.0, \"rope_type\": \"linear\"}, "
       "\"sliding_window\": 1024}, \"vision_config\": {\"model_type\": \"siglip_vision_model\", \"hidden_size\": 1152, "
       "\"image_size\": 896, \"intermediate_size\": 4304, \"num_hidden_layers\": 27, \"patch_size\": 14}}"},
      {"gpt-oss-120b",
       "{\"model_type\": \"gpt_oss\", \"attention_bias\": true, \"head_dim\": 64, \"num_local_experts\": 128, "
       "\"experts_per_token\": 4, \"sliding_window\": 128, \"quantization_config\": {\"quant_method\": \"mxfp4\"}, " +
           alternating(36) + ", " + grouped_heads(36, 2880, 64, 8, 2880, 201088, 131072) + "}"},
  };
  return models;
}

ImportedModel import_text(const std::string& text) { return import_model_text(text, "some-model/config.json", ""); }

/// Half of the last of four digits.
double rounding(double number) { return std::pow(10, std::floor(std::log10(number)) - 3) / 2; }

std::string without_parameters(ModelSpec spec) {
  spec.name.clear();
  spec.parameters = spec.active_parameters = 0;
  return fields_text(model_fields, &spec, "");
}

std::string indented(const std::string& text) {
  std::string result = "model:\n  ";
  for (char c : text) result += c == '\n' ? "\n  " : std::string(1, c);
  return result.substr(0, result.size() - 2);
}

}  // namespace

TEST_CASE("the shape of every published model of the catalog is read from its config.json") {
  const Catalog catalog = find_catalog();
  for (const Published& model : published()) {
    CAPTURE(model.entry);
    const ModelSpec entry = load_model(catalog, model.entry);
    const ModelSpec read = import_text(model.text).model;
    CHECK(without_parameters(read) == without_parameters(entry));
    CHECK(std::abs(read.parameters - entry.parameters) <= rounding(entry.parameters));
    CHECK((read.active_parameters > 0) == (entry.active_parameters > 0));
    if (entry.active_parameters > 0)
      CHECK(std::abs(read.active_parameters - entry.active_parameters) <= rounding(entry.active_parameters));
  }
}

TEST_CASE("parameters are counted to the last one") {
  const auto parameters = [](const char* entry) {
    for (const Published& model : published()) {
      if (std::string(model.entry) == entry) return import_text(model.text).model.parameters;
    }
    return 0.0;
  };
  // The comments of the catalog's entries; for Gemma the tensors of google/gemma-3-27b-it.
  CHECK(parameters("llama-3.1-8b") == 8'030'261'248);
  CHECK(parameters("mixtral-8x7b") == 46'702'792'704);
  CHECK(parameters("qwen2.5-72b") == 72'706'203'648);
  CHECK(parameters("qwen3-32b") == 32'762'123'264);
  CHECK(parameters("qwen3-235b") == 235'093'634'560);
  CHECK(parameters("deepseek-v2") == 235'741'434'880);
  CHECK(parameters("deepseek-v3") == 671'026'419'200);
  CHECK(parameters("gpt-oss-120b") == 116'829'156'672);
  CHECK(parameters("gemma-3-27b") == 27'432'406'640);
  // microsoft/phi-4 and the language model of Mistral Small 3.1, whose cards say 14.7e9 and 24e9.
  CHECK(import_text("{\"model_type\": \"phi3\", \"sliding_window\": null, " +
                    grouped_heads(40, 5120, 40, 10, 17920, 100352, 16384) + "}")
            .model.parameters == 14'659'507'200);
  CHECK(import_text("{\"model_type\": \"mistral3\", \"text_config\": {\"model_type\": \"mistral\", \"head_dim\": 128, "
                    "\"sliding_window\": null, " +
                    grouped_heads(40, 5120, 32, 8, 32768, 131072, 131072) + "}}")
            .model.parameters == 23'572'403'200);
}

TEST_CASE("what is written loads again as the same model") {
  for (const Published& model : published()) {
    CAPTURE(model.entry);
    const ImportedModel imported = import_text(model.text);
    const ModelSpec loaded = load_one(small_scenario + indented(imported.text)).model;
    CHECK(fields_text(model_fields, &loaded, "") == fields_text(model_fields, &imported.model, ""));
    CHECK(imported.text.starts_with("# some-model, of type "));
  }
}

TEST_CASE("each line names the key that it comes from, or the default of the architecture") {
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const std::string oss = import_text(published().back().text).text;
  has(oss, "layers: 36                      # num_hidden_layers\n");
  has(oss, "  active: 4                     # experts_per_token\n");
  has(oss, "  global_every: 2               # layer_types\n");
  has(oss, "# Note: 'quantization_config' says mxfp4");
  const std::string gemma = import_text((published().end() - 2)->text).text;
  has(gemma, "heads: 32                       # text_config.num_attention_heads\n");
  has(gemma, "# no 'text_config.vocab_size': what gemma3_text takes then\n");
  for (std::size_t start = oss.find("parameters:"); start < oss.size(); start = oss.find('\n', start) + 1) {
    const std::string line = oss.substr(start, oss.find('\n', start) - start);
    CAPTURE(line);
    CHECK((line.ends_with(':') || line.find(" # ") != std::string::npos));
  }
}

TEST_CASE("heads and their size follow from others where the file leaves them out") {
  const ModelSpec model = import_text(
                              "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 512, "
                              "\"num_attention_heads\": 8, \"head_dim\": null, \"intermediate_size\": 1024, "
                              "\"vocab_size\": 100, \"max_position_embeddings\": 2048}")
                              .model;
  CHECK(model.kv_heads == 8);
  CHECK(model.head_dim == 64);
  CHECK_FALSE(model.tied_embeddings);
}

TEST_CASE("a hybrid has states of fixed size: matrices of its heads and the inputs of a convolution") {
  // Qwen/Qwen3-Next-80B-A3B-Instruct, without the keys that the class knows by itself.
  const ModelSpec next = import_text(
                             "{\"architectures\": [\"Qwen3NextForCausalLM\"], \"model_type\": \"qwen3_next\", "
                             "\"num_experts\": 512, \"num_experts_per_tok\": 10, \"moe_intermediate_size\": 512, "
                             "\"shared_expert_intermediate_size\": 512, \"linear_num_value_heads\": 32, " +
                             grouped_heads(48, 2048, 16, 2, 5120, 151936, 262144) + "}")
                             .model;
  CHECK(next.linear.full_every == 4);
  CHECK(next.linear.state == Bytes(32.0 * 128 * 128 * 4 + 3 * 8192 * 2));
  CHECK(next.head_dim == 256);
  CHECK(next.moe.shared == 1);
  CHECK(next.parameters == 79'674'391'296);  // the published checkpoint has 81.3e9 with its draft head
  // Qwen3.5 27B, a dense one in a text_config: the state that its server's log leads to.
  std::string layers;
  for (int i = 1; i <= 64; ++i)
    layers += std::string(i > 1 ? ", " : "") + (i % 4 == 0 ? "\"full_attention\"" : "\"linear_attention\"");
  const ModelSpec dense = import_text(
                              "{\"model_type\": \"qwen3_5\", \"text_config\": {\"model_type\": \"qwen3_5_text\", "
                              "\"linear_num_value_heads\": 48, \"linear_num_key_heads\": 16, \"mamba_ssm_dtype\": "
                              "\"float32\", \"layer_types\": [" +
                              layers + "], " + grouped_heads(64, 5120, 24, 4, 17408, 248320, 262144) + "}}")
                              .model;
  CHECK(dense.linear.full_every == 4);
  CHECK(dense.linear.state == Bytes(48.0 * 128 * 128 * 4 + 3 * 10240 * 2));
  CHECK(dense.parameters == 26'895'998'464);
}

TEST_CASE("windows that hide nothing, or are turned off, are none; YaRN stretches the context") {
  const std::string shape = grouped_heads(32, 3072, 24, 8, 8192, 200064, 131072);
  CHECK_FALSE(import_text("{\"model_type\": \"phi3\", \"sliding_window\": 262144, " + shape + "}").model.has_windows());
  CHECK_FALSE(
      import_text("{\"model_type\": \"mistral\", \"sliding_window\": null, " + shape + "}").model.has_windows());
  // A key that is not there is another thing than null: the class has a window of its own then.
  CHECK(import_text("{\"model_type\": \"mistral\", " + shape + "}").model.window.size == Tokens(4096));
  const ModelSpec all = import_text(
                            "{\"model_type\": \"qwen2\", \"use_sliding_window\": true, \"sliding_window\": 4096, "
                            "\"max_window_layers\": 0, " +
                            shape + "}")
                            .model;
  CHECK(all.window_layers() == 32);
  const ModelSpec longer = import_text(
                               "{\"model_type\": \"qwen2\", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": "
                               "4.0, \"original_max_position_embeddings\": 65536}, " +
                               shape + "}")
                               .model;
  CHECK(longer.max_model_len == Tokens(262144));
}

TEST_CASE("compact JSON, tabs and long lines are read as well") {
  std::string text = published().front().text;
  std::erase(text, ' ');
  CHECK(import_text(text).model.layers == 40);
  CHECK(import_text("{\n\t\"model_type\":\t\"llama\",\n\t" + grouped_heads(2, 64, 4, 4, 64, 64, 64) + "\n}\n")
            .model.layers == 2);
}

}  // namespace decodesim::tests
