#pragma once
// Words for the help line of a mistake, from what the field tables know.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/field.hpp"
#include "sim/scenario/catalog.hpp"

namespace decodesim {

/// "a.b" from "a" and "b"; "b" at the top.
std::string joined(const std::string& path, std::string_view key);

/// The field of this key, or nothing.
const Field* find_field(FieldTable fields, std::string_view key);

/// "must be above 0 and at most 1".
std::string range_words(Kind kind, const Range& range);

/// A value that could stand at a field, for "add 'key: VALUE'".
std::string example(const Field& field);

/// The key of the mapping at `path` that a wrong one stands for, by its spelling or because vLLM calls it so.
std::optional<std::string_view> key_meant(std::string_view key, FieldTable fields, const std::string& path,
                                          const std::vector<std::string_view>& extra);

/// What to write in place of a key that no field has; `whole` is the table of the scenario, to say where it belongs.
std::string unknown_key_help(std::string_view key, FieldTable fields, const std::vector<std::string_view>& extra,
                             FieldTable whole);

/// The mapping that says what a name alone does not: "{node: hgx-h100}", or "{gpu: h200-sxm, gpus: N}" for a part of it.
std::string mapping_for(const Catalog& catalog, const RecordField& record, const std::string& name);

/// "'process: poisson' or 'process: constant'": what would give a field an effect, where an absent key decides. `spec` is
/// left as it was.
std::string choices_with_effect(const Field& field, FieldTable fields, void* spec);

}  // namespace decodesim
