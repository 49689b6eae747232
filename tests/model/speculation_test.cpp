// What drafts yield, what verifying them costs, and what proposing them costs and weighs.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim/model/cost_model.hpp"
#include "sim/model/draft.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/operations.hpp"
#include "sim/model/weights.hpp"
#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

SpeculativeSpec drafts(std::int64_t count, double acceptance, DraftKind kind = DraftKind::ngram) {
  SpeculativeSpec spec;
  spec.draft_tokens = count;
  spec.acceptance = acceptance;
  spec.draft = kind;
  return spec;
}

StepShape verifying(std::int64_t batch, std::int64_t context, std::int64_t count) {
  StepShape shape;
  for (std::int64_t i = 0; i < batch; ++i) {
    shape.add(context - 1, 1);
    shape.add_drafts(context - 1, count);
    shape.samples += 1;
  }
  return shape;
}

std::unique_ptr<CostModel> priced(CostKind kind, int tp) {
  CostSpec cost;
  cost.model = kind;
  return make_cost_model(cost, tests::llama_3_70b(), tests::hgx_h100(), ParallelSpec{tp}, {});
}

std::unique_ptr<CostModel> with_drafts(CostKind kind, const SpeculativeSpec& spec, int tp = 8) {
  CostSpec cost;
  cost.model = kind;
  return with_draft_of(priced(kind, tp), spec, cost, tests::llama_3_70b(), tests::hgx_h100(), ParallelSpec{tp}, {});
}

}  // namespace

TEST_CASE("tokens a step are one more than the sum of the chances that all drafts up to each are accepted") {
  CHECK(tokens_per_step(drafts(0, 0.9)) == 1);
  CHECK(tokens_per_step(drafts(5, 0)) == 1);
  CHECK(tokens_per_step(drafts(5, 1)) == 6);
  for (const double a : {0.1, 0.5, 0.7, 0.93}) {
    for (const std::int64_t k : {1, 3, 8}) {
      const double closed = (1 - std::pow(a, static_cast<double>(k + 1))) / (1 - a);
      CHECK(tokens_per_step(drafts(k, a)) == doctest::Approx(closed).epsilon(1e-12));
    }
  }
  SpeculativeSpec by_position = drafts(3, 0);
  by_position.acceptance.reset();
  by_position.acceptance_by_position = {0.8, 0.6, 0.4};
  CHECK(tokens_per_step(by_position) == doctest::Approx(1 + 0.8 + 0.8 * 0.6 + 0.8 * 0.6 * 0.4));
}

TEST_CASE("verifying reads weights and KV once, and computes, writes and judges every draft as a token") {
  const auto cost = priced(CostKind::roofline, 8);
  const ModelSpec model = tests::llama_3_70b();
  const Ledger plain = cost->price(verifying(10, 1000, 0));
  const Ledger verified = cost->price(verifying(10, 1000, 3));
  CHECK(verified.of(ByteKind::weights).value() == plain.of(ByteKind::weights).value());
  CHECK(verified.of(ByteKind::kv_read).value() == plain.of(ByteKind::kv_read).value());
  CHECK(verified.of(ByteKind::kv_write).value() == 4 * plain.of(ByteKind::kv_write).value());
  // Three drafts see 1001, 1002 and 1003 tokens.
  const double tokens = linear_flops_per_token(model).value() + lm_head_flops_per_sample(model).value();
  const double pairs = attention_flops_per_pair(model).value() * (1001 + 1002 + 1003);
  CHECK(verified.flops.value() - plain.flops.value() == doctest::Approx(10 * (3 * tokens + pairs)).epsilon(1e-9));
}

TEST_CASE("verifying is nearly free in a small batch, and costs as much as tokens do in a large one") {
  const auto cost = priced(CostKind::roofline, 8);
  const auto growth = [&](std::int64_t batch) {
    const auto time = [&](std::int64_t count) {
      return static_cast<double>(cost->price(verifying(batch, 512, count)).of(TimePart::linear).count());
    };
    return time(3) / time(0);
  };
  CHECK(growth(1) < 1.01);
  CHECK(growth(1024) == doctest::Approx(4).epsilon(0.01));
}

