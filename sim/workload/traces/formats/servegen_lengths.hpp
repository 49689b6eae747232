#pragma once
// The lengths of ServeGen's requests: distributions that change with time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/random.hpp"

namespace decodesim {

/// Values and how likely each is, drawn by inversion.
class DrawnValue {
 public:
  /// A dict of Python as ServeGen writes it, `{9: 0.0067, 12: 0.9933}`; `{}` has no values. `share`: its values are shares
  /// from 0 to 1, and else whole numbers. Returns an empty text or what is wrong.
  std::string_view read(std::string_view dict, bool share);
  [[nodiscard]] bool empty() const { return values_.empty(); }
  /// The value below whose upper end a share `unit` in (0, 1] of the probability lies.
  [[nodiscard]] double at(double unit) const;

 private:
  std::vector<double> values_;
  std::vector<double> sums_;  // of the probabilities up to each
};

/// A dataset of ServeGen, `chunk-N-dataset.json`.
class ServegenLengths {
 public:
  /// Throws TraceError where the file cannot be read or has no lengths at all.
  ServegenLengths(const std::string& path, std::uint64_t seed);

  /// Tokens of a request.
  struct Lengths {
    std::int64_t input = 0;
    std::int64_t output = 0;
    bool reasons = false;  // a share of the output is reasoning
    bool early = false;    // it comes before the first window with lengths, whose lengths it has
  };
  /// Of the next request, which comes at `time` (ns): of the latest window with lengths that begins then or before.
  Lengths draw(std::int64_t time);

 private:
  struct Window {
    std::int64_t begin = 0;  // ns
    std::map<std::string, DrawnValue, std::less<>> fields;
  };
  /// The sum of as many draws as its count says, of images for example; one where there is no count.
  double drawn_sum(const Window& window, std::string_view tokens, std::string_view count);

  std::vector<Window> windows_;  // with lengths, in the order of time
  Stream inputs_;
  Stream outputs_;
};

}  // namespace decodesim
