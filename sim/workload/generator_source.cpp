// Requests drawn from an arrival process and distributions of lengths.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/math.hpp"
#include "sim/core/random.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/sources.hpp"

namespace decodesim {

namespace {

/// When requests arrive, in an open loop.
class Arrivals {
 public:
  Arrivals(const ArrivalSpec& spec, std::uint64_t seed)
      : process_(spec.process),
        gap_mean_(1e9 / spec.request_rate),
        rate_(spec.request_rate),
        stream_(seed, "arrivals") {}

  /// The arrival of request `index`; asked for in order, once each.
  Time next(std::int64_t index) {
    switch (process_) {
      case ArrivalProcess::all_at_once:
        return Time{};
      // Each from its index, so that no error adds up: the first at zero, request i at i / rate.
      case ArrivalProcess::constant:
        return at(0, static_cast<double>(index) * 1e9 / rate_);
      case ArrivalProcess::poisson:
        return after_gap();
    }
    return Time{};
  }

 private:
  /// The first gap begins at time zero. Whole nanoseconds and the rest are kept apart, so that late arrivals are as
  /// precise as early ones.
  Time after_gap() {
    rest_ += stream_.exponential() * gap_mean_;
    const double whole = std::floor(rest_);
    check(whole < 4e18, "a gap between arrivals passes 126 years");
    rest_ -= whole;
    nanoseconds_ += static_cast<std::int64_t>(whole);
    return at(nanoseconds_, rest_);
  }

  /// Rounds half a nanosecond up.
  static Time at(std::int64_t whole, double rest) {
    check(static_cast<double>(whole) + rest < 4e18, "an arrival lies beyond 126 years");
    return Time(Duration(whole + static_cast<std::int64_t>(std::floor(rest + 0.5))));
  }

  ArrivalProcess process_;
  double gap_mean_;  // ns
  double rate_;
  Stream stream_;
  std::int64_t nanoseconds_ = 0;
  double rest_ = 0;
};

/// Tokens of one side of a request.
class Lengths {
 public:
  Lengths(const LengthSpec& spec, std::uint64_t seed, const char* purpose) : spec_(spec), stream_(seed, purpose) {}

  std::int64_t next() {
    switch (spec_.distribution) {
      case LengthDistribution::constant:
        return spec_.min;
      case LengthDistribution::uniform:
        return stream_.integer(spec_.min, spec_.max);
      case LengthDistribution::lognormal:
        return lognormal();
    }
    return spec_.min;
  }

 private:
  // The logarithm is normal with variance s^2 = log(1 + cv^2) and mean log(mean) - s^2 / 2.
  std::int64_t lognormal() {
    const double variance = math::log(1 + spec_.cv * spec_.cv);
    const double normal = math::normal_quantile(stream_.unit() * (1 - 0x1p-53));
    const double drawn = spec_.mean * math::exp(std::sqrt(variance) * normal - variance / 2);
    const auto longest = static_cast<double>(spec_.max);
    if (drawn >= longest) return spec_.max;
    return std::max(spec_.min, static_cast<std::int64_t>(std::floor(drawn + 0.5)));
  }

  LengthSpec spec_;
  Stream stream_;
};

/// Which prompts begin alike. Every request takes the same draws, so that a changed share moves no group.
class Prefixes {
 public:
  Prefixes(const PrefixGroupsSpec& spec, std::uint64_t seed) : spec_(spec), stream_(seed, "prefix groups") {}

  void draw(Request& request) {
    if (spec_.groups == 0) return;
    const bool has_one = stream_.unit() <= spec_.share;
    const std::int64_t group = stream_.integer(0, spec_.groups - 1);
    if (!has_one) return;
    request.prefix_group = std::to_string(group);
    request.prefix_tokens = std::min(spec_.tokens, request.input_tokens);
  }

 private:
  PrefixGroupsSpec spec_;
  Stream stream_;
};

/// Deals requests to classes by their shares: one draw a request.
class Classes {
 public:
  Classes(const std::vector<ClassSpec>& specs, std::uint64_t seed) : specs_(specs), stream_(seed, "classes") {
    double sum = 0;
    for (const ClassSpec& spec : specs_) upper_.push_back(sum += spec.share);
  }

  void deal(Request& request) {
    if (specs_.empty()) return;
    // A draw lies above zero and reaches one, so a class has what lies above the one before it and up to itself.
    const double draw = stream_.unit() * upper_.back();
    const auto place = std::lower_bound(upper_.begin(), upper_.end(), draw);
    const ClassSpec& spec = specs_[static_cast<std::size_t>(place - upper_.begin())];
    request.slo_class = spec.name;
    request.priority = spec.priority;
    request.tenant = spec.tenant;
    request.deadline = spec.deadline;
  }

 private:
  std::vector<ClassSpec> specs_;
  std::vector<double> upper_;  // sum of the shares up to this class
  Stream stream_;
};

class GeneratorSource final : public RequestSource {
 public:
  GeneratorSource(const WorkloadSpec& workload, std::uint64_t seed)
      : count_(workload.num_requests),
        concurrency_(workload.max_concurrency),
        arrivals_(workload.arrival, seed),
        inputs_(workload.input_tokens, seed, "input lengths"),
        outputs_(workload.output_tokens, seed, "output lengths"),
        prefixes_(workload.prefix_groups, seed),
        classes_(workload.classes, seed) {
    const bool needs_rate = !concurrency_ && workload.arrival.process != ArrivalProcess::all_at_once;
    check(!needs_rate || workload.arrival.request_rate > 0, "an arrival process without a rate");
    check(workload.input_tokens.min >= 1 && workload.output_tokens.min >= 1, "a request without tokens");
  }

  std::optional<Request> next() override {
    if (position_ == count_) return std::nullopt;
    Request request;
    request.index = position_++;
    if (!concurrency_) request.arrival = arrivals_.next(request.index);
    request.input_tokens = inputs_.next();
    request.output_tokens = outputs_.next();
    request.max_tokens = request.output_tokens;
    prefixes_.draw(request);
    state_content(request);
    classes_.deal(request);
    return request;
  }
  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] std::optional<std::int64_t> concurrency() const override { return concurrency_; }

 private:
  std::int64_t count_;
  std::optional<std::int64_t> concurrency_;
  std::int64_t position_ = 0;
  Arrivals arrivals_;
  Lengths inputs_;
  Lengths outputs_;
  Prefixes prefixes_;
  Classes classes_;
};

}  // namespace

std::unique_ptr<RequestSource> make_generator_source(const WorkloadSpec& workload, std::uint64_t seed) {
  return std::make_unique<GeneratorSource>(workload, seed);
}

}  // namespace decodesim
