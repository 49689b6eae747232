#pragma once
// The fields of `workload`: a list of requests, a trace or a generator.

#include "sim/core/field_of.hpp"
#include "sim/workload/arrival_fields.hpp"
#include "sim/workload/client_fields.hpp"
#include "sim/workload/length_fields.hpp"
#include "sim/workload/trace_spec_fields.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

inline constexpr double longest_load = 1e6;  // seconds

// Exact in a double too, which is what a number of YAML or JSON may be on its way here.
inline constexpr double largest_hash_id = 9'007'199'254'740'992;

inline bool has_prefix_group(const Request& request) { return !request.prefix_group.empty(); }
constexpr bool has_remote_tokens(const Request& request) { return request.remote_tokens > 0; }
inline bool has_session(const Request& request) { return !request.session.empty(); }
constexpr bool has_hash_ids(const Request& request) { return !request.content.empty(); }
inline constexpr Field hash_id_item = field<&TokenRun::key>("id", {.range = from_to(0, largest_hash_id)});

inline constexpr Field request_fields[] = {
    field<&Request::id>("id", {.doc = "a name for it; absent: its place in the list, from 0"}),
    field<&Request::arrival>("arrival",
                             {.doc = "since the start of the run; a later turn of a session comes no earlier",
                              .range = from_to(0, latest_arrival * 1e9)}),
    field<&Request::input_tokens>(
        "input_tokens",
        {.doc = "of the prompt", .need = Need::required, .kind = Kind::tokens, .range = from_to(1, longest_request)}),
    field<&Request::output_tokens>("output_tokens", {.doc = "that it will really generate; no policy sees it",
                                                     .need = Need::required,
                                                     .kind = Kind::tokens,
                                                     .range = from_to(1, longest_request)}),
    field<&Request::max_tokens>("max_tokens", {.doc = "that the client asks for",
                                               .kind = Kind::tokens,
                                               .range = from_to(1, longest_request),
                                               .default_words = "output_tokens"}),
    field<&Request::ignore_eos>("ignore_eos", {.doc = "the client wants max_tokens, whatever the model says; some "
                                                      "engines reckon with it"}),
    field<&Request::priority>("priority", {.doc = "smaller is more urgent", .range = from_to(0, 1e9)}),
    field<&Request::prefix_group>(
        "prefix_group", {.doc = "prompts of one group begin with the same tokens; absent: nothing is shared"}),
    field<&Request::prefix_tokens>("prefix_tokens",
                                   {.doc = "how many of its input_tokens are its group's",
                                    .need = Need::required,
                                    .kind = Kind::tokens,
                                    .range = from_to(1, longest_request),
                                    .applies = when<&has_prefix_group>("prefix_group is given", "prefix_group")}),
    list<&Request::content>("hash_ids", {},
                            {.doc = "what its prompt begins with, block by block: the same id stands for the same "
                                    "tokens",
                             .need = Need::optional,
                             .shorthand = &hash_id_item}),
    field<&Request::hash_block_size>("hash_block_size",
                                     {.doc = "tokens behind each of hash_ids; the last may be cut by the prompt's end",
                                      .need = Need::required,
                                      .kind = Kind::tokens,
                                      .range = from_to(1, longest_request),
                                      .applies = when<&has_hash_ids>("hash_ids is given", "hash_ids")}),
    field<&Request::cache_salt>("cache_salt", {.doc = "only requests with the same one find each other's KV"}),
    field<&Request::remote_tokens>(
        "remote_tokens", {.doc = "of its prompt, from the beginning, whose KV is computed elsewhere and loaded, once",
                          .kind = Kind::tokens,
                          .range = from_to(0, longest_request)}),
    field<&Request::load_time>("load_time",
                               {.doc = "how long it loads what it does not find here",
                                .need = Need::required,
                                .range = from_to(0, longest_load * 1e9),
                                .applies = when<&has_remote_tokens>("remote_tokens is given", "remote_tokens")}),
    field<&Request::no_prefix_read>(
        "no_prefix_read",
        {.doc = "computes all of its prompt, as log-probabilities of it need, and caches it all the same"}),
    field<&Request::tenant>("tenant", {.doc = "whose request it is, for fair shares"}),
    field<&Request::slo_class>("slo_class", {.doc = "what reports group it under"}),
    field<&Request::deadline>("deadline", {.doc = "from its arrival to when its last token should be there",
                                           .need = Need::optional,
                                           .range = from_to(0, latest_arrival * 1e9)}),
    field<&Request::timeout>("timeout", {.doc = "from its arrival to when its client gives up on it, unanswered",
                                         .need = Need::optional,
                                         .range = above_to(0, latest_arrival * 1e9)}),
    field<&Request::cancel_after>("cancel_after", {.doc = "from its arrival to when its user does not want it any more",
                                                   .need = Need::optional,
                                                   .range = above_to(0, latest_arrival * 1e9)}),
    field<&Request::session>("session",
                             {.doc = "that it is a turn of; the turns of a session are asked in the order of "
                                     "the list, each when the one before it was answered; absent: it stands "
                                     "alone"}),
    field<&Request::think_time>("think_time", {.doc = "from the answer before it to this turn",
                                               .range = from_to(0, latest_arrival * 1e9),
                                               .applies = when<&has_session>("session is given", "session")}),
};