TEST_CASE("what drafts adds its passes to a part of its own, and the parts still add up") {
  for (CostKind kind : {CostKind::ideal, CostKind::roofline}) {
    const auto alone = priced(kind, 8);
    for (const std::int64_t count : {1, 3, 7}) {
      const SpeculativeSpec spec = drafts(count, 0.7, DraftKind::head);
      const auto cost = with_drafts(kind, spec);
      StepShape shape = verifying(7, 3000, count);
      shape.add(100, 500);
      const Ledger own = alone->price(shape);
      const Ledger all = cost->price(shape);
      for (std::size_t i = 0; i < all.time.size(); ++i)
        if (i != static_cast<std::size_t>(TimePart::draft)) CHECK(all.time[i] == own.time[i]);
      Duration by_reason{};
      for (Duration part : all.bound) by_reason += part;
      CHECK(by_reason == all.duration());
      CHECK(all.of(TimePart::draft) > Duration(0));
      CHECK(all.flops.value() >= own.flops.value());
      CHECK(all.total_bytes().value() > own.total_bytes().value());
      CHECK(cost->price({}).duration() == Duration(0));
    }
  }
}

TEST_CASE("k drafts are k passes over the weights of what drafts") {
  const ModelSpec head = draft_model(drafts(1, 0.7, DraftKind::head), tests::llama_3_70b());
  const double each = weight_bytes(head, Precision::bf16).value();
  const auto weights = [&](std::int64_t count) {
    return with_drafts(CostKind::ideal, drafts(count, 0.7, DraftKind::head))
        ->price(verifying(1, 100, count))
        .of(ByteKind::weights)
        .value();
  };
  CHECK(weights(5) - weights(2) == doctest::Approx(3 * each).epsilon(1e-12));
}

TEST_CASE("a look-up costs and weighs nothing, and under a fixed step nothing costs") {
  const StepShape shape = verifying(7, 3000, 3);
  const auto duration = [&](const SpeculativeSpec& spec) {
    return with_drafts(CostKind::roofline, spec)->price(shape).duration();
  };
  CHECK(duration(drafts(3, 0.7)) == priced(CostKind::roofline, 8)->price(shape).duration());
  CHECK(duration(drafts(3, 0.7, DraftKind::head)) > duration(drafts(3, 0.7)));
  const DraftShare share = draft_share(drafts(3, 0.7), tests::llama_3_70b(), {}, 8);
  CHECK(share.weights.value() == 0);
  CHECK(share.kv_per_token.value() == 0);
  CHECK(with_drafts(CostKind::fixed, drafts(3, 0.7, DraftKind::head))->price(shape).of(TimePart::draft) == Duration(0));
}

TEST_CASE("a head is a layer of its model with the model's own embeddings, a draft model is itself") {
  const ModelSpec target = tests::llama_3_70b();
  const DraftShare head = draft_share(drafts(3, 0.7, DraftKind::head), target, {}, 8);
  CHECK(head.weights.value() == doctest::Approx(layer_parameters(target) / target.layers * 2 / 8));
  CHECK(head.kv_per_token.value() ==
        doctest::Approx(kv_bytes_per_token_per_rank(target, Precision::bf16, 8).value() / target.layers));
  SpeculativeSpec small = drafts(3, 0.7, DraftKind::model);
  small.model = tests::llama_3_8b();
  const DraftShare beside = draft_share(small, target, {}, 8);
  CHECK(beside.weights.value() == weight_shard_bytes(small.model, Precision::bf16, 8).value());

  MemorySpec memory;
  const auto plan = [&](const DraftShare& share) {
    return std::get<MemoryPlan>(plan_memory(target, tests::h100_sxm(), ParallelSpec{8}, {}, memory, {}, share));
  };
  CHECK(plan({}).pool.value() - plan(beside).pool.value() == doctest::Approx(beside.weights.value()));
  CHECK(plan(beside).block_bytes.value() - plan({}).block_bytes.value() ==
        doctest::Approx(beside.kv_per_token.value() * static_cast<double>(memory.block_size)));
}

TEST_CASE("a head has layers that see everything, and none of those beyond its model's layers") {
  ModelSpec target = tests::llama_3_70b();
  const double plain = draft_share(drafts(3, 0.7, DraftKind::head), target, {}, 8).kv_per_token.value();
  CHECK(plain > 0);
  target.draft_layers = 1;
  target.cross_attention_layers = 20;
  CHECK(draft_share(drafts(3, 0.7, DraftKind::head), target, {}, 8).kv_per_token.value() == plain);
  target.linear = {4, Bytes(1e6)};
  CHECK(draft_share(drafts(3, 0.7, DraftKind::head), target, {}, 8).kv_per_token.value() == plain);
  CHECK(draft_model(drafts(3, 0.7, DraftKind::head), target).state_layers() == 0);
}

TEST_CASE("a draft model keeps its embeddings in 16 bits where its weights have fewer, as its target does") {
  SpeculativeSpec small = drafts(3, 0.7, DraftKind::model);
  small.model = tests::llama_3_8b();
  PrecisionSpec precision;
  precision.weights = Precision::fp4;
  CHECK(draft_share(small, tests::llama_3_70b(), precision, 8).weights.value() ==
        doctest::Approx(weight_bytes(small.model, precision).value() / 8));
}

