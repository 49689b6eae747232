#include "sim/scenario/model_import/model_shape.hpp"

#include <cmath>

#include "sim/model/model_fields.hpp"
#include "sim/scenario/model_import/layer_types.hpp"

namespace decodesim {

namespace {

constexpr Range heads_range = from_to(1, most_heads);
constexpr Range width_range = from_to(1, widest_layer);
constexpr Range layers_range = from_to(1, most_layers);
constexpr Range some_layers = from_to(0, most_layers);

class ShapeReader {
 public:
  ShapeReader(const ModelFamily& family, ConfigKeys& keys, ConfigKeys& root)
      : family_(family), keys_(keys), root_(root) {}

  ModelShape read() {
    spec().layers = needed("layers", "num_hidden_layers", layers_range);
    spec().hidden_size = needed("hidden_size", "hidden_size", width_range);
    spec().heads = needed("heads", "num_attention_heads", heads_range);
    kv_heads();
    if (family_.attention == AttentionKind::latent) {
      latent();
    } else {
      head_dim();
    }
    spec().vocab_size = needed("vocab_size", "vocab_size", from_to(1, 1e9));
    tables();
    max_model_len();
    biases();
    windows();
    if (family_.attention == AttentionKind::hybrid) hybrid();
    if (family_.experts != ExpertKind::none) {
      experts();
    } else {
      spec().intermediate_size = needed("intermediate_size", "intermediate_size", width_range);
    }
    draft();
    return std::move(shape_);
  }

 private:
  ModelSpec& spec() { return shape_.spec; }

  void origin(std::string field, std::string words) {
    if (!field.empty()) shape_.origins.emplace_back(std::move(field), std::move(words));
  }
  [[nodiscard]] std::string default_words(std::string_view key) const {
    return "no '" + keys_.name(key) + "': what " + std::string(family_.model_type) + " takes then";
  }

  // A number of the file, or the class's own default of it. An empty field is one that no line of the result shows.
  std::optional<int> given(const std::string& field, std::string_view key, const Range& range) {
    if (keys_.has(key)) {
      origin(field, keys_.name(key));
      return keys_.whole(key, range);
    }
    const std::optional<int> value = family_.default_of(key);
    if (value) origin(field, default_words(key));
    return value;
  }
  int needed(const std::string& field, std::string_view key, const Range& range) {
    const std::optional<int> value = given(field, key, range);
    if (!value && !keys_.has(key)) keys_.missing(key);
    return value.value_or(0);
  }
  bool flag(std::string_view key) { return keys_.flag(key).value_or(family_.default_of(key).value_or(0) != 0); }

  void kv_heads() {
    const std::optional<int> stated = given("kv_heads", "num_key_value_heads", heads_range);
    spec().kv_heads = stated.value_or(spec().heads);
    if (!stated && !keys_.has("num_key_value_heads"))
      origin("kv_heads", keys_.name("num_attention_heads") + ": there is no 'num_key_value_heads'");
    if (spec().kv_heads < 1 || spec().heads < 1 || spec().heads % spec().kv_heads == 0) return;
    keys_.error(keys_.has("num_key_value_heads") ? "num_key_value_heads" : "num_attention_heads", "contradiction",
                "'" + keys_.name("num_key_value_heads") + "' is " + std::to_string(spec().kv_heads) + ", but '" +
                    keys_.name("num_attention_heads") + "' is " + std::to_string(spec().heads),
                "query heads share KV heads in groups of one size");
  }

  void head_dim() {
    if (const std::optional<int> stated = given("head_dim", "head_dim", heads_range)) {
      spec().head_dim = *stated;
    } else if (!keys_.has("head_dim") && spec().heads > 0 && spec().hidden_size > 0) {
      origin("head_dim", keys_.name("hidden_size") + " / num_attention_heads");
      spec().head_dim = spec().hidden_size / spec().heads;
      if (spec().hidden_size % spec().heads == 0) return;
      keys_.error("hidden_size", "contradiction",
                  "'" + keys_.name("hidden_size") + "' is no multiple of '" + keys_.name("num_attention_heads") +
                      "', and there is no 'head_dim'");
    }
  }