inline bool clients_have_arrivals(const WorkloadSpec& workload) {
  return !workload.clients.empty() && workload.clients.front().has_arrival;
}
inline bool has_sessions(const WorkloadSpec& workload) {
  bool any = workload.sessions.on();
  for (const ClientSpec& client : workload.clients) any = any || client.sessions.on();
  return any;
}
constexpr bool workload_is_generated(const WorkloadSpec& workload) { return workload.kind == WorkloadKind::generator; }
inline bool workload_has_one_arrival(const WorkloadSpec& workload) {
  return workload_is_generated(workload) && !workload.max_concurrency.has_value() && !clients_have_arrivals(workload);
}
inline bool places_wait(const WorkloadSpec& workload) {
  return workload_is_generated(workload) && workload.max_concurrency.has_value() && !workload.sessions.on();
}
inline bool lengths_stand_alone(const WorkloadSpec& workload) {
  return workload_is_generated(workload) && workload.lengths.from.empty();
}
inline constexpr Applies to_the_generator =
    when<&workload_is_generated>("neither workload.requests nor workload.trace is given", "");
inline constexpr Applies to_lengths_alone =
    when<&lengths_stand_alone>("neither workload.requests, workload.trace nor workload.lengths is given", "lengths");

inline constexpr Field joint_lengths_fields[] = {
    field<&JointLengthsSpec::from>(
        "from", {.doc = "the trace whose rows are drawn", .need = Need::required, .kind = Kind::path}),
};

