// What must hold between the fields of a generated workload.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "sim/scenario/spec_place.hpp"
#include "sim/scenario/workload_checks.hpp"
#include "sim/workload/generators/arrival_order.hpp"
#include "sim/workload/generators/request_draws.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

namespace {

bool is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

void check_file(const SpecPlace& place, const std::string& key, const std::string& file) {
  if (is_there(file)) return;
  place.error(key, "unreadable-file", "there is no trace file " + file,
              place.quoted(key) + " is relative to the file that names it, and in '--set' to where you are");
}

void missing(const SpecPlace& place, const std::string& key, const std::string& why, const std::string& help) {
  place.error("", "missing-key", "missing key " + place.quoted(key) + why, help);
}

// By mean and cv, or by median and p99.
void check_lognormal(const SpecPlace& place, const LengthSpec& length) {
  const bool by_mean = length.mean || length.cv;
  const bool by_quantiles = length.median || length.p99;
  if (by_mean && by_quantiles) {
    place.error(length.median ? "median" : "p99", "contradiction",
                "'" + place.path() + "' is stated by its mean or cv and by its median or p99 too",
                "keep mean and cv, or median and p99");
  } else if (!length.mean && !by_quantiles) {
    missing(place, "mean", "", "add 'mean: 500' and 'cv: 1', or 'median: 300' and 'p99: 4000'");
  } else if (by_mean && !length.cv) {
    missing(place, "cv", "", "add 'cv: 1': standard deviation over mean");
  } else if (by_quantiles && !(length.median && length.p99)) {
    missing(place, length.median ? "p99" : "median", "", "a median and a p99 describe it together");
  } else if (by_quantiles && *length.p99 < *length.median) {
    place.error("p99", "out-of-range", place.quoted("p99") + " is below its median", "swap them");
  }
}

void check_length(const SpecPlace& place, const LengthSpec& length) {
  if (length.distribution == LengthDistribution::empirical) return check_file(place, "file", length.file);
  const std::string key = place.path().substr(place.path().rfind('.') + 1);
  const bool needs_ends =
      length.distribution == LengthDistribution::uniform || length.distribution == LengthDistribution::constant;
  for (const auto& [name, end] : {std::pair("min", length.min), std::pair("max", length.max)}) {
    if (needs_ends && end == 0) missing(place, name, "", "add '" + std::string(name) + ": 4k'");
  }
  if (needs_ends && (length.min == 0 || length.max == 0)) return;
  if (length.shortest() > length.longest()) {
    place.error("min", "out-of-range", place.quoted("min") + " is above " + place.quoted("max"), "swap them");
  } else if (length.distribution == LengthDistribution::constant && length.min != length.max) {
    place.error("distribution", "contradiction", "'" + place.path() + "' is constant, but its min and max differ",
                "write '" + key + ": " + std::to_string(length.min) + "', or 'distribution: uniform'");
  }
  if (length_is_lognormal(length)) return check_lognormal(place, length);
  if (length_has_mean(length) && !length.mean) missing(place, "mean", "", "add 'mean: 500': on average");
  if (length.distribution != LengthDistribution::normal) return;
  if (length.cv && length.std_dev) {
    place.error("std_dev", "contradiction",
                place.quoted("cv") + " and " + place.quoted("std_dev") + " both say how far lengths spread",
                "keep one of them");
  } else if (!length.cv && !length.std_dev) {
    missing(place, "std_dev", "", "add 'std_dev: 100', or 'cv: 0.2'");
  }
}

// Requests a second in the long run.
double mean_rate(const ArrivalSpec& arrival) {
  if (arrival.process == ArrivalProcess::on_off) {
    const double on = to_seconds(arrival.on);
    return arrival.request_rate * on / (on + to_seconds(arrival.off));
  }
  if (arrival.stages.empty()) return arrival.request_rate;
  double total = 0;
  double seconds = 0;
  for (const RateStage& stage : arrival.stages) {
    total += expected_in(stage);
    seconds += to_seconds(stage.duration);
  }
  return total / seconds;
}

class GeneratorChecks {
 public:
  GeneratorChecks(Reading& reading, const DocumentNode& tree, const Scenario& scenario)
      : reading_(reading),
        workload_(scenario.workload),
        seed_(scenario.run.seed),
        place_(reading, *tree.find("workload"), "workload") {}

  void all() {
    const std::size_t before = reading_.errors();
    clients();
    if (!workload_.max_concurrency && !clients_have_arrivals(workload_))
      arrival(place_.inside("arrival"), workload_.arrival);
    end();
    lengths();
    prefixes(place_, workload_.prefix_groups, workload_.clients.empty() ? workload_.input_tokens : LengthSpec{},
             workload_.sessions);
    sessions(place_, workload_.sessions);
    cancel(place_, workload_.cancel);
    if (reading_.errors() == before && !workload_.max_concurrency) somebody_comes();
  }