  void latent() {
    spec().mla.kv_lora_rank = needed("mla.kv_lora_rank", "kv_lora_rank", heads_range);
    spec().mla.rope_head_dim = needed("mla.rope_head_dim", "qk_rope_head_dim", from_to(0, most_heads));
    spec().head_dim = needed("head_dim", "v_head_dim", heads_range);
    shape_.q_lora_rank = given("", "q_lora_rank", width_range).value_or(0);
    const int keys = needed("", "qk_nope_head_dim", heads_range);
    if (keys == spec().head_dim || keys == 0 || spec().head_dim == 0) return;
    keys_.error("qk_nope_head_dim", "unsupported",
                "'" + keys_.name("qk_nope_head_dim") + "' is " + std::to_string(keys) + " and 'v_head_dim' " +
                    std::to_string(spec().head_dim) + ": a model here has one size of head for keys and values");
  }

  void tables() {
    // Files with a text_config state it there, at the top, or in both places.
    ConfigKeys& holder = keys_.has("tie_word_embeddings") ? keys_ : root_;
    const std::optional<bool> stated = holder.flag("tie_word_embeddings");
    spec().tied_embeddings = stated.value_or(family_.tied);
    origin("tied_embeddings", stated ? holder.name("tie_word_embeddings") : default_words("tie_word_embeddings"));
  }

  // YaRN stretches the context that the model was made for; servers multiply the two, whatever the key beside says.
  void max_model_len() {
    spec().max_model_len = Tokens(needed("max_model_len", "max_position_embeddings", from_to(2, longest_context)));
    const char* key = keys_.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
    const DocumentNode* node = keys_.find(key);
    if (node == nullptr || node->shape != DocumentNode::Shape::map) return;
    ConfigKeys rope = keys_.inside(key);
    const auto kind = rope.has("rope_type") ? rope.text("rope_type") : rope.text("type");
    if (kind != "yarn") return;
    const std::optional<double> factor = rope.number("factor");
    const auto original = rope.whole("original_max_position_embeddings", from_to(1, longest_context));
    if (!factor || !original) return;
    const double stretched = std::floor(*factor * *original);
    if (!(stretched >= 2 && stretched <= longest_context)) {
      rope.error("factor", "out-of-range", "'" + rope.name("factor") + "' stretches the context beyond any model's");
      return;
    }
    if (stretched == static_cast<double>(spec().max_model_len.value())) return;
    spec().max_model_len = Tokens(static_cast<std::int64_t>(stretched));
    shape_.origins.back().second = rope.name("factor") + " x original_max_position_embeddings: YaRN is turned on";
  }

  void biases() {
    const bool asked = family_.biases == BiasKind::asked && flag("attention_bias");
    shape_.qkv_bias = asked || family_.biases == BiasKind::qkv;
    shape_.output_bias = asked;
    if (family_.model_type == "llama") shape_.feed_forward_bias = flag("mlp_bias");
    if (family_.model_type == "gpt_oss") shape_.feed_forward_bias = shape_.router_bias = true;
  }

  void windows() {
    if (family_.windows == WindowKind::none || spec().layers == 0) return;
    if (family_.windows == WindowKind::asked && !flag("use_sliding_window")) return;
    const std::optional<int> size = given("", "sliding_window", from_to(1, longest_context));
    // A class's default counts where the key is not there at all; null says that there is no window.
    if (!size || keys_.is_null("sliding_window")) return;
    const std::string words =
        keys_.has("sliding_window") ? keys_.name("sliding_window") : default_words("sliding_window");
    if (Tokens(*size) >= spec().max_model_len) return;  // it hides nothing
    std::string from;
    const std::optional<int> every = window_pattern(from);
    if (!every || *every == 1) return;
    spec().window.size = Tokens(*size);
    spec().window.global_every = *every;
    origin("window.size", words);
    origin("window.global_every", from);
  }

