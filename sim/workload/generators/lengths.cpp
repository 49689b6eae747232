#include "sim/workload/generators/lengths.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/check.hpp"
#include "sim/core/math.hpp"
#include "sim/workload/length_fields.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

// Fifty years, beyond which no duration is let through.
constexpr double longest_duration = latest_arrival * 1e9;

/// A draw lies above zero and reaches one, where the quantile is infinite; this is the last number below it.
double normal_of(Stream& stream) { return math::normal_quantile(stream.unit() * (1 - 0x1p-53)); }

/// The logarithm is normal with variance s^2 = log(1 + cv^2) and mean log(mean) - s^2 / 2.
double lognormal_of(double mean, double cv, double normal) {
  const double variance = math::log(1 + cv * cv);
  return mean * math::exp(std::sqrt(variance) * normal - variance / 2);
}

std::int64_t rounded(double drawn) { return static_cast<std::int64_t>(std::floor(drawn + 0.5)); }

}  // namespace

std::shared_ptr<const std::vector<LengthPair>> read_lengths(const std::string& file) {
  auto rows = std::make_shared<std::vector<LengthPair>>();
  try {
    for (const Request& request : read_trace(file)) rows->push_back({request.input_tokens, request.output_tokens});
  } catch (const TraceError& error) {
    throw error.of_lengths();
  }
  if (rows->empty()) throw TraceError(file, {{0, 0, "there are no rows to draw lengths from", ""}});
  return rows;
}

Lengths::Lengths(const LengthSpec& spec, std::uint64_t seed, const std::string& purpose, LengthColumn column)
    : spec_(spec), column_(column), stream_(seed, purpose) {
  if (spec.distribution == LengthDistribution::empirical) rows_ = read_lengths(spec.file);
  check(rows_ != nullptr || (spec.stated() && spec.shortest() <= spec.longest()), "a request without tokens");
}

std::int64_t Lengths::next() {
  switch (spec_.distribution) {
    case LengthDistribution::constant:
      return spec_.min;
    case LengthDistribution::uniform:
      return stream_.integer(spec_.min, spec_.max);
    case LengthDistribution::lognormal:
      return cut(lognormal());
    case LengthDistribution::normal:
      return cut(normal());
    case LengthDistribution::exponential:
      return cut(*spec_.mean * stream_.exponential());
    case LengthDistribution::pareto_lognormal: {
      // Tail and body take one draw each, so that a changed share moves no other request's length.
      const bool in_tail = stream_.unit() <= spec_.tail_share;
      if (!in_tail) return cut(lognormal());
      const double start = static_cast<double>(spec_.tail_min);
      return cut(start * math::exp(stream_.exponential() / spec_.tail_alpha));
    }
    case LengthDistribution::empirical: {
      const auto row = stream_.integer(0, static_cast<std::int64_t>(rows_->size()) - 1);
      const LengthPair& pair = (*rows_)[static_cast<std::size_t>(row)];
      return column_ == LengthColumn::input_tokens ? pair.input_tokens : pair.output_tokens;
    }
  }
  return spec_.min;
}

std::int64_t Lengths::cut(double drawn) const {
  if (drawn >= static_cast<double>(spec_.longest())) return spec_.longest();
  if (drawn <= static_cast<double>(spec_.shortest())) return spec_.shortest();
  return rounded(drawn);
}

double Lengths::normal() {
  const double deviation = spec_.std_dev ? *spec_.std_dev : *spec_.cv * *spec_.mean;
  return *spec_.mean + deviation * normal_of(stream_);
}

double Lengths::lognormal() {
  const double normal = normal_of(stream_);
  if (!spec_.median) return lognormal_of(*spec_.mean, *spec_.cv, normal);
  const double deviation = math::log(*spec_.p99 / *spec_.median) / math::normal_quantile(0.99);
  return *spec_.median * math::exp(deviation * normal);
}

JointLengths::JointLengths(const std::string& file, std::uint64_t seed, const std::string& purpose)
    : stream_(seed, purpose), rows_(read_lengths(file)) {}

LengthPair JointLengths::next() {
  return (*rows_)[static_cast<std::size_t>(stream_.integer(0, static_cast<std::int64_t>(rows_->size()) - 1))];
}

Durations::Durations(const DurationSpec& spec, std::uint64_t seed, const std::string& purpose)
    : spec_(spec), stream_(seed, purpose) {}

Duration Durations::next() {
  const auto mean = static_cast<double>(spec_.mean.count());
  double drawn = 0;
  switch (spec_.distribution) {
    case DurationDistribution::constant:
      return spec_.mean;
    case DurationDistribution::exponential:
      drawn = mean * stream_.exponential();
      break;
    case DurationDistribution::lognormal:
      drawn = lognormal_of(mean, spec_.cv, normal_of(stream_));
      break;
  }
  return Duration(rounded(std::min(drawn, longest_duration)));
}

}  // namespace decodesim
