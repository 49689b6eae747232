// The catalog: every entry is valid, goes by its file's name, and says where its figures come from.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/scenario/catalog_entry.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "tests/scenario/loading.hpp"

namespace decodesim::tests {

TEST_CASE("every entry of the catalog loads, goes by its file's name and begins with a sentence of what it is") {
  const Catalog catalog = find_catalog();
  REQUIRE_FALSE(catalog.root().empty());
  std::size_t entries = 0;
  for (std::string_view kind : {"gpus", "nodes", "models"}) {
    for (const std::string& name : catalog.names(kind)) {
      CAPTURE(name);
      ++entries;
      CHECK_FALSE(first_comment(catalog.file(kind, name)).empty());
      if (kind == "gpus") CHECK(load_gpu(catalog, name).name == name);
      if (kind == "nodes") CHECK(load_node(catalog, name).name == name);
      if (kind == "models") CHECK(load_model(catalog, name).name == name);
    }
  }
  CHECK(entries > 40);
}

TEST_CASE("the catalog has what the scenarios of this field ask for") {
  const Catalog catalog = find_catalog();
  const auto has = [&](std::string_view kind, std::string_view name) {
    const auto names = catalog.names(kind);
    return std::binary_search(names.begin(), names.end(), name);
  };
  for (const char* gpu : {"a100-40gb", "a100-80gb", "h100-sxm", "h100-pcie", "h200-sxm", "b200", "gb200", "mi300x",
                          "mi325x", "l40s", "rtx-4090"})
    CHECK(has("gpus", gpu));
  for (const char* node : {"hgx-h100", "hgx-h200", "hgx-b200", "dgx-a100", "mi300x-8", "pcie-h100"})
    CHECK(has("nodes", node));
  for (const char* model :
       {"llama-2-13b", "llama-2-70b", "llama-3-8b", "llama-3-70b", "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b",
        "deepseek-67b", "deepseek-v2", "deepseek-v3", "mistral-7b", "mixtral-8x7b", "qwen2.5-72b", "qwen3-32b",
        "qwen3-235b", "gemma-3-27b", "gpt-oss-120b", "llama-70b-mha"}) {
    CHECK(has("models", model));
  }
}

TEST_CASE("an entry that is not there names the nearest") {
  const Catalog catalog = find_catalog();
  try {
    load_model(catalog, "lama-3-70b");
    FAIL("no error");
  } catch (const ScenarioError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].help.starts_with("did you mean 'llama-3-70b'?"));
  }
}

TEST_CASE("a mistake in a catalog file is told in that file, beside those of the scenario") {
  const Folder folder;
  folder.write("hardware/gpus/h1.yaml",
               "# A GPU.\nname: h1\nmemory: {reported: 80, sold: 80 GB}\nhbm_bandwidth: 3 TB/s\npeak: {bf16: 1 "
               "TFLOP/s}\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n");
  folder.write("hardware/nodes/n1.yaml", "# A node.\nname: n1\ngpu: h1\ngpus: 2\nlinks: [{from: gpu, to: gpu}]\n");
  const Catalog catalog(folder.path());
  try {
    load_node(catalog, "n1");
    FAIL("no error");
  } catch (const ScenarioError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].code == "missing-unit");
    CHECK(error.diagnostics()[0].file.ends_with("h1.yaml"));
    CHECK(error.diagnostics()[0].line == 3);
    CHECK(error.diagnostics()[0].column == 20);
  }
}

TEST_CASE("an entry that is like itself is refused") {
  const Folder folder;
  folder.write("hardware/gpus/a.yaml", "like: b\n");
  folder.write("hardware/gpus/b.yaml", "like: a\n");
  CHECK_THROWS_AS(load_gpu(Catalog(folder.path()), "a"), ScenarioError);
}

}  // namespace decodesim::tests
