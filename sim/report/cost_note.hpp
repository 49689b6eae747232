#pragma once
// How far the figures of a cost model can be taken for those of a real server.

#include <string_view>

namespace decodesim {

/// In words, for the names that RunHeader::cost_model takes; empty for any other.
constexpr std::string_view cost_note(std::string_view cost_model) {
  if (cost_model == "fixed") return "every step takes the time that the scenario gives, whatever it computes";
  if (cost_model == "ideal") {
    return "bytes over datasheet bandwidth and nothing else; a tuned stack reaches about half of it";
  }
  if (cost_model == "roofline") {
    return "datasheet peaks, link rates and an assumed host time, not fitted to measurements: a real server is slower";
  }
  if (cost_model == "calibrated") return "what component benchmarks sustain, and the engine's constants";
  return "";
}

}  // namespace decodesim