TEST_CASE(
    "passes that draft never move or compute less than nothing, whatever their layers and those of the target see") {
  std::vector<ModelSpec> models(5, tests::llama_3_8b());
  models[1].window = {Tokens(1), 0};
  models[2].window = {Tokens(128), 2};
  models[3].mla = {512, 64};
  models[3].sparse = {Tokens(1), 4, 16};
  models[4].linear = {4, Bytes(1e6)};
  std::vector<StepShape> shapes(4);
  shapes[0].add(0, 500);  // a prompt that ends
  shapes[0].samples = 1;
  shapes[1].add(100, 7);  // one that does not
  shapes[2] = verifying(3, 1, 3);
  shapes[3] = verifying(3, 5000, 3) + shapes[0];
  CostSpec cost;
  for (CostKind kind : {CostKind::ideal, CostKind::roofline, CostKind::calibrated}) {
    cost.model = kind;
    for (const ModelSpec& target : models) {
      for (std::size_t own = 0; own <= models.size(); ++own) {
        SpeculativeSpec spec = drafts(3, 0.7, own < models.size() ? DraftKind::model : DraftKind::head);
        if (own < models.size()) spec.model = models[own];
        const auto make = [&] { return make_cost_model(cost, target, tests::hgx_h100(), ParallelSpec{1}, {}); };
        const auto alone = make();
        const auto both = with_draft_of(make(), spec, cost, target, tests::hgx_h100(), ParallelSpec{1}, {});
        for (StepShape shape : shapes) {
          // As the engine counts it for the target.
          shape.clip_alike(attention_clip(target));
          const Ledger without = alone->price(shape);
          const Ledger with = both->price(shape);
          for (std::size_t i = 0; i < with.bytes.size(); ++i) CHECK(with.bytes[i].value() >= without.bytes[i].value());
          CHECK(with.flops.value() >= without.flops.value());
          CHECK(with.of(TimePart::draft) > Duration(0));
        }
      }
    }
  }
}

TEST_CASE("layers of a draft model with a window see no more than it, whatever the target's see") {
  SpeculativeSpec spec = drafts(4, 0.7, DraftKind::model);
  CostSpec cost;
  cost.model = CostKind::calibrated;
  const auto read = [&](std::int64_t window) {
    spec.model = tests::llama_3_8b();
    if (window > 0) spec.model.window = {Tokens(window), 0};
    const ModelSpec target = tests::llama_3_70b();
    const auto all = with_draft_of(make_cost_model(cost, target, tests::hgx_h100(), ParallelSpec{8}, {}), spec, cost,
                                   target, tests::hgx_h100(), ParallelSpec{8}, {});
    return all->price(verifying(2, 10000, 4)).of(ByteKind::kv_read).value();
  };
  const double token = kv_bytes_per_token(tests::llama_3_8b(), Precision::bf16).value();
  // Four passes over two contexts of about 10,000, or of 128, each without the token that it writes.
  CHECK(read(0) - read(128) == doctest::Approx(2 * 4 * (10000 - 128) * token).epsilon(1e-3));
}

TEST_CASE("a step that is longer than any clock is told as a long one, not as a negative one") {
  for (CostKind kind : {CostKind::ideal, CostKind::roofline, CostKind::calibrated}) {
    CostSpec cost;
    cost.model = kind;
    cost.efficiency.kernel = cost.efficiency.attention = cost.efficiency.elementwise = Seconds(1e300);
    NodeSpec node = tests::hgx_h100();
    node.gpu.hbm_bandwidth = BytesPerSecond(1e-300);
    node.gpu.peak_bf16 = FlopsPerSecond(1e-300);
    ModelSpec model = tests::llama_3_8b();
    model.moe = {8, 2, 1, 1024, 1};
    const SpeculativeSpec spec = drafts(64, 0.7, DraftKind::head);
    const auto all = with_draft_of(make_cost_model(cost, model, node, ParallelSpec{1}, {}), spec, cost, model, node,
                                   ParallelSpec{1}, {});
    StepShape shape = verifying(3, 100, 64);
    shape.add(0, 4000);
    const Ledger ledger = all->price(shape);
    CHECK(ledger.duration() > price_max);
    for (Duration part : ledger.time) CHECK((part >= Duration(0) && part <= price_max));
    Duration by_reason{};
    for (Duration part : ledger.bound) by_reason += part;
    CHECK(by_reason == ledger.duration());
  }
}

}  // namespace decodesim