 private:
  void arrival(const SpecPlace& place, const ArrivalSpec& arrival) {
    if (gaps_have_a_cv(arrival) && !arrival.cv && !arrival.burstiness) {
      const bool gamma = arrival.process == ArrivalProcess::gamma;
      missing(place, "cv", ", the standard deviation of the gaps over their mean",
              gamma ? "add 'cv: 2', or 'burstiness: 0.25', which is the same" : "add 'cv: 2'");
    }
    if (!arrival.stages.empty() && mean_rate(arrival) == 0) {
      place.error("stages", "out-of-range", "no stage of " + place.quoted("stages") + " has a rate",
                  "give one of them a rate above 0 req/s");
      return;
    }
    if (arrival.process == ArrivalProcess::on_off && arrival.request_rate * to_seconds(arrival.on) < 1e-3) {
      place.error("on", "out-of-range", "hardly one burst in a thousand brings a request",
                  "raise " + place.quoted("on") + " or " + place.quoted("request_rate"));
      return;
    }
    if (arrival.process == ArrivalProcess::all_at_once) {
      if (workload_.num_requests == 0) {
        missing(place_, "num_requests", ": where all requests come at once no duration limits them",
                "add 'num_requests: 16', or choose another process");
      }
      return;
    }
    span(place, arrival);
  }

  // A run that lasts so long would leave the clock, and so many requests the numbers.
  void span(const SpecPlace& place, const ArrivalSpec& arrival) {
    const double rate = mean_rate(arrival);
    const bool ends = !arrival.stages.empty() && !arrival.repeat;
    double seconds = 0;
    for (const RateStage& stage : arrival.stages) seconds += to_seconds(stage.duration);
    const double asked = static_cast<double>(workload_.num_requests) / rate;
    if (!ends && workload_.num_requests > 0) seconds = std::max(seconds, asked);
    if (workload_.duration) seconds = std::min(seconds > 0 ? seconds : 1e300, to_seconds(*workload_.duration));
    const std::string key = arrival.stages.empty() ? "request_rate" : "stages";
    if (seconds > latest_arrival) {
      place.error(key, "out-of-range",
                  "at " + place.quoted(key) + " the " + std::to_string(workload_.num_requests) +
                      " requests of 'workload.num_requests' take more than 50 years to arrive",
                  "raise the rate, or make fewer requests");
    } else if (workload_.num_requests == 0 && rate * seconds > 1e9) {
      place.error(key, "out-of-range", "at " + place.quoted(key) + " more than a billion requests arrive",
                  "lower the rate, or add 'num_requests'");
    }
  }

  void end() {
    if (workload_.num_requests > 0 || workload_.duration) return;
    const auto stops = [](const ArrivalSpec& arrival) { return !arrival.stages.empty() && !arrival.repeat; };
    const bool ends = clients_have_arrivals(workload_)
                          ? std::all_of(workload_.clients.begin(), workload_.clients.end(),
                                        [&](const ClientSpec& client) { return stops(client.arrival); })
                          : stops(workload_.arrival);
    if (ends && !workload_.max_concurrency) return;
    // Said already where all come at once.
    if (!workload_.max_concurrency && !clients_have_arrivals(workload_) &&
        workload_.arrival.process == ArrivalProcess::all_at_once)
      return;
    missing(place_, "num_requests", "", "add 'num_requests: 16', or 'duration: 600 s'");
  }

  void lengths() {
    if (!workload_.lengths.from.empty()) {
      check_file(place_.inside("lengths"), "from", workload_.lengths.from);
      return;
    }
    const auto one = [&](const std::string& key, LengthSpec ClientSpec::*member, const LengthSpec& length) {
      if (length.stated()) return check_length(place_.inside(key), length);
      const bool by_clients = !workload_.clients.empty() &&
                              std::all_of(workload_.clients.begin(), workload_.clients.end(),
                                          [&](const ClientSpec& client) { return (client.*member).stated(); });
      if (!by_clients) missing(place_, key, "", "add '" + key + ": 4k', or a distribution");
    };
    one("input_tokens", &ClientSpec::input_tokens, workload_.input_tokens);
    one("output_tokens", &ClientSpec::output_tokens, workload_.output_tokens);
  }

