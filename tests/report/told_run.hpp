#pragma once
// A run told by hand, for tests of what observers make of it.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim::tests {

constexpr Duration seconds(std::int64_t count) { return Duration(count * 1'000'000'000); }
constexpr Time at(std::int64_t count) { return Time(seconds(count)); }

/// A header with 10 usable blocks of 4 tokens.
inline RunHeader header_of(std::int64_t requests) {
  RunHeader header;
  header.version = "0.1.0";
  header.scenario = "told";
  header.hash = "00c0ffee00c0ffee";
  header.requests = requests;
  header.num_blocks = 11;
  header.usable_blocks = 10;
  header.block_size = 4;
  header.cost_model = "fixed";
  header.deployment = "llama-3-70b with bf16 weights and bf16 KV cache, tp 8 on hgx-h100";
  header.model = "llama-3-70b";
  header.node = "hgx-h100";
  header.tp = 8;
  header.weights = header.kv_cache = "bf16";
  header.engine = "vllm-v1";
  return header;
}

/// A step whose time the ledger books as fixed.
inline StepFacts step_of(std::int64_t number, Time start, Time end) {
  StepFacts facts;
  facts.number = number;
  facts.start = start;
  facts.end = end;
  facts.free_blocks = 10;
  facts.ledger.spend(TimePart::fixed, BoundBy::fixed, end - start);
  return facts;
}

inline RequestFacts completed(const Request& request, Time scheduled, Time first_token, Time ended) {
  RequestFacts facts;
  facts.request = &request;
  facts.output_tokens = request.output_tokens;
  facts.scheduled = scheduled;
  facts.first_token = first_token;
  facts.ended = ended;
  return facts;
}

inline RequestFacts failed(const Request& request, Outcome outcome, std::string_view reason, Time ended) {
  RequestFacts facts;
  facts.request = &request;
  facts.outcome = outcome;
  facts.reason = reason;
  facts.ended = ended;
  return facts;
}

inline Request request_of(std::int64_t index, std::string id, Time arrival, std::int64_t input, std::int64_t output) {
  return {index, std::move(id), arrival, input, output, output, 0};
}

/// A(6,3) arrives at 0 s and B(3,1) at 1 s; three steps of a second; 10 blocks of 4 tokens. B's only token and A's
/// second come at 2 s, A ends at 3 s.
inline void tell_two_requests(Observer& observer) {
  static const Request a = request_of(0, "A", at(0), 6, 3);
  static const Request b = request_of(1, "B", at(1), 3, 1);
  const std::vector<TokenGap> gap{{seconds(1), 1}};

  observer.arrived(a);
  StepFacts facts = step_of(1, at(0), at(1));
  facts.shape.add(0, 6);
  facts.shape.samples = facts.running = facts.scheduled = 1;
  facts.free_blocks = 8;
  facts.cached_tokens = 6;
  ScheduleFacts first;
  first.scheduled = {{&a, 6}};
  first.block_tables = {{&a, {1, 2}}};
  facts.schedule = &first;
  observer.step(facts);

  observer.arrived(b);
  facts = step_of(2, at(1), at(2));
  facts.shape.add(6, 1);
  facts.shape.add(0, 3);
  facts.shape.samples = facts.running = facts.scheduled = 2;
  facts.free_blocks = 7;
  facts.cached_tokens = 10;
  facts.gaps = gap;
  ScheduleFacts second;
  second.scheduled = {{&a, 1}, {&b, 3}};
  second.finished = {&b};
  second.block_tables = {{&a, {1, 2}}, {&b, {3}}};
  facts.schedule = &second;
  observer.step(facts);
  observer.ended(completed(b, at(1), at(2), at(2)));

  facts = step_of(3, at(2), at(3));
  facts.shape.add(7, 1);
  facts.shape.samples = facts.running = facts.scheduled = 1;
  facts.free_blocks = 8;
  facts.cached_tokens = 8;
  facts.gaps = gap;
  ScheduleFacts third;
  third.scheduled = {{&a, 1}};
  third.finished = {&a};
  third.block_tables = {{&a, {1, 2}}};
  facts.schedule = &third;
  observer.step(facts);
  observer.ended(completed(a, at(0), at(1), at(3)));
  observer.run_ended({at(3), false, ""});
}

}  // namespace decodesim::tests
