// What the machine offers and what the model asks of it: bandwidth, peak, weights, bytes of KV cache.

#include "sim/hardware/peak.hpp"
#include "sim/model/explain/sections.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/weights.hpp"

namespace decodesim::explain_sections {

namespace {

/// A sum in the names of its inputs, of terms that are there.
struct Sum {
  std::string formula;
  std::vector<Figure> inputs;
  void add(const std::string& term, std::initializer_list<Figure> figures) {
    formula += (formula.empty() ? "" : " + ") + term;
    inputs.insert(inputs.end(), figures);
  }
};

bool windows_differ(const ModelSpec& model) { return model.window.kv_heads > 0 || model.window.head_dim > 0; }

void add_sequence(const Subject& subject, std::int64_t context, Section& section, Explanation& explanation) {
  const ModelSpec& model = subject.deployment.model;
  const Bytes bytes = kv_bytes_per_sequence(model, subject.deployment.precision.kv_cache, Tokens(context));
  const bool windows = model.has_windows();
  const Figure layer = explanation.figure("kv_bytes_per_token_per_layer");
  Sum sum;
  std::string label = "a sequence";
  if (windows) {
    label = "a sequence, window layers holding the window,";
    const Figure global = count("global_layers", model.full_cache_layers());
    const Figure window_layers = count("window_layers", model.window_layers());
    const Figure window = tokens("window", model.window.size.value());
    if (windows_differ(model)) {
      sum.add("global_layers x context x kv_bytes_per_token_per_layer", {global, tokens("context", context), layer});
      sum.add("window_layers x min(context, window) x kv_bytes_per_token_per_window_layer",
              {window_layers, window, explanation.figure("kv_bytes_per_token_per_window_layer")});
    } else {
      sum.add("(global_layers x context + window_layers x min(context, window)) x kv_bytes_per_token_per_layer",
              {global, tokens("context", context), window_layers, window, layer});
    }
  } else {
    sum.add("context x kv_bytes_per_token", {tokens("context", context), explanation.figure("kv_bytes_per_token")});
  }
  if (model.has_states()) {
    label = "a sequence, with its states,";
    sum.add("state_layers x layer_state",
            {count("state_layers", model.state_layers()), {"layer_state", model.linear.state.value(), Unit::bytes}});
  }
  section
      .derived(at("kv_bytes_per_sequence", context), label, bytes.value(), Unit::binary_bytes, sum.formula, sum.inputs)
      .context = context;
}

/// What a latent leaves in a layer, by the way the server keeps it.
void add_latent_layer(const ModelSpec& model, double bytes, const Figure& value_bytes, Section& section) {
  const Figure rank = count("kv_lora_rank", model.mla.kv_lora_rank);
  const Figure rope = count("rope_head_dim", model.mla.rope_head_dim);
  switch (model.mla.cached_as) {
    case LatentCache::compact:
      if (model.reads_best()) {
        section.derived(
            "kv_bytes_per_token_per_layer", "a token and layer (latent, and the indexer's key)", bytes,
            Unit::binary_bytes, "(kv_lora_rank + rope_head_dim) x bytes_per_value + index_dim",
            {rank, rope, value_bytes, {"index_dim", static_cast<double>(model.sparse.index_dim), Unit::bytes}});
        break;
      }
      section.derived("kv_bytes_per_token_per_layer", "a token and layer (latent)", bytes, Unit::binary_bytes,
                      "(kv_lora_rank + rope_head_dim) x bytes_per_value", {rank, rope, value_bytes});
      break;
    case LatentCache::aligned_256_bytes:
      section.derived("kv_bytes_per_token_per_layer", "a token and layer (latent, filled up to 256 bytes)", bytes,
                      Unit::binary_bytes,
                      "ceil((kv_lora_rank + rope_head_dim) x bytes_per_value / alignment) x alignment",
                      {rank, rope, value_bytes, {"alignment", 256, Unit::bytes}});
      break;
    case LatentCache::no_mla_kernel:
      section.derived("kv_bytes_per_token_per_layer", "a token and layer (all heads, for want of a kernel for latents)",
                      bytes, Unit::binary_bytes, "2 x heads x filled_head_dim x bytes_per_value",
                      {count("heads", model.heads),
                       count("filled_head_dim", bytes / 2 / model.heads / value_bytes.value), value_bytes});
      break;
  }
}

void add_token(const ModelSpec& model, Precision precision, Section& section, Explanation& explanation) {
  const Figure layer = explanation.figure("kv_bytes_per_token_per_layer");
  Sum sum;
  if (windows_differ(model)) {
    sum.add("full_cache_layers x kv_bytes_per_token_per_layer",
            {count("full_cache_layers", model.full_cache_layers()), layer});
    sum.add("window_layers x kv_bytes_per_token_per_window_layer",
            {count("window_layers", model.window_layers()), explanation.figure("kv_bytes_per_token_per_window_layer")});
  } else if (model.full_cache_layers() + model.window_layers() == model.layers) {
    sum.add("layers x kv_bytes_per_token_per_layer", {count("layers", model.layers), layer});
  } else {
    sum.add("cached_layers x kv_bytes_per_token_per_layer",
            {count("cached_layers", model.full_cache_layers() + model.window_layers()), layer});
  }
  section.derived("kv_bytes_per_token", "a token", kv_bytes_per_token(model, precision).value(), Unit::binary_bytes,
                  sum.formula, sum.inputs);
}

void add_rank(const Deployment& d, const Figure& value_bytes, Section& section, Explanation& explanation) {
  const ModelSpec& model = d.model;
  const int tp = d.parallel.tp;
  const double rank = kv_bytes_per_token_per_rank(model, d.precision.kv_cache, tp).value();
  const bool latent = model.has_latent_cache();
  if (latent && model.mla.cached_as != LatentCache::no_mla_kernel) {
    section.derived("kv_bytes_per_token_per_rank", "a token on a rank, which holds all of it", rank, Unit::binary_bytes,
                    "kv_bytes_per_token", {explanation.figure("kv_bytes_per_token")});
  } else if (latent || windows_differ(model)) {
    section.derived("kv_bytes_per_token_per_rank", "a token on a rank", rank, Unit::binary_bytes,
                    "kv_bytes_per_token x rank_share",
                    {explanation.figure("kv_bytes_per_token"),
                     {"rank_share", rank / explanation.value("kv_bytes_per_token"), Unit::share}});
  } else {
    const int cached = model.full_cache_layers() + model.window_layers();
    const std::string_view name = cached == model.layers ? "layers" : "cached_layers";
    section.derived("kv_bytes_per_token_per_rank", "a token on a rank", rank, Unit::binary_bytes,
                    "2 x " + std::string(name) + " x kv_heads_per_rank x head_dim x bytes_per_value",
                    {count(name, cached), count("kv_heads_per_rank", kv_heads_per_rank(model, tp)),
                     count("head_dim", model.head_dim), value_bytes});
  }
  section.derived(
      "kv_copies", "copies of the cache over all ranks", kv_copies(model, tp), Unit::count,
      "tp x kv_bytes_per_token_per_rank / kv_bytes_per_token",
      {count("tp", tp), explanation.figure("kv_bytes_per_token_per_rank"), explanation.figure("kv_bytes_per_token")});
}

}  // namespace

std::string at(std::string_view key, std::int64_t context) {
  return std::string(key).append(".").append(std::to_string(context));
}

CachedToken cached_token(const Explanation& explanation) {
  const Figure copies = explanation.figure("kv_copies");
  const Figure token = explanation.figure("kv_bytes_per_token");
  if (copies.value == 1) return {"kv_bytes_per_token", {token}, token.value};
  return {"kv_copies x kv_bytes_per_token", {copies, token}, copies.value * token.value};
}

void add_hardware(const Subject& subject, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  const double bandwidth = d.node.gpu.hbm_bandwidth.value();
  const double peak = peak_flops(d.node.gpu, d.precision.weights).value();
  const double tp = d.parallel.tp;
  Section section("hardware", explanation);
  section.given("gpu_bandwidth", "memory bandwidth of a GPU", bandwidth, Unit::bytes_per_second, Source::spec);
  section.derived("bandwidth", "of all ranks", bandwidth * tp, Unit::bytes_per_second, "tp x gpu_bandwidth",
                  {count("tp", tp), explanation.figure("gpu_bandwidth")});
  section.given("gpu_peak", "peak of a GPU for these weights", peak, Unit::flops_per_second, Source::spec);
  section.derived("peak", "of all ranks", peak * tp, Unit::flops_per_second, "tp x gpu_peak",
                  {count("tp", tp), explanation.figure("gpu_peak")});
  section.derived("ridge", "ridge: operations a byte that keep both busy", peak / bandwidth, Unit::flops_per_byte,
                  "peak / bandwidth", {explanation.figure("peak"), explanation.figure("bandwidth")});
}

void add_model(const Subject& subject, Explanation& explanation) {
  const Deployment& d = subject.deployment;
  Section section("model", explanation);
  section.given("parameters", "parameters", d.model.parameters, Unit::count, Source::spec);
  const double value_bytes = bytes_per_value(d.precision.weights);
  section.derived("weights", "weights", weight_bytes(d.model, d.precision.weights).value(), Unit::bytes,
                  "parameters x weight_bytes_per_value",
                  {explanation.figure("parameters"), {"weight_bytes_per_value", value_bytes, Unit::bytes}});
}

void add_kv_cache(const Subject& subject, Explanation& explanation) {
  const ModelSpec& model = subject.deployment.model;
  const Precision precision = subject.deployment.precision.kv_cache;
  const Figure value_bytes{"bytes_per_value", bytes_per_value(precision), Unit::bytes};
  Section section("kv_cache", explanation);
  const KvPageBytes layer = kv_page_bytes_per_token(model, precision, 1);
  if (model.has_latent_cache()) {
    add_latent_layer(model, layer.full.value(), value_bytes, section);
  } else {
    section.derived("kv_bytes_per_token_per_layer", "a token and layer", layer.full.value(), Unit::binary_bytes,
                    "2 x kv_heads x head_dim x bytes_per_value",
                    {count("kv_heads", model.kv_heads), count("head_dim", model.head_dim), value_bytes});
  }
  if (windows_differ(model)) {
    const int heads = model.window.kv_heads > 0 ? model.window.kv_heads : model.kv_heads;
    const int dim = model.window.head_dim > 0 ? model.window.head_dim : model.head_dim;
    section.derived("kv_bytes_per_token_per_window_layer", "a token and windowed layer", layer.window.value(),
                    Unit::binary_bytes, "2 x window_kv_heads x window_head_dim x bytes_per_value",
                    {count("window_kv_heads", heads), count("window_head_dim", dim), value_bytes});
  }
  add_token(model, precision, section, explanation);
  add_rank(subject.deployment, value_bytes, section, explanation);
  for (std::int64_t context : subject.contexts) add_sequence(subject, context, section, explanation);
}

}  // namespace decodesim::explain_sections
