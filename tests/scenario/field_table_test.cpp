// The field tables themselves, and what is made from them.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/scenario_fields.hpp"
#include "sim/scenario/schema.hpp"

namespace decodesim::tests {

namespace {

using nlohmann::json;

template <class Visit>
void each_field(FieldTable fields, const std::string& path, const Visit& visit) {
  for (const Field& field : fields) {
    const std::string own = path.empty() ? std::string(field.key) : path + "." + std::string(field.key);
    visit(field, own);
    if (const RecordField* record = field.record()) each_field(record->fields, own, visit);
    if (const ListField* list = field.list()) each_field(list->fields, own, visit);
  }
}

// The schema of a path such as scheduler.never_fits.fail_after.
const json* schema_at(const json& schema, const std::string& path) {
  const json* node = &schema;
  std::stringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    if (node->contains("items")) node = &node->at("items");
    if (!node->contains("properties")) node = &node->at("anyOf").at(1);
    if (!node->at("properties").contains(key)) return nullptr;
    node = &node->at("properties").at(key);
  }
  return node;
}

}  // namespace

TEST_CASE("every field has a sentence, and no key stands twice in a table") {
  std::set<std::string> paths;
  each_field(scenario_fields, "", [&](const Field& field, const std::string& path) {
    CAPTURE(path);
    CHECK_FALSE(field.doc.empty());
    CHECK(paths.insert(path).second);
    if (field.need != Need::defaulted) CHECK(field.source == DefaultSource::unlisted);
  });
  CHECK(paths.size() > 90);
}

TEST_CASE("every default is itself a value that its field takes") {
  each_field(scenario_fields, "", [&](const Field& field, const std::string& path) {
    const ScalarField* scalar = field.scalar();
    if (scalar == nullptr || field.need != Need::defaulted || !field.default_words.empty() ||
        scalar->kind == Kind::text)
      return;
    CAPTURE(path);
    const Value initial = scalar->initial();
    if (scalar->kind == Kind::choice) {
      CHECK(static_cast<std::size_t>(std::get<std::int64_t>(initial)) < scalar->choices.size());
      return;
    }
    const std::string text = value_text(scalar->kind, initial);
    const auto read = parse_value(scalar->kind, text);
    CAPTURE(text);
    REQUIRE(read.ok());
    CHECK(read.value == initial);
    double number = scalar->range.min;
    if (const auto* whole = std::get_if<std::int64_t>(&initial)) number = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&initial)) number = *real;
    CHECK(scalar->range.contains(number));
  });
}

TEST_CASE("what a field stores is what it gives back, whatever its member's type") {
  Scenario scenario;
  for (const Field& section : FieldTable(scenario_fields)) {
    const RecordField* record = section.record();
    if (record == nullptr) continue;
    void* spec = record->inside(&scenario);
    for (const Field& field : record->fields) {
      const ScalarField* scalar = field.scalar();
      if (scalar == nullptr || scalar->kind == Kind::text || scalar->kind == Kind::path) continue;
      CAPTURE(std::string(section.key) + "." + std::string(field.key));
      const Value before = scalar->get(spec);
      Value other = Value(std::int64_t{1});
      if (scalar->kind == Kind::flag) other = Value(before != Value(true));
      const auto parsed = parse_value(scalar->kind, std::string(kind_example(scalar->kind)));
      if (scalar->kind != Kind::flag && scalar->kind != Kind::choice) other = parsed.value;
      scalar->set(spec, other);
      CHECK(scalar->get(spec) == other);
      scalar->set(spec, before);
      CHECK(scalar->get(spec) == before);
    }
  }
}

TEST_CASE("the schema is draft-07 JSON and has every key, its meaning, and no other keys") {
  const json schema = json::parse(scenario_schema());
  CHECK(schema.at("$schema") == "http://json-schema.org/draft-07/schema#");
  each_field(scenario_fields, "", [&](const Field& field, const std::string& path) {
    CAPTURE(path);
    const json* node = schema_at(schema, path);
    REQUIRE(node != nullptr);
    CHECK(node->at("description") == std::string(field.doc));
  });
  CHECK(schema.at("additionalProperties") == false);
  CHECK(schema.at("properties").at("cost").at("additionalProperties") == false);
  CHECK(schema.at("patternProperties").contains("^x-"));
  CHECK(schema.at("properties").at("cost").at("properties").at("model").at("enum").at(2) == "roofline");
  const json& workload = schema.at("properties").at("workload").at("anyOf").at(1);  // or a name of the catalog
  CHECK(workload.at("properties").at("requests").at("items").at("required") ==
        json::array({"input_tokens", "output_tokens"}));
  CHECK(schema.at("properties").at("scheduler").at("properties").at("engine").at("enum").at(0) == "vllm-v1");
}

TEST_CASE("the reference page in docs/ is what the field tables say") {
  std::ifstream file(DECODESIM_SOURCE_DIR "/docs/reference.md", std::ios::binary);
  REQUIRE_MESSAGE(file.good(), "docs/reference.md is missing: decodesim schema --markdown > docs/reference.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK_MESSAGE(text.str() == reference_page(),
                "docs/reference.md is behind: decodesim schema --markdown > docs/reference.md");
}

TEST_CASE("the reference page says which version of an engine is followed, and which defaults depend on the GPU") {
  const std::string page = reference_page();
  CHECK(page.find("| `vllm-v1` | vLLM V1 scheduler, upstream state of August 2026") != std::string::npos);
  CHECK(page.find("at least 70 GiB and is no A100, or without hardware; else 256 (*spec*)") != std::string::npos);
  CHECK(page.find("at least 70 GiB and is no A100, or without hardware; else 2048 (*spec*)") != std::string::npos);
  CHECK(page.find("| false (*assumed*) | plan the next step while this one runs") != std::string::npos);
}

TEST_CASE("the reference page has a row for every key") {
  const std::string page = reference_page();
  each_field(scenario_fields, "", [&](const Field& field, const std::string& path) {
    CAPTURE(path);
    CHECK(page.find("| `" + std::string(field.key) + "` | ") != std::string::npos);
  });
}

}  // namespace decodesim::tests
