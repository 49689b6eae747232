#pragma once
// One description of each Spec, beside it: what the loader, the schema, the reference page and the writer all read.

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/core/quantity_text.hpp"

namespace decodesim {

struct Field;

/// The fields of a Spec, in the order of the reference page.
class FieldTable {
 public:
  constexpr FieldTable() = default;
  template <std::size_t n>
  constexpr FieldTable(const Field (&fields)[n]) : first_(fields), count_(n) {}
  template <std::size_t n>
  constexpr FieldTable(const std::array<Field, n>& fields) : first_(fields.data()), count_(n) {}
  constexpr FieldTable(const Field* first, std::size_t count) : first_(first), count_(count) {}
  [[nodiscard]] const Field* begin() const { return first_; }
  [[nodiscard]] const Field* end() const;
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  const Field* first_ = nullptr;
  std::size_t count_ = 0;
};

/// Must a scenario state it? `defaulted` takes the Spec's own initial value, `optional` stays absent. A required field
/// inside a record is required where the record is present, and where the field applies.
enum class Need { required, defaulted, optional };

/// Where a default comes from. `unlisted` ones change no result, or say only that something is absent.
enum class DefaultSource { unlisted, spec, measured, assumed };
std::string_view default_source_name(DefaultSource source);

/// The values a number may have.
struct Range {
  double min = 0;
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;
  bool max_excluded = false;
  bool or_zero = false;  // 0 stands for something that is not there

  [[nodiscard]] bool contains(double value) const {
    if (or_zero && value == 0) return true;
    return (min_excluded ? value > min : value >= min) && (max_excluded ? value < max : value <= max);
  }
};
constexpr Range at_least(double min) { return {.min = min}; }
constexpr Range above(double min) { return {.min = min, .min_excluded = true}; }
constexpr Range from_to(double min, double max) { return {.min = min, .max = max}; }
constexpr Range zero_or(double min, double max) { return {.min = min, .max = max, .or_zero = true}; }
constexpr Range above_to(double min, double max) { return {.min = min, .max = max, .min_excluded = true}; }
constexpr Range from_below(double min, double max) { return {.min = min, .max = max, .max_excluded = true}; }

/// When a field has an effect: a predicate on its Spec, the words for it, and the sibling keys that decide, the one to
/// change first, separated by blanks. A field without effect is an error where it is stated.
struct Applies {
  bool (*holds)(const void* spec) = nullptr;
  std::string_view words;
  std::string_view deciders;

  [[nodiscard]] constexpr std::string_view first_decider() const { return deciders.substr(0, deciders.find(' ')); }
  [[nodiscard]] constexpr bool decided_by(std::string_view key) const {
    for (std::string_view left = deciders; !left.empty();) {
      const std::size_t end = left.find(' ');
      if (left.substr(0, end) == key) return true;
      left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 1);
    }
    return false;
  }
};

/// What a field chooses in its Spec by being present: the tag of a tagged union.
struct Selects {
  void (*apply)(void* spec) = nullptr;
};

/// A leaf: one value of one kind.
struct ScalarField {
  Kind kind = Kind::text;
  Range range;
  std::span<const std::string_view> choices;           // of a choice, in the order of the enumeration
  std::vector<std::string_view> (*names)() = nullptr;  // a text that must be one of these
  Value (*get)(const void* spec) = nullptr;
  void (*set)(void* spec, const Value& value) = nullptr;
  Value (*initial)() = nullptr;  // of a Spec that nobody touched
};

/// A mapping with its own table. A group is one whose fields lie in the owner itself.
struct RecordField {
  FieldTable fields;
  void* (*inside)(void* spec) = nullptr;
  const Field* shorthand = nullptr;  // of the record itself: a scalar that may stand in place of the mapping
  std::string_view catalog;          // the folder of named entries; empty: there are none
  std::string_view like;             // the key that names an entry to start from
  bool name_alone = false;           // a name may stand in place of the mapping
};

/// A list of mappings, or of single values.
struct ListField {
  FieldTable fields;
  const Field* item = nullptr;  // a scalar: each entry is one, in place of a mapping
  std::size_t (*size)(const void* spec) = nullptr;
  const void* (*at)(const void* spec, std::size_t index) = nullptr;
  void* (*append)(void* spec) = nullptr;
};

struct Field {
  std::string_view key;
  std::string_view doc;  // one line
  Need need = Need::defaulted;
  DefaultSource source = DefaultSource::unlisted;
  std::string_view default_words;  // where the initial value does not say it
  Applies applies;
  Selects selects;
  std::string_view
      stands_for;  // a sibling's key that it is another name of: where both are stated the later one counts
  std::variant<ScalarField, RecordField, ListField> shape;

  [[nodiscard]] const ScalarField* scalar() const { return std::get_if<ScalarField>(&shape); }
  [[nodiscard]] const RecordField* record() const { return std::get_if<RecordField>(&shape); }
  [[nodiscard]] const ListField* list() const { return std::get_if<ListField>(&shape); }
  [[nodiscard]] bool applies_to(const void* spec) const { return applies.holds == nullptr || applies.holds(spec); }
};

inline const Field* FieldTable::end() const { return first_ + count_; }

}  // namespace decodesim
