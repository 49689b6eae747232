#include "sim/model/cost_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/known_specs.hpp"

namespace decodesim {
namespace {

struct Case {
  ModelSpec model = tests::llama_3_70b();
  NodeSpec node = tests::hgx_h100();
  int tp = 8;
  CostSpec cost{};
  PrecisionSpec precision{};

  [[nodiscard]] std::unique_ptr<CostModel> make() const {
    REQUIRE_FALSE(find_cost_error(cost, node, ParallelSpec{tp}).has_value());
    return make_cost_model(cost, model, node, ParallelSpec{tp}, precision);
  }
};

Case with(CostKind kind) {
  Case one;
  one.cost.model = kind;
  return one;
}

StepShape decodes(std::int64_t batch, std::int64_t context) {
  StepShape shape;
  shape.decodes = batch;
  shape.decode_context = batch * context;
  shape.samples = batch;
  return shape;
}

StepShape chunk(std::int64_t cached, std::int64_t tokens) {
  StepShape shape;
  shape.add(cached, tokens);
  return shape;
}

/// Steps of every sort: decodes alone, chunks alone, both.
std::vector<StepShape> shapes() {
  std::vector<StepShape> all;
  for (std::int64_t batch : {1, 7, 64, 1024})
    for (std::int64_t context : {1, 100, 4096, 131072}) all.push_back(decodes(batch, context));
  for (std::int64_t cached : {0, 16, 30000})
    for (std::int64_t tokens : {2, 500, 8192}) all.push_back(chunk(cached, tokens));
  StepShape both = decodes(321, 4096);
  both.add(2048, 512);
  all.push_back(both);
  return all;
}

/// Every model on every node that has room for its ranks.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (CostKind kind : {CostKind::fixed, CostKind::ideal, CostKind::roofline, CostKind::calibrated}) {
    for (const ModelSpec& model : {tests::llama_3_70b(), tests::llama_3_8b(), tests::deepseek_v2(),
                                   tests::gpt_oss_120b(), tests::gemma_3_27b()}) {
      for (const NodeSpec& node : {tests::hgx_h100(), tests::mi300x_8(), tests::pcie_4090()}) {
        for (int tp : {1, 2, 8}) {
          for (PrecisionSpec precision : {PrecisionSpec{}, PrecisionSpec{Precision::fp8, Precision::fp8},
                                          PrecisionSpec{Precision::int4, Precision::fp6}}) {
            Case one{model, node, tp, {}, precision};
            one.cost.model = kind;
            one.cost.step = Duration(1'000'000);
            all.push_back(one);
          }
        }
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("the parts of a step's time add up, by part and by what bound them") {
  for (const Case& one : cases()) {
    const auto model = one.make();
    for (const StepShape& shape : shapes()) {
      const Ledger account = model->price(shape);
      Duration bound{};
      for (Duration part : account.bound) bound += part;
      CHECK(account.duration() == bound);
      CHECK(account.duration() > Duration(0));
    }
  }
}

TEST_CASE("the same shape always has the same price") {
  for (const Case& one : cases()) {
    const auto a = one.make();
    const auto b = one.make();
    for (const StepShape& shape : shapes()) {
      const Ledger first = a->price(shape);
      const Ledger second = b->price(shape);
      CHECK(first.time == second.time);
      CHECK(first.bytes == second.bytes);
      CHECK(a->price(shape).time == first.time);
    }
  }
}

TEST_CASE("an empty step costs nothing, except under the fixed model") {
  for (const Case& one : cases()) {
    const Ledger account = one.make()->price(StepShape{});
    CHECK(account.duration() == (one.cost.model == CostKind::fixed ? one.cost.step : Duration(0)));
    CHECK(account.total_bytes().value() == 0);
  }
}

TEST_CASE("no step passes the bandwidth or the peak of the hardware") {
  for (const Case& one : cases()) {
    if (one.cost.model == CostKind::fixed) continue;
    const auto model = one.make();
    const double bandwidth = one.node.gpu.hbm_bandwidth.value() * one.tp;
    const double peak = std::max(one.node.gpu.peak_fp8, one.node.gpu.peak_bf16).value() * one.tp;
    for (const StepShape& shape : shapes()) {
      const Ledger account = model->price(shape);
      const double memory_bytes = account.total_bytes().value() - account.of(ByteKind::collective).value();
      const double seconds = to_seconds(account.duration()) + 4e-9;  // roundings
      CHECK(memory_bytes / seconds <= bandwidth);
      CHECK(account.flops.value() / seconds <= peak);
    }
  }
}

TEST_CASE("more sequences, more context or more prompt never make a step shorter") {
  for (const Case& one : cases()) {
    const auto model = one.make();
    for (const StepShape& shape : shapes()) {
      const Duration before = model->price(shape).duration();
      StepShape more = shape;
      more.add(500, 1);
      more.samples += 1;
      CHECK(model->price(more).duration() >= before);
      StepShape prompt = shape;
      prompt.add(0, 64);
      CHECK(model->price(prompt).duration() >= before);
      if (shape.decodes > 0) {
        StepShape longer = shape;
        longer.decode_context += shape.decodes;
        CHECK(model->price(longer).duration() >= before);
      }
    }
  }
}

TEST_CASE("the fixed model takes its step for every shape") {
  Case one = with(CostKind::fixed);
  one.cost.step = Duration(1'234'567);
  for (const StepShape& shape : shapes()) {
    const Ledger account = one.make()->price(shape);
    CHECK(account.duration() == Duration(1'234'567));
    CHECK(account.of(TimePart::fixed) == account.of(BoundBy::fixed));
  }
}

TEST_CASE("the ideal model moves weights and batch x context x bytes a token over all bandwidth") {
  const auto model = with(CostKind::ideal).make();
  const double weights = 2 * 70.55e9;
  const double bandwidth = 8 * 3.35e12;
  for (std::int64_t batch : {1, 32, 321}) {
    for (std::int64_t context : {1, 4096, 131072}) {
      const Ledger account = model->price(decodes(batch, context));
      const double cache = static_cast<double>(batch * context) * 327'680;
      CHECK(account.total_bytes().value() == weights + cache);
      CHECK(account.of(ByteKind::kv_write).value() == static_cast<double>(batch) * 327'680);
      CHECK(account.of(TimePart::linear).count() == std::llround(weights / bandwidth * 1e9));
      CHECK(account.of(TimePart::attention).count() == std::llround(cache / bandwidth * 1e9));
      CHECK(account.of(BoundBy::bandwidth) == account.duration());
    }
  }
}

TEST_CASE("the whiteboard's steps come out to the printed digit") {
  const auto model = with(CostKind::ideal).make();
  const Ledger small = model->price(decodes(32, 4096));
  CHECK(std::round(small.total_bytes().value() / 1e7) == 18405);  // 184.05 GB
  const Ledger full = model->price(decodes(321, 4096));
  CHECK(std::round(full.total_bytes().value() / 1e8) == 5719);        // 571.9 GB
  CHECK(std::round(to_milliseconds(full.duration()) * 100) == 2134);  // 21.34 ms
  CHECK(std::round(321 / to_seconds(full.duration())) == 15041);
  CHECK(std::round(40 / to_seconds(model->price(decodes(40, 32768)).duration())) == 1879);
  CHECK(std::round(10 / to_seconds(model->price(decodes(10, 131072)).duration())) == 470);
}

TEST_CASE("the ideal model reads what a chunk finds cached and writes what it computes") {
  const Ledger account = with(CostKind::ideal).make()->price(chunk(1000, 512));
  CHECK(account.of(ByteKind::kv_read).value() == 1000 * 327'680.0);
  CHECK(account.of(ByteKind::kv_write).value() == 512 * 327'680.0);
}

TEST_CASE("copies of the cache on ranks are moved by each of them") {
  Case one = with(CostKind::ideal);
  one.model = tests::deepseek_v2();
  CHECK(one.make()->price(decodes(1, 1000)).of(ByteKind::kv_read).value() == 8 * 999 * 60.0 * 576 * 2);
}

TEST_CASE("a roofline step waits for weights at a small batch and for the peak at a large prompt") {
  const auto model = with(CostKind::roofline).make();
  const double tables = 128256.0 * 8192;
  const Ledger one = model->price(decodes(1, 100));
  CHECK(to_seconds(one.of(TimePart::linear)) == doctest::Approx(2 * (70.55e9 - 2 * tables) / 26.8e12).epsilon(0.001));
  CHECK(to_seconds(one.of(TimePart::lm_head)) == doctest::Approx(2 * tables / 26.8e12).epsilon(0.001));
  CHECK(one.of(BoundBy::compute) == Duration(0));
  const Ledger prompt = model->price(chunk(0, 8192));
  CHECK(to_seconds(prompt.of(TimePart::linear)) ==
        doctest::Approx(2 * (70.55e9 - 2 * tables) * 8192 / (8 * 989.5e12)).epsilon(1e-6));
  CHECK(prompt.of(BoundBy::compute) >= prompt.of(TimePart::linear));
  CHECK(prompt.of(TimePart::lm_head) == Duration(0));  // no sequence yields a token
}

TEST_CASE("a roofline chunk's attention takes what its query-key pairs take") {
  const Ledger account = with(CostKind::roofline).make()->price(chunk(10000, 2000));
  const double pairs = 2000.0 * 10000 + 2000.0 * 2001 / 2;
  CHECK(to_seconds(account.of(TimePart::attention)) ==
        doctest::Approx(4.0 * 80 * 64 * 128 * pairs / (8 * 989.5e12)).epsilon(1e-6));
}

TEST_CASE("a roofline step does two all-reduces a layer, none on one rank, and its host time") {
  Case one = with(CostKind::roofline);
  const Ledger eight = one.make()->price(decodes(40, 4096));
  // 40 tokens of 16 KiB: 8.4 us on the way and 9/8 of the bytes over 450 GB/s, summed in the switches.
  CHECK(to_seconds(eight.of(TimePart::collectives)) ==
        doctest::Approx(160 * (8.4e-6 + 9.0 / 8 * 40 * 16384 / 450e9)).epsilon(1e-6));
  CHECK(eight.of(ByteKind::collective).value() == doctest::Approx(160.0 * 8 * 9 / 8 * 40 * 16384));
  CHECK(eight.of(TimePart::host) == one.cost.host_time);
  one.tp = 1;
  const Ledger alone = one.make()->price(decodes(40, 4096));
  CHECK(alone.of(TimePart::collectives) == Duration(0));
  CHECK(alone.of(ByteKind::collective).value() == 0);
}

TEST_CASE("weights in fp8 use the fp8 peak, in int4 or where there is none the bf16 peak") {
  const auto linear = [](Precision weights, bool fp8_units) {
    Case one = with(CostKind::roofline);
    one.precision.weights = weights;
    if (!fp8_units) one.node.gpu.peak_fp8 = FlopsPerSecond(0);
    return one.make()->price(chunk(0, 8192)).of(TimePart::linear).count();
  };
  const auto bf16 = linear(Precision::bf16, true);
  CHECK(linear(Precision::fp8, true) == doctest::Approx(static_cast<double>(bf16) / 2).epsilon(1e-6));
  CHECK(linear(Precision::fp8, false) == bf16);
  CHECK(linear(Precision::int4, true) == bf16);
}

TEST_CASE("experts that are not active are read but not multiplied") {
  Case one = with(CostKind::roofline);
  one.model = tests::deepseek_v2();
  const double tables = 102400.0 * 5120;
  const Ledger prompt = one.make()->price(chunk(0, 8192));
  CHECK(prompt.of(ByteKind::weights).value() == doctest::Approx(2 * (235.7e9 - 2 * tables)));
  CHECK(to_seconds(prompt.of(TimePart::linear)) ==
        doctest::Approx(2 * (20.85e9 - tables) * 8192 / (8 * 989.5e12)).epsilon(1e-6));
}

TEST_CASE("what a cost model cannot price is an error that names its key") {
  const auto error = [](Case one) {
    return find_cost_error(one.cost, one.node, ParallelSpec{one.tp}).value_or(PlanError{});
  };
  Case too_many = with(CostKind::ideal);
  too_many.tp = 9;
  CHECK(error(too_many).key == "parallel.tp");
  CHECK(error(too_many).message == "tp 9 needs more GPUs than the 8 of hgx-h100");
  Case no_peak = with(CostKind::roofline);
  no_peak.node.gpu.peak_bf16 = FlopsPerSecond(0);
  CHECK(error(no_peak).key == "hardware");
  Case no_bandwidth = with(CostKind::ideal);
  no_bandwidth.node.gpu.hbm_bandwidth = BytesPerSecond(0);
  CHECK(error(no_bandwidth).key == "hardware");
  Case broken_link = with(CostKind::roofline);
  broken_link.node.links[0].to = "nvlink";
  CHECK(error(broken_link).key == "hardware.links");
  Case through_host = with(CostKind::roofline);
  through_host.node = tests::pcie_4090();
  through_host.cost.all_reduce = AllReduceChoice::two_shot;
  CHECK(error(through_host).key == "cost.all_reduce");
  through_host.cost.all_reduce = AllReduceChoice::in_network;
  CHECK(error(through_host).message ==
        "in_network needs switches that reduce (in_network_reduction) and that all ranks are linked to; write cheapest "
        "or ring");
  through_host.cost.all_reduce = AllReduceChoice::ring;
  CHECK(error(through_host).key.empty());
  through_host.tp = 1;
  through_host.cost.all_reduce = AllReduceChoice::two_shot;
  CHECK(error(through_host).key.empty());
}

}  // namespace decodesim
