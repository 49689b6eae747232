// What is fitted where nobody says it, from scenarios/validation/fit.yaml.

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/field_of.hpp"
#include "sim/scenario/catalog.hpp"
#include "sim/scenario/diagnostic.hpp"
#include "sim/study/calibration.hpp"
#include "sim/study/mapping_file.hpp"

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
  FitLists lists;
  try {
    read_mapping_file(find_catalog().root() / "scenarios" / "validation" / "fit.yaml", fit_lists_fields, &lists,
                      "a list of what is fitted");
  } catch (const UnreadableFile&) {
    return {};
  }
  std::vector<FittedField> fields;
  for (const FitList& list : lists.fits) {
    if (list.cost != cost_model) continue;
    for (const FitPath& one : list.fields) fields.push_back(find_fitted_field(one.path));
  }
  return fields;
}

}  // namespace decodesim
