// What the machine offers and what the model asks of it: bandwidth, peak, weights, bytes of KV cache.

#include "sim/hardware/peak.hpp"
#include "sim/model/explain/sections.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/weights.hpp"

namespace decodesim::explain_sections {

namespace {

void add_sequence(const Subject& subject, std::int64_t context, Section& section, Explanation& explanation) {
  const ModelSpec& model = subject.deployment.model;
  const Bytes bytes = kv_bytes_per_sequence(model, subject.deployment.precision.kv_cache, Tokens(context));
  const bool windows = model.window.size.value() > 0;
  std::string formula = "context x kv_bytes_per_token";
  std::vector<Figure> inputs{tokens("context", context), explanation.figure("kv_bytes_per_token")};
  if (windows) {
    formula = "(global_layers x context + window_layers x min(context, window)) x kv_bytes_per_token_per_layer";
    inputs = {count("global_layers", model.global_layers()), tokens("context", context),
              count("window_layers", model.layers - model.global_layers()), tokens("window", model.window.size.value()),
              explanation.figure("kv_bytes_per_token_per_layer")};
  }
  const char* label = windows ? "a sequence, window layers holding the window," : "a sequence";
  section.derived(at("kv_bytes_per_sequence", context), label, bytes.value(), Unit::binary_bytes, formula, inputs)
      .context = context;
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
  const int tp = subject.deployment.parallel.tp;
  const bool latent = model.has_latent_cache();
  const Figure value_bytes{"bytes_per_value", bytes_per_value(precision), Unit::bytes};
  Section section("kv_cache", explanation);

  const double layer = kv_bytes_per_token_per_layer(model, precision).value();
  if (latent) {
    section.derived(
        "kv_bytes_per_token_per_layer", "a token and layer (latent)", layer, Unit::binary_bytes,
        "(kv_lora_rank + rope_head_dim) x bytes_per_value",
        {count("kv_lora_rank", model.mla.kv_lora_rank), count("rope_head_dim", model.mla.rope_head_dim), value_bytes});
  } else {
    section.derived("kv_bytes_per_token_per_layer", "a token and layer", layer, Unit::binary_bytes,
                    "2 x kv_heads x head_dim x bytes_per_value",
                    {count("kv_heads", model.kv_heads), count("head_dim", model.head_dim), value_bytes});
  }
  section.derived("kv_bytes_per_token", "a token", kv_bytes_per_token(model, precision).value(), Unit::binary_bytes,
                  "layers x kv_bytes_per_token_per_layer",
                  {count("layers", model.layers), explanation.figure("kv_bytes_per_token_per_layer")});

  const double rank = kv_bytes_per_token_per_rank(model, precision, tp).value();
  if (latent) {
    section.derived("kv_bytes_per_token_per_rank", "a token on a rank, which holds all of it", rank, Unit::binary_bytes,
                    "kv_bytes_per_token", {explanation.figure("kv_bytes_per_token")});
  } else {
    section.derived("kv_bytes_per_token_per_rank", "a token on a rank", rank, Unit::binary_bytes,
                    "2 x layers x kv_heads_per_rank x head_dim x bytes_per_value",
                    {count("layers", model.layers), count("kv_heads_per_rank", kv_heads_per_rank(model, tp)),
                     count("head_dim", model.head_dim), value_bytes});
  }
  section.derived(
      "kv_copies", "copies of the cache over all ranks", kv_copies(model, tp), Unit::count,
      "tp x kv_bytes_per_token_per_rank / kv_bytes_per_token",
      {count("tp", tp), explanation.figure("kv_bytes_per_token_per_rank"), explanation.figure("kv_bytes_per_token")});
  for (std::int64_t context : subject.contexts) add_sequence(subject, context, section, explanation);
}

}  // namespace decodesim::explain_sections