  // `input` is that of the prompts that may begin with them; not stated: nothing is known of it.
  void prefixes(const SpecPlace& owner, const PrefixGroupsSpec& spec, const LengthSpec& input,
                const SessionsSpec& of_talks) {
    if (spec.groups == 0) return;
    const SpecPlace place = owner.inside("prefix_groups");
    if (spec.tokens() == 0) {
      missing(
          place, "tokens_included", "",
          "add 'tokens_included: 512' where the prefix is part of the prompt, or 'tokens_added: 512' where it comes "
          "on top");
      return;
    }
    const std::string own = of_talks.first_input.stated() ? "sessions.first_input" : "input_tokens";
    const LengthSpec& prompts = of_talks.first_input.stated() ? of_talks.first_input : input;
    if (!prompts.has_ends()) return;
    if (spec.place == PrefixPlace::added && spec.tokens() > longest_request - prompts.shortest()) {
      place.error("tokens_added", "out-of-range",
                  place.quoted("tokens_added") + " on top of the shortest prompt of " + owner.quoted(own) + " makes " +
                      std::to_string(spec.tokens() + prompts.shortest()) + " tokens",
                  "a prompt has at most " + std::to_string(longest_request) + ", its prefix included");
    }
    if (spec.place == PrefixPlace::included && spec.tokens() > prompts.shortest()) {
      const std::string needed = std::to_string(spec.tokens());
      place.error("tokens_included", "out-of-range",
                  place.quoted("tokens_included") + " is above the shortest prompt of " + owner.quoted(own) +
                      ", which has " + std::to_string(prompts.shortest()),
                  prompts.is_drawn()
                      ? "the prefix is part of the prompt: write 'min: " + needed + "' there, or " +
                            "'tokens_added: " + needed + "' where it comes on top"
                      : "the prefix is part of the prompt: at most " + std::to_string(prompts.shortest()));
    }
  }

  void sessions(const SpecPlace& owner, const SessionsSpec& spec) {
    if (!spec.on()) return;
    const SpecPlace place = owner.inside("sessions");
    if (spec.turns.distribution == LengthDistribution::empirical) {
      place.error("turns", "unsupported", place.quoted("turns") + " cannot be empirical: no trace has such a column",
                  "choose another distribution");
    } else {
      check_length(place.inside("turns"), spec.turns);
    }
    if (spec.first_input.stated()) check_length(place.inside("first_input"), spec.first_input);
  }

  void clients() {
    const ClientSpec common = common_client(workload_);
    std::map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < workload_.clients.size() && !reading_.is_full(); ++i) {
      const ClientSpec& client = workload_.clients[i];
      const ClientSpec whole = completed_client(client, common);
      const SpecPlace place = place_.item("clients", i);
      const auto [first, fresh] = names.emplace(client.name, i);
      if (!fresh) {
        place.error(
            "name", "duplicate-id",
            place.quoted("name") + " is '" + client.name + "', as is that of client " + std::to_string(first->second),
            "give each client its own name, from which its draws come");
      }
      own_arrival(place, client);
      if (client.input_tokens.stated()) check_length(place.inside("input_tokens"), client.input_tokens);
      if (client.output_tokens.stated()) check_length(place.inside("output_tokens"), client.output_tokens);
      cancel(place, client.cancel);
      const bool own_prefix = client.prefix_groups.groups > 0;
      prefixes(own_prefix ? place : place_, whole.prefix_groups, whole.input_tokens, whole.sessions);
      sessions(place, client.sessions);
    }
  }

  void cancel(const SpecPlace& place, const CancelSpec& spec) {
    if (spec.share == 0 || spec.after.mean > Duration{}) return;
    const SpecPlace inside = place.inside("cancel");
    inside.error("after", "out-of-range", inside.quoted("after") + " is 0: nobody asks for what he does not want",
                 "state a time above 0");
  }

  void own_arrival(const SpecPlace& place, const ClientSpec& client) {
    if (client.has_arrival && workload_.max_concurrency) {
      place.error("arrival", "no-effect",
                  place.quoted("arrival") + " has no effect where 'workload.max_concurrency' makes the loop closed",
                  "remove it, or max_concurrency");
    } else if (client.has_arrival != workload_.clients.front().has_arrival) {
      place.error(client.has_arrival ? "arrival" : "", "contradiction",
                  client.has_arrival ? place.quoted("arrival") + " stands beside clients that have none of their own"
                                     : "'" + place.path() + "' has no arrival, as the client before it has",
                  "give all clients an arrival of their own, or shares of the workload's");
    } else if (client.has_arrival) {
      arrival(place.inside("arrival"), client.arrival);
    }
  }

  void somebody_comes() {
    if (ArrivalOrder(workload_, seed_).next()) return;
    place_.error(workload_.duration ? "duration" : "arrival", "out-of-range",
                 "no request arrives before the end of " +
                     std::string(workload_.duration ? "'workload.duration'" : "the stages"),
                 "make it longer, or raise the rate");
  }

  Reading& reading_;
  const WorkloadSpec& workload_;
  std::uint64_t seed_;
  SpecPlace place_;
};

}  // namespace

void check_generator(Reading& reading, const DocumentNode& tree, const Scenario& scenario) {
  GeneratorChecks(reading, tree, scenario).all();
}

}  // namespace decodesim
