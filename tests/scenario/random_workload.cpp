#include "tests/scenario/random_workload.hpp"

#include <cstdint>
#include <vector>

namespace decodesim::tests {

namespace {

class WorkloadText {
 public:
  explicit WorkloadText(std::mt19937_64& random) : random_(random) {}

  std::string requests(bool may_load) {
    std::string text = "{requests: [";
    const std::uint64_t count = number(1, 5);
    for (std::uint64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + request(i, may_load);
    return text + "]}";
  }

  std::string generator() {
    const bool closed = chance(40);
    const bool talks = chance(40);
    const bool own_arrivals = !closed && chance(25);
    std::string text = "{num_requests: " + text_of(number(1, 50)) + ", input_tokens: " + length() +
                       ", output_tokens: " + length() + maybe(30, "duration", {"600 s", "1000000 s"});
    if (closed) {
      text += ", max_concurrency: " + text_of(number(1, 9));
      if (!talks) text += ", think_time: " + time();
    } else if (!own_arrivals) {
      text += ", arrival: " + arrival();
    }
    text += of_a_kind(talks);
    if (own_arrivals || chance(30)) {
      text += ", clients: [" + client("chat", own_arrivals);
      if (chance(60)) text += ", " + client("batch", own_arrivals);
      text += "]";
    }
    return text + "}";
  }

 private:
  std::uint64_t number(std::uint64_t low, std::uint64_t high) { return low + random_() % (high - low + 1); }
  bool chance(std::uint64_t percent) { return random_() % 100 < percent; }
  static std::string text_of(std::uint64_t value) { return std::to_string(value); }
  std::string pick(const std::vector<std::string>& choices) { return choices[random_() % choices.size()]; }
  std::string maybe(std::uint64_t percent, const std::string& key, const std::vector<std::string>& choices) {
    return chance(percent) ? ", " + key + ": " + pick(choices) : "";
  }

  std::string request(std::uint64_t index, bool may_load) {
    const std::uint64_t input = number(1, 40);
    const std::uint64_t output = number(1, 20);
    std::string text = "{input_tokens: " + text_of(input) + ", output_tokens: " + text_of(output);
    if (chance(40)) text += ", id: \"x " + text_of(index) + "\"";
    text += maybe(50, "arrival", {"1.5 s", "0 s", "123456789 ns"});
    if (chance(40)) text += ", max_tokens: " + text_of(output + number(0, 9));
    text += maybe(30, "ignore_eos", {"true", "false"});
    text += maybe(40, "priority", {"0", "3"});
    if (chance(30)) {
      text += ", prefix_group: " + pick({"a", "b"}) + ", prefix_tokens: " + text_of(number(1, input));
    } else if (input > 1 && chance(30)) {
      text += ", hash_ids: [4, 0], hash_block_size: " + text_of((input + 1) / 2);
    }
    text += maybe(30, "cache_salt", {"x", "'12'"});
    if (may_load && chance(30)) {
      text += ", remote_tokens: " + text_of(number(1, input)) + ", load_time: " + pick({"0 s", "2.5 ms"});
    } else {
      text += maybe(30, "no_prefix_read", {"true", "false"});
    }
    text += labels() + maybe(30, "cancel_after", {"1 ns", "0.75 s", "1 h"});
    if (chance(40)) text += ", session: " + pick({"s", "\"null\""}) + maybe(60, "think_time", {"0 s", "3.25 s"});
    return text + "}";
  }

  /// Whose it is, and how long anybody waits for it.
  std::string labels() {
    return maybe(30, "tenant", {"anna", "\"1\""}) + maybe(30, "slo_class", {"chat", "\"true\""}) +
           maybe(30, "deadline", {"0 s", "2 s"}) + maybe(30, "timeout", {"1 us", "30 s"});
  }

  /// What a workload and each of its clients may say.
  std::string of_a_kind(bool talks) {
    std::string text = labels() + maybe(30, "priority", {"0", "7"});
    if (chance(30))
      text += ", cancel: {share: " + pick({"10 %", "1"}) +
              ", after: " + pick({"0.75 s", "{distribution: exponential, mean: 4 s}"}) + "}";
    if (chance(30)) {
      text += ", prefix_groups: {groups: " + text_of(number(1, 4)) +
              pick({", tokens_included: 1", ", tokens_added: 16"}) + maybe(40, "share", {"40 %", "1"}) +
              maybe(40, "zipf", {"0", "1.25"}) + "}";
    }
    if (talks) {
      text += ", sessions: {turns: " + pick({"3", "{distribution: uniform, min: 1, max: 5}"});
      if (chance(60)) text += ", think_time: " + time();
      if (chance(40)) text += ", first_input: " + length();
      text += maybe(40, "max_context", {"2000", "4k"}) + "}";
    }
    return text;
  }

  std::string client(const std::string& name, bool own_arrival) {
    std::string text = "{name: " + name;
    text += own_arrival ? ", arrival: " + arrival() : maybe(50, "share", {"2", "0.125"});
    if (chance(30)) text += ", input_tokens: " + length();
    if (chance(30)) text += ", output_tokens: " + length();
    text += of_a_kind(chance(30));
    return text + maybe(30, "slo", {"{ttft_p99: 1 s}", "{tpot_p99: 30 ms, e2el_p99: 1 min}"}) + "}";
  }

  std::string arrival() {
    const std::string rate =
        pick({"request_rate: 0.125 req/s", "request_rate: 3 req/s, diurnal: {amplitude: 50 %, period: 1 h}",
              "stages: [{rate: 1 req/s, rate_end: 5 req/s, duration: 50 s}, {rate: 2 req/s, "
              "duration: 1 s}], repeat: true"});
    switch (number(0, 5)) {
      case 0:
        return "{process: all_at_once}";
      case 1:
        return "{process: constant, " + rate + "}";
      case 2:
        return "{process: poisson, " + rate + "}";
      case 3:
        return "{process: gamma, " + rate + ", " + pick({"cv: 2", "burstiness: 0.25"}) + "}";
      case 4:
        return "{process: weibull, " + rate + ", cv: 1.5}";
      default:
        return "{process: on_off, request_rate: 4 req/s, on: 2 s, off: " + pick({"0 s", "3 s"}) +
               maybe(50, "phases", {"exponential", "constant"}) + "}";
    }
  }

  std::string length() {
    return pick(
        {"64", "1k", "{distribution: uniform, min: 1, max: 9}",
         "{distribution: lognormal, min: 1, max: 900, mean: 50.5, cv: 1.25}",
         "{distribution: lognormal, min: 1, max: 900, median: 100, p99: 800}",
         "{distribution: normal, min: 2, max: 90, mean: 30, std_dev: 7.5}",
         "{distribution: exponential, min: 2, max: 90, mean: 30}", "{distribution: exponential, mean: 30}",
         "{distribution: pareto_lognormal, min: 1, max: 900, mean: 50, cv: 1, tail_share: 5 %, tail_alpha: 1.5, "
         "tail_min: 200}"});
  }

  std::string time() {
    return pick(
        {"0 s", "1.5 s", "{distribution: exponential, mean: 4 s}", "{distribution: lognormal, mean: 250 ms, cv: 0.5}"});
  }

  std::mt19937_64& random_;
};

}  // namespace

std::string random_workload_text(std::mt19937_64& random, bool may_load) {
  WorkloadText text(random);
  return random() % 2 == 0 ? text.requests(may_load) : text.generator();
}

}  // namespace decodesim::tests
