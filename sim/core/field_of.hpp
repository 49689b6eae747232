#pragma once
// Makes the entries of a field table from members: field<&Spec::member>(...), record, group and list.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "sim/core/field.hpp"
#include "sim/core/name.hpp"
#include "sim/core/quantity.hpp"
#include "sim/core/time.hpp"

namespace decodesim {

/// What a table says about a field beyond its key and member.
struct About {
  std::string_view doc{};
  Need need = Need::defaulted;
  DefaultSource source = DefaultSource::unlisted;
  std::optional<Kind> kind{};  // where the member's type does not tell it
  Range range{};
  std::span<const std::string_view> choices{};
  std::vector<std::string_view> (*names)() = nullptr;
  std::string_view default_words{};
  Applies applies{};
  Selects selects{};
  std::string_view stands_for{};
  const Field* shorthand = nullptr;
  std::string_view catalog{};
  std::string_view like{};
  bool name_alone = false;
};

/// A name as a template argument.
template <std::size_t n>
struct NameArgument {
  char text[n];
  constexpr NameArgument(const char (&name)[n]) : text() {
    for (std::size_t i = 0; i < n; ++i) text[i] = name[i];
  }
};

namespace field_detail {

template <class Member>
struct MemberOf;
template <class Owner_, class Type_>
struct MemberOf<Type_ Owner_::*> {
  using Owner = Owner_;
  using Type = Type_;
};
template <auto member>
using OwnerOf = typename MemberOf<decltype(member)>::Owner;
template <auto member>
using TypeOf = typename MemberOf<decltype(member)>::Type;

template <class Predicate>
struct ArgumentOf;
template <class Spec>
struct ArgumentOf<bool (*)(const Spec&)> {
  using Type = Spec;
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Inner = T;
};

template <class T>
constexpr Kind kind_of() {
  if constexpr (IsOptional<T>::value)
    return kind_of<typename IsOptional<T>::Inner>();
  else if constexpr (std::is_same_v<T, bool>)
    return Kind::flag;
  else if constexpr (std::is_enum_v<T>)
    return Kind::choice;
  else if constexpr (std::is_integral_v<T>)
    return Kind::count;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::number;
  else if constexpr (std::is_same_v<T, Tokens>)
    return Kind::tokens;
  else if constexpr (std::is_same_v<T, Bytes>)
    return Kind::bytes;
  else if constexpr (std::is_same_v<T, BytesPerSecond>)
    return Kind::bandwidth;
  else if constexpr (std::is_same_v<T, FlopsPerSecond>)
    return Kind::flop_rate;
  else if constexpr (std::is_same_v<T, Seconds>)
    return Kind::latency;
  else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Time>)
    return Kind::duration;
  else
    return Kind::text;
}

template <class T>
Value to_value(const T& member) {
  if constexpr (IsOptional<T>::value)
    return member ? to_value(*member) : Value();
  else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> || std::is_same_v<T, std::string>)
    return Value(member);
  else if constexpr (std::is_same_v<T, Name>)
    return Value(member.text());
  else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
    return Value(static_cast<std::int64_t>(member));
  else if constexpr (std::is_same_v<T, Duration>)
    return Value(member.count());
  else if constexpr (std::is_same_v<T, Time>)
    return Value(member.time_since_epoch().count());
  else
    return Value(member.value());
}

template <class T>
void from_value(T& member, const Value& value) {
  if constexpr (IsOptional<T>::value) {
    if (std::holds_alternative<std::monostate>(value)) {
      member.reset();
    } else {
      from_value(member.emplace(), value);
    }
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    member = std::get<T>(value);
  } else if constexpr (std::is_same_v<T, Name>) {
    member = Name(std::get<std::string>(value));
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    member = static_cast<T>(std::get<std::int64_t>(value));
  } else if constexpr (std::is_same_v<T, Duration>) {
    member = Duration(std::get<std::int64_t>(value));
  } else if constexpr (std::is_same_v<T, Time>) {
    member = Time(Duration(std::get<std::int64_t>(value)));
  } else if constexpr (std::is_same_v<T, Tokens>) {
    member = T(std::get<std::int64_t>(value));
  } else {
    member = T(std::get<double>(value));
  }
}

/// The largest value that a whole-number member can hold, so that nothing is cut off on the way in.
template <class T>
constexpr double largest_whole() {
  if constexpr (IsOptional<T>::value)
    return largest_whole<typename IsOptional<T>::Inner>();
  else if constexpr (std::is_integral_v<T> && sizeof(T) < 8)
    return static_cast<double>(std::numeric_limits<T>::max());
  else
    return std::numeric_limits<double>::infinity();
}

template <class Shape>
constexpr Field described(std::string_view key, const About& about, const Shape& shape) {
  return Field{key,           about.doc,     about.need,       about.source, about.default_words,
               about.applies, about.selects, about.stands_for, shape};
}

constexpr RecordField record_shape(FieldTable fields, void* (*inside)(void*), const About& about) {
  return RecordField{fields, inside, about.shorthand, about.catalog, about.like, about.name_alone};
}

template <auto member>
void* member_inside(void* spec) {
  return &(static_cast<OwnerOf<member>*>(spec)->*member);
}

}  // namespace field_detail

