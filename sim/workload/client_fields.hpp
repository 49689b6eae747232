#pragma once
// The fields of shared prefixes, sessions and clients.

#include "sim/core/field_of.hpp"
#include "sim/workload/arrival_fields.hpp"
#include "sim/workload/client_spec.hpp"
#include "sim/workload/length_fields.hpp"

namespace decodesim {

inline constexpr Range a_time_of_the_run = from_to(0, latest_arrival * 1e9);
inline constexpr Range a_clients_patience = above_to(0, latest_arrival * 1e9);

inline constexpr Field prefix_groups_fields[] = {
    field<&PrefixGroupsSpec::groups>(
        "groups", {.doc = "how many prefixes there are", .need = Need::required, .range = from_to(1, 1e7)}),
    field<&PrefixGroupsSpec::tokens_included>("tokens_included",
                                              {.doc = "of a prefix, which is part of the prompt's drawn length",
                                               .need = Need::optional,
                                               .kind = Kind::tokens,
                                               .range = from_to(1, longest_request),
                                               .selects = selects<&PrefixGroupsSpec::place, PrefixPlace::included>()}),
    field<&PrefixGroupsSpec::tokens_added>("tokens_added",
                                           {.doc = "of a prefix, which comes on top of the prompt's drawn length",
                                            .need = Need::optional,
                                            .kind = Kind::tokens,
                                            .range = from_to(1, longest_request),
                                            .selects = selects<&PrefixGroupsSpec::place, PrefixPlace::added>()}),
    field<&PrefixGroupsSpec::share>("share", {.doc = "of the requests that begin with one",
                                              .source = DefaultSource::assumed,
                                              .kind = Kind::fraction,
                                              .range = above_to(0, 1)}),
    field<&PrefixGroupsSpec::zipf>("zipf",
                                   {.doc = "group k is drawn in proportion to 1 / k^zipf; 0: all are equally likely",
                                    .source = DefaultSource::assumed,
                                    .range = from_to(0, 10)}),
};

inline constexpr Field sessions_fields[] = {
    record<&SessionsSpec::turns>("turns", turns_fields,
                                 {.doc = "requests of a session: a number, or a distribution",
                                  .need = Need::required,
                                  .shorthand = &turns_shorthand}),
    record<&SessionsSpec::think_time>("think_time", duration_fields,
                                      {.doc = "between an answer and the next turn: a time, or a distribution",
                                       .need = Need::optional,
                                       .shorthand = &duration_shorthand}),
    record<&SessionsSpec::first_input>("first_input", length_fields,
                                       {.doc = "tokens of the first prompt, in place of input_tokens",
                                        .need = Need::optional,
                                        .shorthand = &length_shorthand}),
    field<&SessionsSpec::max_context>(
        "max_context", {.doc = "a session ends before a later turn whose prompt and answer together would pass it",
                        .need = Need::optional,
                        .kind = Kind::tokens,
                        .range = from_to(2, longest_request)}),
};

inline constexpr Field cancel_fields[] = {
    field<&CancelSpec::share>("share", {.doc = "of the requests whose user gives up on them",
                                        .need = Need::required,
                                        .kind = Kind::fraction,
                                        .range = above_to(0, 1)}),
    record<&CancelSpec::after>("after", duration_fields,
                               {.doc = "how long after the arrival: a time, or a distribution",
                                .need = Need::required,
                                .shorthand = &duration_shorthand}),
};

inline constexpr Field latency_limit_fields[] = {
    field<&LatencyLimits::ttft_p99>("ttft_p99", {.doc = "time to first token, 99th percentile",
                                                 .need = Need::optional,
                                                 .range = above_to(0, latest_arrival * 1e9)}),
    field<&LatencyLimits::tpot_p99>("tpot_p99", {.doc = "time per output token, 99th percentile",
                                                 .need = Need::optional,
                                                 .range = above_to(0, latest_arrival * 1e9)}),
    field<&LatencyLimits::e2el_p99>("e2el_p99", {.doc = "time from arrival to last token, 99th percentile",
                                                 .need = Need::optional,
                                                 .range = above_to(0, latest_arrival * 1e9)}),
};

constexpr bool client_has_arrival(const ClientSpec& client) { return client.has_arrival; }
constexpr bool client_has_share(const ClientSpec& client) { return !client.has_arrival; }

inline constexpr Field client_fields[] = {
    field<&ClientSpec::name>("name", {.doc = "what its SLO class is called unless it says so", .need = Need::required}),
    field<&ClientSpec::share>("share",
                              {.doc = "of the rate, in proportion to the shares of the other clients; absent: 1",
                               .need = Need::optional,
                               .kind = Kind::fraction,
                               .range = above_to(0, 1e9),
                               .applies = when<&client_has_share>("the client has no arrival of its own", "arrival")}),
    record<&ClientSpec::arrival>("arrival", arrival_fields,
                                 {.doc = "when its requests come, with its own rate; all clients have one, or none",
                                  .need = Need::optional,
                                  .applies = when<&client_has_arrival>("it is given", "arrival"),
                                  .selects = selects<&ClientSpec::has_arrival, true>()}),
    record<&ClientSpec::input_tokens>(
        "input_tokens", length_fields,
        {.doc = "of its prompts", .need = Need::optional, .shorthand = &length_shorthand}),
    record<&ClientSpec::output_tokens>(
        "output_tokens", length_fields,
        {.doc = "of its answers", .need = Need::optional, .shorthand = &length_shorthand}),
    record<&ClientSpec::prefix_groups>(
        "prefix_groups", prefix_groups_fields,
        {.doc = "prefixes that its requests share with each other alone", .need = Need::optional}),
    record<&ClientSpec::sessions>("sessions", sessions_fields,
                                  {.doc = "its talks of several requests", .need = Need::optional}),
    field<&ClientSpec::slo_class>("slo_class", {.doc = "what reports group its requests under",
                                                .default_words = "the workload's, or the client's name"}),
    field<&ClientSpec::tenant>("tenant", {.doc = "whose requests they are, for fair shares"}),
    field<&ClientSpec::priority>(
        "priority",
        {.doc = "of its requests; smaller is more urgent", .need = Need::optional, .range = from_to(0, 1e9)}),
    field<&ClientSpec::deadline>("deadline", {.doc = "from an arrival to when the last token should be there",
                                              .need = Need::optional,
                                              .range = a_time_of_the_run}),
    field<&ClientSpec::timeout>("timeout", {.doc = "after an arrival, when its client gives up on a request",
                                            .need = Need::optional,
                                            .range = a_clients_patience}),
    record<&ClientSpec::cancel>("cancel", cancel_fields,
                                {.doc = "requests that their user does not want any more", .need = Need::optional}),
    record<&ClientSpec::slo>(
        "slo", latency_limit_fields,
        {.doc = "limits that the results of its SLO class are held against", .need = Need::optional}),
};

}  // namespace decodesim
