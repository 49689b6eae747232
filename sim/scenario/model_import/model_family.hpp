#pragma once
// Architectures that can be imported, by the `model_type` of their config.json: where each keeps what, and what it has.

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace decodesim {

/// grouped: queries, keys and values of heads, MHA to MQA. latent: DeepSeek's. hybrid: most layers are gated delta nets
/// with a state, the others have a gate beside their queries.
enum class AttentionKind { grouped, latent, hybrid };

/// Who has experts, and under which keys: none; `num_local_experts` as wide as `intermediate_size` (Mixtral, gpt-oss);
/// `num_experts` and `moe_intermediate_size` (Qwen); `n_routed_experts` behind dense layers (DeepSeek).
enum class ExpertKind { none, local, qwen, deepseek };

/// Biases of the projections: none; of queries, keys and values (Qwen2); of all four where `attention_bias` says so.
enum class BiasKind { none, qkv, asked };

/// Which layers have a window: none ever; all where `sliding_window` is stated; those that `use_sliding_window` and
/// `max_window_layers` say; all but every n-th.
enum class WindowKind { none, stated, asked, pattern };

/// What the architecture's own class takes for a key that its files leave out.
struct KeyDefault {
  std::string_view key;
  int value = 0;
};

struct ModelFamily {
  std::string_view model_type;
  std::string_view architecture;  // as `architectures` names the class with an output layer
  AttentionKind attention = AttentionKind::grouped;
  ExpertKind experts = ExpertKind::none;
  BiasKind biases = BiasKind::none;
  WindowKind windows = WindowKind::none;
  int norms = 2;            // of a layer, as wide as the model
  bool head_norms = false;  // of queries and keys
  bool tied = false;
  std::array<KeyDefault, 9> defaults{};

  [[nodiscard]] std::optional<int> default_of(std::string_view key) const;
};

/// All of them, those that are most asked for first.
std::span<const ModelFamily> model_families();

/// The family of a `model_type`, or of a class in `architectures`; null where there is none.
const ModelFamily* family_of_type(std::string_view model_type);
const ModelFamily* family_of_architecture(std::string_view architecture);

}  // namespace decodesim
