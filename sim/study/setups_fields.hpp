#pragma once
// The fields of a file of set-ups.

#include "sim/core/field_of.hpp"
#include "sim/study/setups.hpp"

namespace decodesim {

inline constexpr Field name_meaning_fields[] = {
    field<&NameMeaning::column>("column", {.doc = "of the table", .need = Need::required}),
    field<&NameMeaning::text>("text", {.doc = "what stands in it", .need = Need::required}),
    field<&NameMeaning::means>("means", {.doc = "what the catalog calls that", .need = Need::required}),
};

inline constexpr Field setup_condition_fields[] = {
    field<&SetupCondition::id>("id", {.doc = "the row's id begins so"}),
    field<&SetupCondition::note>("note", {.doc = "the row's note begins so"}),
    field<&SetupCondition::input_tokens>("input_tokens", {.doc = "of the row", .range = from_to(1, 1e9)}),
    field<&SetupCondition::output_tokens>("output_tokens", {.doc = "of the row", .range = from_to(1, 1e9)}),
    field<&SetupCondition::tp_below>("tp_below", {.doc = "the row's tp is smaller", .range = from_to(1, 1e9)}),
};

inline constexpr Field setup_text_item = field<&SetupText::text>("text", {});
inline constexpr Field setup_metric_item = field<&SetupText::text>(
    "metric", {.names = +[] {
      return std::vector<std::string_view>(measured_metric_names.begin(), measured_metric_names.end());
    }});

constexpr bool something_is_not_held(const Setup& setup) { return !setup.not_held.empty(); }

inline constexpr Field setup_fields[] = {
    field<&Setup::name>("name", {.doc = "what tables call its rows"}),
    record<&Setup::when>("when", setup_condition_fields, {.doc = "which rows it is for; absent: all"}),
    field<&Setup::base>("base", {.doc = "a scenario below all that the row states", .kind = Kind::path}),
    list<&Setup::sets>("set", {}, {.doc = "path=value, laid over the base", .shorthand = &setup_text_item}),
    field<&Setup::shortest>("shortest", {.doc = "lengths are uniform from this share of the row's length up to it",
                                         .need = Need::optional,
                                         .kind = Kind::fraction,
                                         .range = above_to(0, 1)}),
    field<&Setup::num_requests>("num_requests", {.doc = "of a run", .need = Need::optional, .range = from_to(1, 1e9)}),
    field<&Setup::rounds>(
        "rounds", {.doc = "closed loop: so many requests a client", .need = Need::optional, .range = from_to(1, 1e6)}),
    field<&Setup::clients_are_max_num_seqs>(
        "clients_are_max_num_seqs",
        {.doc = "closed loop: the server ran with max_num_seqs = clients", .need = Need::optional}),
    field<&Setup::derive_throughput>(
        "derive_throughput",
        {.doc = "closed loop: output throughput is computed from TTFT and TPOT, measured and predicted alike",
         .need = Need::optional}),
    field<&Setup::weak_evidence>(
        "weak_evidence", {.doc = "its rows are held, and left out of what --trust writes", .need = Need::optional}),
    list<&Setup::not_held>("not_held", {},
                           {.doc = "metrics that are predicted but not counted", .shorthand = &setup_metric_item}),
    field<&Setup::because>("because", {.doc = "why they are not",
                                       .need = Need::required,
                                       .applies = when<&something_is_not_held>("not_held is given", "not_held")}),
};

inline constexpr Field setups_fields[] = {
    field<&Setups::version>("version", {.doc = "of this format: 1", .need = Need::required, .range = from_to(1, 1)}),
    list<&Setups::names>("names", name_meaning_fields, {.doc = "what tables call things"}),
    list<&Setups::setups>("setups", setup_fields, {.doc = "every one that fits a row applies, later over earlier"}),
};

}  // namespace decodesim