/// A predicate on the Spec as `applies`.
template <auto predicate>
constexpr Applies when(std::string_view words, std::string_view deciders) {
  using Spec = typename field_detail::ArgumentOf<decltype(predicate)>::Type;
  return {[](const void* spec) { return predicate(*static_cast<const Spec*>(spec)); }, words, deciders};
}

/// A tag that the presence of a field sets.
template <auto member, auto tag>
constexpr Selects selects() {
  return {[](void* spec) { static_cast<field_detail::OwnerOf<member>*>(spec)->*member = tag; }};
}

/// A leaf whose value is `member`.
template <auto member>
constexpr Field field(std::string_view key, const About& about) {
  using Owner = field_detail::OwnerOf<member>;
  using Type = field_detail::TypeOf<member>;
  ScalarField scalar;
  scalar.kind = about.kind ? *about.kind : field_detail::kind_of<Type>();
  scalar.range = about.range;
  if (scalar.range.max > field_detail::largest_whole<Type>()) scalar.range.max = field_detail::largest_whole<Type>();
  scalar.choices = about.choices;
  scalar.names = about.names;
  scalar.get = [](const void* spec) { return field_detail::to_value(static_cast<const Owner*>(spec)->*member); };
  scalar.set = [](void* spec, const Value& value) {
    field_detail::from_value(static_cast<Owner*>(spec)->*member, value);
  };
  scalar.initial = [] {
    const Owner owner{};
    return field_detail::to_value(owner.*member);
  };
  return field_detail::described(key, about, scalar);
}

/// A leaf whose value is `inner` of the Spec that is the member `outer`: its key stands beside those of the owner.
template <auto outer, auto inner>
constexpr Field field_in(std::string_view key, const About& about) {
  using Owner = field_detail::OwnerOf<outer>;
  Field made = field<inner>(key, about);
  auto& scalar = std::get<ScalarField>(made.shape);
  scalar.get = [](const void* spec) {
    return field_detail::to_value((static_cast<const Owner*>(spec)->*outer).*inner);
  };
  scalar.set = [](void* spec, const Value& value) {
    field_detail::from_value((static_cast<Owner*>(spec)->*outer).*inner, value);
  };
  return made;
}

namespace field_detail {
template <std::size_t n>
constexpr void append(auto& joined, std::size_t& at, const Field (&table)[n]) {
  for (const Field& one : table) joined[at++] = one;
}
}  // namespace field_detail

/// Tables of one Spec as one table, in this order.
template <std::size_t... n>
constexpr auto joined_tables(const Field (&... tables)[n]) {
  std::array<Field, (n + ...)> joined{};
  std::size_t at = 0;
  (field_detail::append(joined, at, tables), ...);
  return joined;
}

/// A leaf of Spec that `read` and `write` compute: a shorthand, for example.
template <class Spec, Value (*read)(const Spec&), void (*write)(Spec&, const Value&)>
constexpr Field computed_field(std::string_view key, Kind kind, const About& about) {
  ScalarField scalar;
  scalar.kind = kind;
  scalar.range = about.range;
  scalar.choices = about.choices;
  scalar.get = [](const void* spec) { return read(*static_cast<const Spec*>(spec)); };
  scalar.set = [](void* spec, const Value& value) { write(*static_cast<Spec*>(spec), value); };
  scalar.initial = [] { return read(Spec{}); };
  return field_detail::described(key, about, scalar);
}

namespace field_detail {
template <class Spec, std::int64_t Spec::*member>
Value count_or_none(const Spec& spec) {
  return spec.*member == 0 ? Value() : Value(spec.*member);
}
template <class Spec, std::int64_t Spec::*member>
void set_count_or_none(Spec& spec, const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  spec.*member = number == nullptr ? 0 : *number;
}
}  // namespace field_detail

/// A count of which the Spec keeps a zero where it is not stated.
template <class Spec, std::int64_t Spec::*member>
constexpr Field count_where_stated(std::string_view key, Kind kind, const About& about) {
  return computed_field<Spec, field_detail::count_or_none<Spec, member>, field_detail::set_count_or_none<Spec, member>>(
      key, kind, about);
}

/// A mapping that is `member`, a Spec with a table of its own.
template <auto member>
constexpr Field record(std::string_view key, FieldTable fields, const About& about) {
  return field_detail::described(key, about,
                                 field_detail::record_shape(fields, field_detail::member_inside<member>, about));
}

/// A mapping whose fields lie in the owner itself: a level of the scenario that the Spec does not have.
constexpr Field group(std::string_view key, FieldTable fields, const About& about) {
  return field_detail::described(key, about,
                                 field_detail::record_shape(
                                     fields, [](void* spec) { return spec; }, about));
}

/// A list that is `member`, a vector of Specs: of mappings with one table, or of the scalar that `about.shorthand` is.
template <auto member>
constexpr Field list(std::string_view key, FieldTable fields, const About& about) {
  using Owner = field_detail::OwnerOf<member>;
  ListField shape;
  shape.fields = fields;
  shape.item = about.shorthand;
  shape.size = [](const void* spec) { return (static_cast<const Owner*>(spec)->*member).size(); };
  shape.at = [](const void* spec, std::size_t index) -> const void* {
    return &(static_cast<const Owner*>(spec)->*member)[index];
  };
  shape.append = [](void* spec) -> void* { return &(static_cast<Owner*>(spec)->*member).emplace_back(); };
  return field_detail::described(key, about, shape);
}

}  // namespace decodesim