  // Every n-th layer sees everything; 0: none does, 1: all do.
  std::optional<int> window_pattern(std::string& from) {
    if (keys_.has("layer_types")) {
      from = keys_.name("layer_types");
      return full_every(keys_, spec().layers, "sliding_attention");
    }
    from = "all layers have the window";
    if (family_.windows == WindowKind::stated) return 0;
    if (family_.windows == WindowKind::pattern) {
      const char* key = keys_.has("_sliding_window_pattern") ? "_sliding_window_pattern" : "sliding_window_pattern";
      from = keys_.has(key) ? keys_.name(key) : default_words("layer_types");
      return given("", key, layers_range);
    }
    const int full = needed("", "max_window_layers", some_layers);
    if (full == 0) return 0;
    if (full >= spec().layers) return 1;
    keys_.error("max_window_layers", "unsupported",
                "'" + keys_.name("max_window_layers") + "' is " + std::to_string(full) + " of " +
                    std::to_string(spec().layers) +
                    " layers: a model here has windows in all layers or in all but every n-th");
    return std::nullopt;
  }

  void hybrid() {
    DeltaNetShape& delta = shape_.delta;
    delta.key_heads = needed("", "linear_num_key_heads", heads_range);
    delta.value_heads = needed("", "linear_num_value_heads", heads_range);
    delta.key_dim = needed("", "linear_key_head_dim", heads_range);
    delta.value_dim = needed("", "linear_value_head_dim", heads_range);
    delta.kernel = needed("", "linear_conv_kernel_dim", from_to(1, 1000));
    if (keys_.flag("attn_output_gate") == false)
      keys_.error("attn_output_gate", "unsupported", "layers of full attention without a gate are not counted");
    if (spec().layers == 0) return;
    const bool listed = keys_.has("layer_types");
    const std::optional<int> every = listed ? full_every(keys_, spec().layers, "linear_attention")
                                            : given("linear.full_every", "full_attention_interval", layers_range);
    if (listed) origin("linear.full_every", keys_.name("layer_types"));
    if (!every || *every == 1) return;
    if (*every == 0 || *every > spec().layers) {
      keys_.error(listed ? "layer_types" : "full_attention_interval", "unsupported",
                  "no layer is of full attention: a model without one has no cache to plan");
      return;
    }
    spec().linear.full_every = *every;
    state_bytes(delta);
  }

  void state_bytes(const DeltaNetShape& delta) {
    double value_bytes = 4;
    std::string words = "of 32 bits";
    if (const auto type = keys_.text("mamba_ssm_dtype"); type && *type != "float32") {
      value_bytes = 2;
      words = "of 16 bits";
      if (*type != "bfloat16" && *type != "float16")
        keys_.error("mamba_ssm_dtype", "unsupported", "'" + keys_.name("mamba_ssm_dtype") + "' is '" + *type + "'",
                    "float32, bfloat16 and float16 are known");
    }
    const double matrix = delta.values() * delta.key_dim * value_bytes;
    // The convolution remembers the inputs of the tokens before, in the model's own 16 bits.
    spec().linear.state = Bytes(matrix + (delta.kernel - 1) * delta.channels() * 2);
    origin("linear.state",
           "linear_* heads: value heads x key x value dimensions " + words + ", and inputs of the convolution of 16");
  }