inline constexpr Field workload_fields[] = {
    list<&WorkloadSpec::requests>("requests", request_fields,
                                  {.doc = "every request, one by one",
                                   .need = Need::optional,
                                   .selects = selects<&WorkloadSpec::kind, WorkloadKind::requests>()}),
    record<&WorkloadSpec::trace>("trace", trace_fields,
                                 {.doc = "a trace file, or a mapping that says how it is read",
                                  .need = Need::optional,
                                  .selects = selects<&WorkloadSpec::kind, WorkloadKind::trace>(),
                                  .shorthand = &trace_shorthand}),
    count_where_stated<WorkloadSpec, &WorkloadSpec::num_requests>(
        "num_requests", Kind::count,
        {.doc = "how many the generator makes, turns of sessions included; needed unless duration is given",
         .need = Need::optional,
         .range = from_to(1, 1e9),
         .applies = to_the_generator}),
    field<&WorkloadSpec::duration>("duration",
                                   {.doc = "nobody asks from then on; with num_requests, what is reached first counts",
                                    .need = Need::optional,
                                    .range = above_to(0, latest_arrival * 1e9),
                                    .applies = to_the_generator}),
    field<&WorkloadSpec::max_concurrency>("max_concurrency",
                                          {.doc = "closed loop: so many requests, or sessions, in flight at any time",
                                           .need = Need::optional,
                                           .range = from_to(1, 1e9),
                                           .applies = to_the_generator}),
    record<&WorkloadSpec::arrival>(
        "arrival", arrival_fields,
        {.doc = "open loop: when requests come, or sessions begin, whatever the server does",
         .applies = when<&workload_has_one_arrival>("the workload is generated, workload.max_concurrency is not given "
                                                    "and clients have no arrivals of their own",
                                                    "max_concurrency clients")}),
    record<&WorkloadSpec::think_time>(
        "think_time", duration_fields,
        {.doc = "closed loop: how long a place stays free after each answer: a time, or a distribution",
         .need = Need::optional,
         .applies = when<&places_wait>("workload.max_concurrency is given and workload.sessions is not",
                                       "max_concurrency sessions"),
         .shorthand = &duration_shorthand}),
    record<&WorkloadSpec::lengths>("lengths", joint_lengths_fields,
                                   {.doc = "prompts and answers together, as they stand in the rows of a trace",
                                    .need = Need::optional,
                                    .applies = to_the_generator}),
    record<&WorkloadSpec::input_tokens>(
        "input_tokens", length_fields,
        {.doc =
             "of a prompt, or of what a turn adds to it: a number, or a distribution; needed unless lengths or every "
             "client has it",
         .need = Need::optional,
         .applies = to_lengths_alone,
         .shorthand = &length_shorthand}),
    record<&WorkloadSpec::output_tokens>(
        "output_tokens", length_fields,
        {.doc = "of an answer: a number, or a distribution; needed unless lengths or every client has it",
         .need = Need::optional,
         .applies = to_lengths_alone,
         .shorthand = &length_shorthand}),
    record<&WorkloadSpec::prefix_groups>("prefix_groups", prefix_groups_fields,
                                         {.doc = "prompts that begin alike: prefixes that groups of requests share",
                                          .need = Need::optional,
                                          .applies = to_the_generator}),
    record<&WorkloadSpec::sessions>("sessions", sessions_fields,
                                    {.doc = "talks of several requests, each asked after the answer before it",
                                     .need = Need::optional,
                                     .applies = to_the_generator}),
    field<&WorkloadSpec::slo_class>("slo_class",
                                    {.doc = "what reports group the requests under", .applies = to_the_generator}),
    field<&WorkloadSpec::tenant>("tenant",
                                 {.doc = "whose requests they are, for fair shares", .applies = to_the_generator}),
    field<&WorkloadSpec::priority>("priority", {.doc = "of the requests; smaller is more urgent; absent: 0",
                                                .need = Need::optional,
                                                .range = from_to(0, 1e9),
                                                .applies = to_the_generator}),
    field<&WorkloadSpec::deadline>("deadline", {.doc = "from an arrival to when the last token should be there",
                                                .need = Need::optional,
                                                .range = a_time_of_the_run,
                                                .applies = to_the_generator}),
    field<&WorkloadSpec::timeout>("timeout", {.doc = "after an arrival, when the client gives up on a request",
                                              .need = Need::optional,
                                              .range = a_clients_patience,
                                              .applies = to_the_generator}),
    record<&WorkloadSpec::cancel>("cancel", cancel_fields,
                                  {.doc = "requests that their user does not want any more",
                                   .need = Need::optional,
                                   .applies = to_the_generator}),
    list<&WorkloadSpec::clients>("clients", client_fields,
                                 {.doc = "kinds of requests that are mixed, each with what it has of its own",
                                  .need = Need::optional,
                                  .applies = to_the_generator}),
};

}  // namespace decodesim
