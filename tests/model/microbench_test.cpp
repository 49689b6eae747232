// Component measurements of real GPUs against what the calibrated cost model is made of. The tables of docs/validation.md
// are written by DECODESIM_UPDATE_GOLDEN=1.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "sim/hardware/collectives.hpp"
#include "sim/model/kv_cache.hpp"
#include "sim/model/layer_products.hpp"
#include "tests/support/catalog_entries.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/document_section.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim {
namespace {

using tests::CsvRow;

const std::vector<CsvRow>& rows() {
  static const std::vector<CsvRow> all = [] {
    const auto file = tests::shared_file("data/measured/microbench.csv");
    return file ? tests::csv_rows(*file) : std::vector<CsvRow>();
  }();
  return all;
}

struct Machine {
  const char* gpu;
  const char* node;
};
constexpr Machine machines[] = {{"H100-SXM-80GB", "hgx-h100"},
                                {"H200-SXM-141GB", "hgx-h200"},
                                {"B200-180GB", "hgx-b200"},
                                {"A100-SXM-80GB", "dgx-a100"}};

/// Predicted over measured less one, by group.
class Errors {
 public:
  void add(const std::string& group, double predicted, double measured) {
    if (!groups_.contains(group)) order_.push_back(group);
    groups_[group].push_back(predicted / measured - 1);
  }
  [[nodiscard]] double median(const std::string& group) const { return quantile(group, 0.5, true); }
  [[nodiscard]] std::string table(const std::string& what) const {
    std::string text = "| " + what + " | points | median error | p90 | median with its sign |\n|---|---|---|---|---|\n";
    for (const std::string& group : order_) {
      char line[200];
      std::snprintf(line, sizeof line, "| %s | %zu | %.1f %% | %.1f %% | %+.1f %% |\n", group.c_str(),
                    groups_.at(group).size(), 100 * median(group), 100 * quantile(group, 0.9, true),
                    100 * quantile(group, 0.5, false));
      text += line;
    }
    return text;
  }
  [[nodiscard]] const std::vector<std::string>& groups() const { return order_; }

 private:
  [[nodiscard]] double quantile(const std::string& group, double share, bool absolute) const {
    std::vector<double> values = groups_.at(group);
    if (absolute)
      for (double& value : values) value = std::fabs(value);
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  }

  std::map<std::string, std::vector<double>> groups_;
  std::vector<std::string> order_;
};

bool holds(const CsvRow& row, const std::string& column, const std::string& text) {
  return row.at(column).find(text) != std::string::npos;
}

double behind(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  REQUIRE(at != std::string::npos);
  return std::strtod(text.c_str() + at + mark.size(), nullptr);
}

double predicted_all_reduce(const NodeSpec& node, int ranks, double bytes, const CustomAllReduce& custom) {
  const GroupLinks links = group_links(expand(node).graph, ranks);
  return all_reduce(Bytes(bytes), sustained_all_reduce_lines(links, node.gpu.sustained, custom)).time.value();
}

}  // namespace

TEST_CASE("all-reduces take what they were measured at, within 15 % in the median for every GPU, group and engine") {
  if (rows().empty()) return;
  const CustomAllReduce vllm;
  CustomAllReduce trtllm;
  trtllm.two_shot = false;
  trtllm.message = Seconds(0);
  CustomAllReduce eager;
  eager.cuda_graph = false;
  CustomAllReduce library;
  library.bytes_max = Bytes(0);

  Errors errors;
  for (const Machine& machine : machines) {
    const NodeSpec node = tests::catalog_node(machine.node);
    for (const int ranks : {2, 4, 8}) {
      for (const CsvRow& row : rows()) {
        if (row.at("category") != "allreduce" || row.at("gpu") != machine.gpu || row.at("unit") != "us") continue;
        if (tests::number_of(row, "n_gpus") != ranks) continue;
        const double bytes = tests::number_of(row, "size_bytes");
        if (bytes < 1024 || bytes > 256e6) continue;
        const std::string group = std::string(machine.gpu) + " x" + std::to_string(ranks);
        const double measured = tests::number_of(row, "value") * 1e-6;
        if (holds(row, "what", "vLLM_custom_graph"))
          errors.add("vLLM, " + group, predicted_all_reduce(node, ranks, bytes, vllm), measured);
        if (holds(row, "what", "vLLM_custom_eager"))
          errors.add("vLLM without graphs, " + group, predicted_all_reduce(node, ranks, bytes, eager), measured);
        if (holds(row, "what", "TRTLLM"))
          errors.add("TensorRT-LLM, " + group, predicted_all_reduce(node, ranks, bytes, trtllm), measured);
        if (holds(row, "what", "NCCL all_reduce (nccl-tests)"))
          errors.add("NCCL, " + group, predicted_all_reduce(node, ranks, bytes, library), measured);
      }
    }
  }
  REQUIRE(errors.groups().size() == 48);
  for (const std::string& group : errors.groups()) {
    INFO(group);
    // The library alone has protocols that two lines do not tell apart; engines use it for large messages.
    CHECK(errors.median(group) <= (group.starts_with("NCCL") ? 0.40 : 0.15));
  }
  tests::check_section("docs/validation.md", "all-reduces", errors.table("all-reduce of 1 KiB to 256 MB"));
}