  void experts() {
    MoeSpec& moe = spec().moe;
    const bool deepseek = family_.experts == ExpertKind::deepseek;
    const bool local = family_.experts == ExpertKind::local;
    moe.experts = needed("moe.experts",
                         local      ? "num_local_experts"
                         : deepseek ? "n_routed_experts"
                                    : "num_experts",
                         heads_range);
    const bool other_name = !keys_.has("num_experts_per_tok") && keys_.has("experts_per_token");
    const char* active = other_name ? "experts_per_token" : "num_experts_per_tok";
    moe.active = needed("moe.active", active, heads_range);
    moe.intermediate_size =
        needed("moe.intermediate_size", local ? "intermediate_size" : "moe_intermediate_size", width_range);
    if (!local && keys_.has("intermediate_size")) {
      spec().intermediate_size = needed("intermediate_size", "intermediate_size", width_range);
    } else {
      spec().intermediate_size = moe.intermediate_size;
      origin("intermediate_size", "of one expert; there are no dense layers");
    }
    if (deepseek) deepseek_layers();
    if (family_.experts == ExpertKind::qwen) qwen_layers();
    if (moe.active > moe.experts && moe.experts > 0)
      keys_.error(active, "contradiction",
                  "a token uses " + std::to_string(moe.active) + " experts of " + std::to_string(moe.experts));
  }

  void deepseek_layers() {
    MoeSpec& moe = spec().moe;
    moe.shared = given("moe.shared", "n_shared_experts", from_to(0, most_heads)).value_or(0);
    moe.dense_layers = given("moe.dense_layers", "first_k_dense_replace", some_layers).value_or(0);
    shape_.shared_width = static_cast<double>(moe.shared) * moe.intermediate_size;
    const std::optional<std::string> method = keys_.text("topk_method");
    shape_.router_bias = method ? *method == "noaux_tc" : family_.model_type != "deepseek_v2";
    refuse_unless("moe_layer_freq", 1, "experts in every layer behind the dense ones");
    if (moe.dense_layers > spec().layers)
      keys_.error("first_k_dense_replace", "contradiction",
                  "'" + keys_.name("first_k_dense_replace") + "' is above 'num_hidden_layers'");
    if (moe.dense_layers > 0 && !keys_.has("intermediate_size")) keys_.missing("intermediate_size");
  }

  void qwen_layers() {
    MoeSpec& moe = spec().moe;
    refuse_unless("decoder_sparse_step", 1, "experts in every layer");
    if (const DocumentNode* dense = keys_.find("mlp_only_layers"); dense != nullptr && !dense->items.empty())
      keys_.error("mlp_only_layers", "unsupported",
                  "'" + keys_.name("mlp_only_layers") +
                      "' names layers without experts: a model here has experts in "
                      "every layer");
    const int width = given("", "shared_expert_intermediate_size", from_to(0, widest_layer)).value_or(0);
    if (width == 0 || moe.intermediate_size == 0) return;
    if (width % moe.intermediate_size != 0) {
      keys_.error("shared_expert_intermediate_size", "unsupported",
                  "'" + keys_.name("shared_expert_intermediate_size") + "' is no multiple of 'moe_intermediate_size'",
                  "a model here has shared experts as wide as the others");
      return;
    }
    shape_.shared_width = width;
    moe.shared = width / moe.intermediate_size;
    origin("moe.shared", keys_.name("shared_expert_intermediate_size") + " / moe_intermediate_size");
  }

  void refuse_unless(std::string_view key, int value, const std::string& what) {
    const std::optional<int> stated = keys_.whole(key, some_layers);
    if (!stated || *stated == value) return;
    keys_.error(key, "unsupported",
                "'" + keys_.name(key) + "' is " + std::to_string(*stated) + ": a model here has " + what);
  }

  void draft() {
    for (const char* key : {"num_nextn_predict_layers", "mtp_num_hidden_layers"}) {
      const int layers = keys_.whole(key, some_layers).value_or(0);
      if (layers == 0) continue;
      keys_.warn(key, "draft-head",
                 "'" + keys_.name(key) + "' is " + std::to_string(layers) +
                     ": the draft head is left out, of the parameters too",
                 "add 'draft_layers: " + std::to_string(layers) + "' where the server drafts with it");
    }
  }

  const ModelFamily& family_;
  ConfigKeys& keys_;
  ConfigKeys& root_;
  ModelShape shape_;
};

}  // namespace

ModelShape read_model_shape(const ModelFamily& family, ConfigKeys& keys, ConfigKeys& root) {
  return ShapeReader(family, keys, root).read();
}

}  // namespace decodesim
