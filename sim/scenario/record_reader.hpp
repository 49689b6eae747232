#pragma once
// Fills a Spec from a tree, as its field table says.

#include <string>
#include <vector>

#include "sim/core/field.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// Reads mappings into Specs and notes every mistake: unknown keys, wrong types and units, values out of range, missing
/// keys, keys without effect. A value that a later layer took the effect from is dropped with a warning.
class RecordReader {
 public:
  /// `whole` is the table of the scenario, to say where a key belongs that stands in the wrong place. The paths of what
  /// was read are added to `stated`, entries of lists excepted.
  RecordReader(Reading& reading, FieldTable whole, std::vector<std::string>& stated)
      : reading_(reading), whole_(whole), stated_(stated) {}

  /// `path` is that of the mapping, empty at the top. `extra` names keys that the caller has taken out of it.
  void read(const DocumentNode& map, FieldTable fields, void* spec, const std::string& path,
            const std::vector<std::string_view>& extra = {});

 private:
  struct Superseded;

  void read_field(const Field& field, const DocumentNode& node, void* spec, const std::string& path);
  void read_scalar(const ScalarField& scalar, const DocumentNode& node, void* spec, const std::string& path);
  void read_record(const RecordField& record, const DocumentNode& node, void* spec, const std::string& path);
  void read_list(const ListField& list, const DocumentNode& node, void* spec, const std::string& path);
  std::vector<std::string_view> settle_names(const DocumentNode& map, FieldTable fields, void* spec,
                                             const std::string& path, Superseded& superseded);
  void drop(const Field& field, void* spec, const std::string& path);
  void unknown_key(const DocumentEntry& entry, FieldTable fields, const std::string& path,
                   const std::vector<std::string_view>& extra);
  void missing_key(const DocumentNode& map, const Field& field, const std::string& path);
  void without_effect(const DocumentNode& map, const Field& field, FieldTable fields, void* spec,
                      const std::string& path, Superseded& superseded);
  void warn_of_dropped(const DocumentEntry& winner, const std::string& path, const std::vector<std::string>& dropped);
  void wrong_shape(const DocumentNode& node, const std::string& path, std::string_view wanted, const std::string& help);

  Reading& reading_;
  FieldTable whole_;
  std::vector<std::string>& stated_;
  int lists_ = 0;  // how deep in lists
};

/// Puts a field and all in it back to its initial value.
void reset_field(const Field& field, void* spec);

}  // namespace decodesim
