#pragma once
// The fields of `workload`: a list of requests, a trace or a generator.

#include "sim/core/field_of.hpp"
#include "sim/workload/workload_spec.hpp"

namespace decodesim {

// Beyond this no server has gone, and sums over a million requests still fit 64 bits.
inline constexpr double longest_request = 1e9;

// Fifty years: a run may end a hundred years after its start.
inline constexpr double latest_arrival = 50.0 * 365 * 86'400;  // seconds

inline constexpr double longest_load = 1e6;  // seconds

// Exact in a double too, which is what a number of YAML or JSON may be on its way here.
inline constexpr double largest_hash_id = 9'007'199'254'740'992;

constexpr bool has_prefix_group(const Request& request) { return !request.prefix_group.empty(); }
constexpr bool has_remote_tokens(const Request& request) { return request.remote_tokens > 0; }
constexpr bool has_session(const Request& request) { return !request.session.empty(); }
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

inline constexpr Field class_fields[] = {
    field<&ClassSpec::name>("name", {.doc = "what reports group its requests under", .need = Need::required}),
    field<&ClassSpec::share>("share", {.doc = "of the requests, in proportion to the shares of the other classes",
                                       .source = DefaultSource::assumed,
                                       .range = above_to(0, 1e9)}),
    field<&ClassSpec::priority>("priority",
                                {.doc = "of its requests; smaller is more urgent", .range = from_to(0, 1e9)}),
    field<&ClassSpec::tenant>("tenant", {.doc = "whose requests they are, for fair shares"}),
    field<&ClassSpec::deadline>("deadline", {.doc = "from an arrival to when the last token should be there",
                                             .need = Need::optional,
                                             .range = from_to(0, latest_arrival * 1e9)}),
};

inline constexpr std::string_view length_distribution_names[] = {"constant", "uniform", "lognormal"};

// A length is a number of tokens, or a mapping where it is drawn.
inline Value constant_length(const LengthSpec& length) {
  if (length.distribution != LengthDistribution::constant) return {};
  return length.min;
}
inline void set_constant_length(LengthSpec& length, const Value& value) {
  length.distribution = LengthDistribution::constant;
  length.min = length.max = std::get<std::int64_t>(value);
}
inline constexpr Field length_shorthand = computed_field<LengthSpec, constant_length, set_constant_length>(
    "tokens", Kind::tokens, {.range = from_to(1, longest_request)});
constexpr bool length_is_lognormal(const LengthSpec& length) {
  return length.distribution == LengthDistribution::lognormal;
}
inline constexpr Applies to_lognormal = when<&length_is_lognormal>("distribution is lognormal", "distribution");
inline constexpr Field length_fields[] = {
    field<&LengthSpec::distribution>(
        "distribution",
        {.doc = "how the length is drawn", .need = Need::required, .choices = length_distribution_names}),
    field<&LengthSpec::min>(
        "min",
        {.doc = "the shortest", .need = Need::required, .kind = Kind::tokens, .range = from_to(1, longest_request)}),
    field<&LengthSpec::max>(
        "max",
        {.doc = "the longest", .need = Need::required, .kind = Kind::tokens, .range = from_to(1, longest_request)}),
    field<&LengthSpec::mean>("mean", {.doc = "tokens on average, before min and max cut",
                                      .need = Need::required,
                                      .range = from_to(1, longest_request),
                                      .applies = to_lognormal}),
    field<&LengthSpec::cv>("cv", {.doc = "standard deviation over mean, before min and max cut",
                                  .need = Need::required,
                                  .range = from_to(0, 100),
                                  .applies = to_lognormal}),
};

inline constexpr std::string_view arrival_process_names[] = {"all_at_once", "constant", "poisson"};
constexpr bool arrivals_have_a_rate(const ArrivalSpec& arrival) {
  return arrival.process != ArrivalProcess::all_at_once;
}

inline constexpr Field arrival_fields[] = {
    field<&ArrivalSpec::process>("process", {.doc = "when requests come: all at time zero, evenly, or at random",
                                             .source = DefaultSource::assumed,
                                             .choices = arrival_process_names}),
    field<&ArrivalSpec::request_rate>(
        "request_rate",
        {.doc = "requests a second",
         .need = Need::required,
         .kind = Kind::request_rate,
         .range = from_to(1e-6, 1e9),
         .applies = when<&arrivals_have_a_rate>("workload.arrival.process is constant or poisson", "process")}),
};

inline constexpr Field prefix_groups_fields[] = {
    field<&PrefixGroupsSpec::groups>(
        "groups", {.doc = "how many prefixes there are", .need = Need::required, .range = from_to(1, 1e9)}),
    field<&PrefixGroupsSpec::tokens>("tokens", {.doc = "of a prefix, which is part of the prompt",
                                                .need = Need::required,
                                                .kind = Kind::tokens,
                                                .range = from_to(1, longest_request)}),
    field<&PrefixGroupsSpec::share>("share", {.doc = "of the requests that begin with one, each equally likely",
                                              .source = DefaultSource::assumed,
                                              .kind = Kind::fraction,
                                              .range = above_to(0, 1)}),
};

constexpr bool workload_is_generated(const WorkloadSpec& workload) { return workload.kind == WorkloadKind::generator; }
constexpr bool workload_is_open(const WorkloadSpec& workload) {
  return workload.kind == WorkloadKind::generator && !workload.max_concurrency.has_value();
}
inline constexpr Applies to_the_generator =
    when<&workload_is_generated>("neither workload.requests nor workload.trace is given", "");

inline constexpr Field workload_fields[] = {
    list<&WorkloadSpec::requests>("requests", request_fields,
                                  {.doc = "every request, one by one",
                                   .need = Need::optional,
                                   .selects = selects<&WorkloadSpec::kind, WorkloadKind::requests>()}),
    field<&WorkloadSpec::trace>("trace",
                                {.doc = "a trace file: decodesim's YAML, CSV with the columns of the Azure traces, or "
                                        "Mooncake's JSONL",
                                 .need = Need::optional,
                                 .kind = Kind::path,
                                 .selects = selects<&WorkloadSpec::kind, WorkloadKind::trace>()}),
    field<&WorkloadSpec::num_requests>("num_requests", {.doc = "how many the generator makes",
                                                        .need = Need::required,
                                                        .range = from_to(1, 1e9),
                                                        .applies = to_the_generator}),
    field<&WorkloadSpec::max_concurrency>("max_concurrency",
                                          {.doc = "closed loop: so many requests in flight at any time",
                                           .need = Need::optional,
                                           .range = from_to(1, 1e9),
                                           .applies = to_the_generator}),
    record<&WorkloadSpec::arrival>(
        "arrival", arrival_fields,
        {.doc = "open loop: when requests come, whatever the server does",
         .applies = when<&workload_is_open>("the workload is generated and workload.max_concurrency is not given",
                                            "max_concurrency")}),
    record<&WorkloadSpec::input_tokens>("input_tokens", length_fields,
                                        {.doc = "of a prompt: a number, or a distribution",
                                         .need = Need::required,
                                         .applies = to_the_generator,
                                         .shorthand = &length_shorthand}),
    record<&WorkloadSpec::output_tokens>("output_tokens", length_fields,
                                         {.doc = "of an answer: a number, or a distribution",
                                          .need = Need::required,
                                          .applies = to_the_generator,
                                          .shorthand = &length_shorthand}),
    record<&WorkloadSpec::prefix_groups>("prefix_groups", prefix_groups_fields,
                                         {.doc = "prompts that begin alike: prefixes that groups of requests share",
                                          .need = Need::optional,
                                          .applies = to_the_generator}),
    list<&WorkloadSpec::classes>("classes", class_fields,
                                 {.doc = "kinds of requests, dealt to the generated ones at random by their shares",
                                  .need = Need::optional,
                                  .applies = to_the_generator}),
};

}  // namespace decodesim