TEST_CASE("matrix products of vLLM's kernels take what they were measured at") {
  if (rows().empty()) return;
  Errors errors;
  EfficiencySpec alone;
  alone.compute = 1;  // a kernel by itself, not a whole step
  for (const Machine& machine : machines) {
    const GpuSpec gpu = tests::catalog_node(machine.node).gpu;
    for (const CsvRow& row : rows()) {
      if (row.at("category") != "gemm" || row.at("gpu") != machine.gpu || !holds(row, "source", "/gemm/vllm/"))
        continue;
      const std::string& what = row.at("what");
      const Precision format = row.at("precision") == "bfloat16" ? Precision::bf16
                               : row.at("precision") == "fp8"    ? Precision::fp8
                                                                 : Precision::fp4;
      const Product product{behind(what, " K="), behind(what, " N="), 1};
      const KernelAccount kernel = run_product(product, behind(what, " M="), 1, rates_of(gpu, alone, format));
      errors.add(std::string(machine.gpu) + " " + row.at("precision"), (kernel.time + kernel.latency).value(),
                 tests::number_of(row, "value") * 1e-6);
    }
  }
  REQUIRE(errors.groups().size() == 8);
  for (const char* group : {"H100-SXM-80GB bfloat16", "H100-SXM-80GB fp8", "H200-SXM-141GB bfloat16",
                            "H200-SXM-141GB fp8", "A100-SXM-80GB bfloat16"}) {
    INFO(group);
    CHECK(errors.median(group) <= 0.12);
  }
  tests::check_section("docs/validation.md", "products",
                       errors.table("one product of Llama 70B's shapes, 1 to 8,192 rows"));
}

TEST_CASE("decode attention takes what it was measured at") {
  if (rows().empty()) return;
  Errors errors;
  const EfficiencySpec engine;
  for (const Machine& machine : machines) {
    const GpuSpec gpu = tests::catalog_node(machine.node).gpu;
    for (const CsvRow& row : rows()) {
      // Smaller calls find their cache in the GPU's L2, which serving does not.
      if (row.at("category") != "decode_attention" || row.at("gpu") != machine.gpu || !holds(row, "what", "GQA") ||
          !holds(row, "source", "/attention/vllm/0.1") || tests::number_of(row, "size_bytes") < 67e6)
        continue;
      const bool wide = row.at("precision") == "bfloat16";
      const double bandwidth =
          gpu.hbm_bandwidth.value() * gpu.sustained.hbm * (wide ? engine.kv_16bit : engine.kv_8bit);
      const double batch = behind(row.at("what"), "batch ");
      const double predicted = engine.attention.value() + engine.attention_sequence.value() * batch +
                               tests::number_of(row, "size_bytes") / bandwidth;
      errors.add(std::string(machine.gpu) + " " + row.at("precision"), predicted,
                 tests::number_of(row, "value") * 1e-6);
    }
  }
  REQUIRE(errors.groups().size() == 7);
  for (const char* group : {"H100-SXM-80GB bfloat16", "H100-SXM-80GB fp8", "A100-SXM-80GB bfloat16"}) {
    INFO(group);
    CHECK(errors.median(group) <= 0.15);
  }
  tests::check_section("docs/validation.md", "decode attention",
                       errors.table("decode attention in one layer, 67 MB of KV or more"));
}

}  // namespace decodesim
