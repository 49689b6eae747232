#pragma once
// What the field tables say, for editors and for readers.

#include <string>

namespace decodesim {

/// The JSON Schema (draft-07) of scenario files. A file that the loader accepts is valid under it; the loader checks
/// more: names in the catalog, keys without effect, and what must hold between keys.
std::string scenario_schema();

/// The reference of all keys in Markdown: kinds, units, defaults with their source, ranges, meanings.
std::string reference_page();

}  // namespace decodesim
