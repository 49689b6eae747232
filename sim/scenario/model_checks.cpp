#include "sim/scenario/model_checks.hpp"

#include <string_view>
#include <utility>

namespace decodesim {

namespace {

class ModelChecks {
 public:
  ModelChecks(Reading& reading, const DocumentNode& tree, const std::string& path, const ModelSpec& model)
      : reading_(reading), tree_(tree), path_(path), model_(model) {}

  void all() {
    heads("kv_heads", model_.kv_heads);
    if (model_.window.kv_heads > 0) heads("window.kv_heads", model_.window.kv_heads);
    parameters();
    layers_without_effect();
    kinds_of_layers();
  }

 private:
  void error(std::string_view key, std::string code, std::string message, std::string help) {
    reading_.error(place_of(tree_, path_ + "." + std::string(key)), std::move(code), std::move(message),
                   std::move(help));
  }

  [[nodiscard]] std::string named(std::string_view key) const { return "'" + path_ + "." + std::string(key) + "'"; }

  void heads(std::string_view key, int kv_heads) {
    if (kv_heads <= model_.heads && model_.heads % kv_heads == 0) return;
    error(key, "out-of-range",
          named(key) + " is " + std::to_string(kv_heads) + ", but " + named("heads") + " is " +
              std::to_string(model_.heads),
          "query heads share KV heads in groups of one size: choose a divisor of " + named("heads"));
  }

  void parameters() {
    if (model_.active_parameters > model_.parameters) {
      error("active_parameters", "out-of-range", named("active_parameters") + " is above " + named("parameters"),
            "the active ones are among all of them");
    }
    if (model_.moe.experts > 0 && model_.moe.active > model_.moe.experts) {
      error("moe.active", "out-of-range", named("moe.active") + " is above " + named("moe.experts"),
            "a token uses some of the experts");
    }
    if (model_.moe.dense_layers > model_.layers) {
      error("moe.dense_layers", "out-of-range", named("moe.dense_layers") + " is above " + named("layers"),
            "the dense layers are among all of them");
    }
  }

  void layers_without_effect() {
    if (model_.has_windows() && model_.window.global_every == 1) {
      error("window.global_every", "no-effect",
            named("window") + " has no effect where every layer sees the whole context", "remove it");
    }
    if (model_.linear.full_every == 1) {
      error("linear.full_every", "no-effect", named("linear") + " has no effect where every layer is full attention",
            "remove it");
    }
    if (model_.has_latent_cache() && (model_.window.kv_heads > 0 || model_.window.head_dim > 0)) {
      error("window", "no-effect",
            named("window.kv_heads") + " and " + named("window.head_dim") + " have no effect where " + named("mla") +
                " is cached",
            "remove them");
    }
  }

  void kinds_of_layers() {
    if (model_.has_windows() && model_.has_states()) {
      error("linear", "contradiction", named("linear") + " and " + named("window") + " exclude each other",
            "the layers that are not full attention either keep a state or see a window: keep one of them");
    }
    if (model_.reads_best() && (!model_.has_latent_cache() || model_.has_states() || model_.has_windows() ||
                                model_.mla.cached_as != LatentCache::compact)) {
      error("sparse", "contradiction", named("sparse") + " is known for latent attention in every layer alone",
            "state " + named("mla") + ", cached as it is, without " + named("window") + " and " + named("linear"));
    }
    if (model_.linear.full_every > model_.layers) {
      error("linear.full_every", "out-of-range", named("linear.full_every") + " is above " + named("layers"),
            "a model without a layer of full attention has no cache to plan");
    }
  }

  Reading& reading_;
  const DocumentNode& tree_;
  const std::string& path_;
  const ModelSpec& model_;
};

}  // namespace

void check_model(Reading& reading, const DocumentNode& tree, const std::string& path, const ModelSpec& model) {
  ModelChecks(reading, tree, path, model).all();
}

}  // namespace decodesim
