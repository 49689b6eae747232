// What is fitted where nobody says it, from scenarios/validation/fit.yaml.

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/core/field_of.hpp"
#include "sim/scenario/record_reader.hpp"
#include "sim/study/calibration.hpp"

namespace decodesim {

namespace {

struct FitPath {
  std::string path;
};
struct FitList {
  std::string cost;
  std::vector<FitPath> fields;
};
struct FitLists {
  std::int64_t version = 1;
  std::vector<FitList> fits;
};

constexpr Field fit_path_item = field<&FitPath::path>("path", {});
constexpr Field fit_list_fields[] = {
    field<&FitList::cost>("cost", {.doc = "cost.model", .need = Need::required}),
    list<&FitList::fields>("fields", {}, {.doc = "paths of what is fitted under it", .shorthand = &fit_path_item}),
};
constexpr Field fit_lists_fields[] = {
    field<&FitLists::version>("version", {.doc = "of this format: 1", .need = Need::required, .range = from_to(1, 1)}),
    list<&FitLists::fits>("fits", fit_list_fields, {.doc = "a list a cost model"}),
};

}  // namespace

std::vector<FittedField> default_fit(const std::string& cost_model) {
  const Catalog catalog = find_catalog();
  const std::filesystem::path file = catalog.root() / "scenarios" / "validation" / "fit.yaml";
  std::string why;
  std::optional<std::string> text = read_file(file, why);
  if (!text) return {};
  Reading reading(catalog);
  FitLists lists;
  const SourceText* source = reading.keep_file(file, std::move(*text));
  if (const std::optional<DocumentNode> tree = reading.parse(*source)) {
    std::vector<std::string> stated;
    RecordReader(reading, fit_lists_fields, stated).read(*tree, fit_lists_fields, &lists, "");
  }
  if (reading.errors() > 0) throw ScenarioError(reading.diagnostics());
  std::vector<FittedField> fields;
  for (const FitList& list : lists.fits) {
    if (list.cost != cost_model) continue;
    for (const FitPath& one : list.fields) fields.push_back(find_fitted_field(one.path));
  }
  return fields;
}

}  // namespace decodesim
