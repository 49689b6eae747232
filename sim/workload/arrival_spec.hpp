#pragma once
// When requests come in an open loop, as a scenario writes it.

#include <optional>
#include <vector>

#include "sim/core/time.hpp"

namespace decodesim {

enum class ArrivalProcess { all_at_once, constant, poisson, gamma, weibull, on_off };

/// How long the phases of bursts last: always as stated, or exponentially distributed with that mean.
enum class PhaseLength { exponential, constant };

/// A stretch of time with a rate, or with one that goes evenly from `rate` to `rate_end`.
struct RateStage {
  double rate = 0;  // requests a second
  std::optional<double> rate_end{};
  Duration duration{};

  friend bool operator==(const RateStage&, const RateStage&) = default;
};

/// The rate is request_rate * (1 + amplitude * sin(2 pi t / period)).
struct DiurnalSpec {
  double amplitude = 0;  // of the mean rate, at most 1
  Duration period{};     // zero: there is none

  friend bool operator==(const DiurnalSpec&, const DiurnalSpec&) = default;
};

struct ArrivalSpec {
  ArrivalProcess process = ArrivalProcess::all_at_once;
  double request_rate = 0;     // requests a second; the mean under `diurnal`, and of `on_off` that of its bursts
  std::optional<double> cv{};  // gamma, weibull: standard deviation of the gaps over their mean
  std::optional<double> burstiness{};  // gamma: the shape of the gaps, 1 / cv^2; small ones are bursty
  Duration on{};                       // on_off: how long a burst lasts
  Duration off{};                      // and how long nobody asks then
  PhaseLength phases = PhaseLength::exponential;
  std::vector<RateStage> stages{};  // in place of request_rate
  bool repeat = false;              // begin again after the last; else arrivals end there
  DiurnalSpec diurnal{};

  friend bool operator==(const ArrivalSpec&, const ArrivalSpec&) = default;
};

}  // namespace decodesim
