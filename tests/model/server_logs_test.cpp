// Start-up logs of real servers: the plan must print the blocks and tokens that they printed.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/model/kv_cache.hpp"
#include "sim/model/memory_plan.hpp"
#include "tests/support/shared_data.hpp"

namespace decodesim {
namespace {

constexpr double GiB = 1024.0 * 1024 * 1024;
using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

/// The rows of dense models with full attention whose shape is known, on servers without pipeline stages.
std::vector<Row> plain_rows(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
    if (row["attn_note"] == "full GQA/MHA" && row["shape_origin"] == "config.json knowledge" && row["pp"] == "1")
      rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const std::string& name) { return std::strtod(row.at(name).c_str(), nullptr); }
bool has(const Row& row, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (number(row, name) == 0) return false;
  return true;
}

ModelSpec model_of(const Row& row) {
  ModelSpec model;
  model.layers = static_cast<int>(number(row, "layers"));
  model.kv_heads = static_cast<int>(number(row, "kv_heads"));
  model.head_dim = static_cast<int>(number(row, "head_dim"));
  return model;
}
Precision precision_of(const Row& row) { return row.at("kv_dtype") == "fp8" ? Precision::fp8 : Precision::bf16; }

}  // namespace

TEST_CASE("bytes a token agree with the KV size and the tokens that real servers printed") {
  const auto file = tests::shared_file("data/kv_cases.csv");
  if (!file) return;
  // In these the size and the tokens come from different ranks, or the pool is shared with a draft model.
  const std::set<std::string> other_rank{"K28", "K68"};
  int compared = 0;
  for (const Row& row : plain_rows(*file)) {
    if (!has(row, {"kv_gib_gpu", "kv_tokens"}) || number(row, "kv_gib_gpu") < 0 || other_rank.count(row.at("id")) > 0)
      continue;
    CAPTURE(row.at("id"));
    const double rank =
        kv_bytes_per_token_per_rank(model_of(row), precision_of(row), static_cast<int>(number(row, "tp"))).value();
    CHECK(rank * number(row, "kv_tokens") / GiB == doctest::Approx(number(row, "kv_gib_gpu")).epsilon(0.003));
    ++compared;
  }
  CHECK(compared >= 12);
}

TEST_CASE("the whole plan, from a GPU's memory to tokens, agrees with what real servers printed") {
  const auto file = tests::shared_file("data/kv_cases.csv");
  if (!file) return;
  int compared = 0;
  for (const Row& row : plain_rows(*file)) {
    if (!has(row, {"gpu_mem_gib", "util", "weight_gib_gpu", "nontorch_gib", "act_peak_gib", "kv_tokens", "block"}))
      continue;
    CAPTURE(row.at("id"));
    const int tp = static_cast<int>(number(row, "tp"));
    ModelSpec model = model_of(row);
    model.parameters = number(row, "weight_gib_gpu") * GiB * tp / 2;
    GpuSpec gpu;
    gpu.memory_reported = Bytes(number(row, "gpu_mem_gib") * GiB);
    MemorySpec memory;
    memory.utilization = number(row, "util");
    memory.runtime_overhead = Bytes((number(row, "nontorch_gib") + number(row, "act_peak_gib")) * GiB);
    memory.block_size = static_cast<std::int64_t>(number(row, "block"));
    const auto result = plan_memory(model, gpu, ParallelSpec{tp}, {Precision::bf16, precision_of(row)}, memory);
    REQUIRE(std::holds_alternative<MemoryPlan>(result));
    const MemoryPlan& plan = std::get<MemoryPlan>(result);
    // Every figure of a log is rounded to 0.01 GiB, so a small pool is known less exactly than a large one.
    const double rounding = 0.035 * GiB / plan.pool.value();
    CHECK(static_cast<double>(plan.tokens.value()) == doctest::Approx(number(row, "kv_tokens")).epsilon(rounding));
    ++compared;
  }
  CHECK(compared >= 5);
}

}  // namespace decodesim
