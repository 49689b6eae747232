#include "sim/scenario/model_import/model_family.hpp"

#include <algorithm>

namespace decodesim {

namespace {

using enum AttentionKind;
constexpr BiasKind no_bias = BiasKind::none;
constexpr ExpertKind dense = ExpertKind::none;

// What the files' own classes in transformers (4.57) take for keys that are left out: google/gemma-3-27b-it has neither
// vocabulary nor context length, Qwen3-Next-80B no list of layers.
constexpr std::array<KeyDefault, 9> gemma3_defaults{{{"vocab_size", 262'208},
                                                     {"max_position_embeddings", 131'072},
                                                     {"num_attention_heads", 8},
                                                     {"num_key_value_heads", 4},
                                                     {"head_dim", 256},
                                                     {"sliding_window", 4096},
                                                     {"sliding_window_pattern", 6}}};
constexpr std::array<KeyDefault, 9> hybrid_defaults{{{"head_dim", 256},
                                                     {"full_attention_interval", 4},
                                                     {"linear_num_key_heads", 16},
                                                     {"linear_num_value_heads", 32},
                                                     {"linear_key_head_dim", 128},
                                                     {"linear_value_head_dim", 128},
                                                     {"linear_conv_kernel_dim", 4}}};
constexpr std::array<KeyDefault, 9> gpt_oss_defaults{{{"sliding_window_pattern", 2}, {"attention_bias", 1}}};
constexpr std::array<KeyDefault, 9> mistral_defaults{{{"sliding_window", 4096}}};
constexpr std::array<KeyDefault, 9> deepseek_v2_defaults{{{"first_k_dense_replace", 0}}};
constexpr std::array<KeyDefault, 9> deepseek_v3_defaults{{{"first_k_dense_replace", 3}}};

constexpr ModelFamily qwen2(std::string_view model_type, std::string_view architecture) {
  return {model_type, architecture, grouped, dense, BiasKind::qkv, WindowKind::asked};
}
constexpr ModelFamily qwen3(std::string_view model_type, std::string_view architecture, ExpertKind experts) {
  return {model_type, architecture, grouped, experts, BiasKind::asked, WindowKind::asked, 2, true};
}
constexpr ModelFamily qwen_hybrid(std::string_view model_type, std::string_view architecture, ExpertKind experts) {
  return {model_type, architecture, hybrid, experts,        BiasKind::asked, WindowKind::none,
          2,          true,         false,  hybrid_defaults};
}
constexpr ModelFamily deepseek(std::string_view model_type, std::string_view architecture,
                               const std::array<KeyDefault, 9>& defaults) {
  return {model_type, architecture, latent,  ExpertKind::deepseek, BiasKind::asked, WindowKind::none, 2,
          false,      false,        defaults};
}

constexpr ModelFamily families[] = {
    {"llama", "LlamaForCausalLM", grouped, dense, BiasKind::asked},
    {"mistral", "MistralForCausalLM", grouped, dense, no_bias, WindowKind::stated, 2, false, false, mistral_defaults},
    {"mixtral", "MixtralForCausalLM", grouped, ExpertKind::local, no_bias, WindowKind::stated},
    qwen2("qwen2", "Qwen2ForCausalLM"),
    qwen3("qwen3", "Qwen3ForCausalLM", dense),
    qwen3("qwen3_moe", "Qwen3MoeForCausalLM", ExpertKind::qwen),
    deepseek("deepseek_v2", "DeepseekV2ForCausalLM", deepseek_v2_defaults),
    deepseek("deepseek_v3", "DeepseekV3ForCausalLM", deepseek_v3_defaults),
    {"gemma3_text", "Gemma3ForCausalLM", grouped, dense, BiasKind::asked, WindowKind::pattern, 4, true, true,
     gemma3_defaults},
    {"gpt_oss", "GptOssForCausalLM", grouped, ExpertKind::local, BiasKind::asked, WindowKind::pattern, 2, false, false,
     gpt_oss_defaults},
    {"phi3", "Phi3ForCausalLM", grouped, dense, no_bias, WindowKind::stated},
    qwen_hybrid("qwen3_next", "Qwen3NextForCausalLM", ExpertKind::qwen),
    qwen_hybrid("qwen3_5_text", "Qwen3_5ForCausalLM", dense),
    qwen_hybrid("qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", ExpertKind::qwen),
    // The same shapes below a vision tower, and under names of their own.
    qwen2("qwen2_vl", "Qwen2VLForConditionalGeneration"),
    qwen2("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration"),
    qwen2("qwen2_5_vl_text", ""),
    qwen3("qwen3_vl_text", "", dense),
    qwen3("qwen3_vl_moe_text", "", ExpertKind::qwen),
    deepseek("kimi_k2", "", deepseek_v3_defaults),
};

}  // namespace

std::optional<int> ModelFamily::default_of(std::string_view key) const {
  const auto found = std::find_if(defaults.begin(), defaults.end(),
                                  [key](const KeyDefault& known) { return !known.key.empty() && known.key == key; });
  return found == defaults.end() ? std::nullopt : std::optional(found->value);
}

std::span<const ModelFamily> model_families() { return families; }

const ModelFamily* family_of_type(std::string_view model_type) {
  const auto found = std::find_if(std::begin(families), std::end(families),
                                  [&](const ModelFamily& family) { return family.model_type == model_type; });
  return found == std::end(families) ? nullptr : found;
}

const ModelFamily* family_of_architecture(std::string_view architecture) {
  if (architecture.empty()) return nullptr;
  const auto found = std::find_if(std::begin(families), std::end(families),
                                  [&](const ModelFamily& family) { return family.architecture == architecture; });
  return found == std::end(families) ? nullptr : found;
}

}  // namespace decodesim
