// ServeGen's chunks (alibaba/ServeGen): how many requests a client sends in each window of time, and how bursty, from which
// requests are drawn, seeded; their lengths come from the dataset beside it (servegen_lengths.hpp).
//
// A line is a window: the second it begins at, its rate (requests/s), the coefficient of variation of its gaps, the kind of
// the gaps (Gamma or Weibull), their shape and their scale; there is no line of names. An idle window has a rate of 0. Gaps are
// drawn by shape, and stretched so that the window holds as many requests as its rate says, fractions carried on to the next
// window; the scale, which says another mean, is not used. rate_scale multiplies the rates, which are a whole service's, and
// leaves the windows as long as they are.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/gamma.hpp"
#include "sim/core/math.hpp"
#include "sim/core/random.hpp"
#include "sim/workload/traces/fields.hpp"
#include "sim/workload/traces/formats/formats.hpp"
#include "sim/workload/traces/formats/servegen_lengths.hpp"

namespace decodesim {

namespace {

constexpr double most_of_a_window = 1 << 24;  // requests; their gaps are kept

struct Window {
  std::int64_t begin = 0;   // ns
  std::int64_t length = 0;  // ns
  double rate = 0;          // requests/s
  bool weibull = false;
  double shape = 1;
};

class ServegenRows final : public TraceRows {
 public:
  ServegenRows(TraceInput& input, TraceMistakes& mistakes)
      : input_(input),
        mistakes_(mistakes),
        windows_(read_windows()),
        lengths_(input.spec.second_file, input.seed),
        gaps_(input.seed, "trace arrivals") {}

  bool next(TraceRow& row) override {
    while (next_ == times_.size()) {
      if (window_ == windows_.size()) return false;
      draw_times(windows_[window_++]);
    }
    const std::int64_t time = times_[next_++];
    const ServegenLengths::Lengths lengths = lengths_.draw(time);
    row = {};
    row.time = time;
    row.request.input_tokens = lengths.input;
    row.request.output_tokens = row.request.max_tokens = lengths.output;
    if (lengths.early) row.notes.add("before the first lengths", "given the first lengths");
    if (lengths.reasons) row.notes.add("a reason_ratio", "not split: reasoning is part of the output tokens");
    return true;
  }

 private:
  std::vector<Window> read_windows() {
    std::vector<Window> windows;
    while (input_.lines.next()) {
      if (input_.lines.line().find_first_not_of(" \t") == std::string_view::npos) continue;
      Window window;
      if (!read_window(window)) continue;
      if (!windows.empty() && window.begin <= windows.back().begin) {
        mistakes_.add(input_.lines, 0, "expected a window that begins after the one before it");
        continue;
      }
      if (!windows.empty()) windows.back().length = window.begin - windows.back().begin;
      windows.push_back(window);
    }
    if (windows.empty() && !mistakes_.any()) mistakes_.add(input_.lines, 0, "there are no windows");
    mistakes_.throw_if_any();
    // The last ends where nothing says; it is as long as the one before.
    windows.back().length = windows.size() > 1 ? windows[windows.size() - 2].length : 600'000'000'000;
    return windows;
  }

  bool refuse(std::size_t i, std::string_view wrong) {
    mistakes_.add(input_.lines, fields_.offset(i),
                  "found '" + std::string(fields_.text(i).substr(0, 40)) + "': " + std::string(wrong));
    return false;
  }

  bool read_window(Window& window) {
    static_cast<void>(fields_.split(input_.lines.line(), 0));
    if (fields_.size() != 6) {
      mistakes_.add(input_.lines, 0,
                    "expected 6 fields, window start (s), rate (requests/s), cv, pattern, shape and scale; found " +
                        std::to_string(fields_.size()));
      return false;
    }
    const std::string_view wrong = read_time(fields_.text(0), input_.time_unit(), window.begin);
    if (!wrong.empty()) return refuse(0, wrong);
    if (const auto bad = read_number(fields_.text(1), window.rate); !bad.empty()) return refuse(1, bad);
    window.rate *= input_.spec.rate_scale;
    if (window.rate == 0) return true;
    const std::string_view pattern = fields_.text(3);
    window.weibull = pattern == "Weibull";
    if (!window.weibull && pattern != "Gamma") return refuse(3, "expected Gamma or Weibull");
    if (!read_number(fields_.text(4), window.shape).empty() || window.shape < 0.001 || window.shape > 100'000)
      return refuse(4, "expected a shape from 0.001 to 100000");
    return true;
  }

  /// As many gaps as there are requests, and one behind the last, fill the window.
  void draw_times(const Window& window) {
    times_.clear();
    next_ = 0;
    due_ += window.rate * static_cast<double>(window.length) * 1e-9;
    const double requests = std::floor(due_);
    due_ -= requests;
    if (requests == 0) return;
    if (requests > most_of_a_window) {
      mistakes_.add(input_.lines, 0,
                    "a window has " + std::to_string(static_cast<std::int64_t>(requests)) +
                        " requests, a whole service's: say `rate_scale`, such as 0.001");
      mistakes_.throw_if_any();
    }
    std::vector<double> ends;
    double sum = 0;
    for (double i = 0; i <= requests; ++i) ends.push_back(sum += gap(window));
    ends.pop_back();
    if (sum == 0) return spread_evenly(window, ends.size());
    for (const double end : ends) {
      // The last of many tiny gaps may round to the window's end, which is the next one's.
      const double place = std::floor(end / sum * static_cast<double>(window.length));
      times_.push_back(window.begin + std::min(static_cast<std::int64_t>(place), window.length - 1));
    }
  }

  /// Gaps of a shape so small that all of them round to nothing say no place.
  void spread_evenly(const Window& window, std::size_t requests) {
    const double step = static_cast<double>(window.length) / static_cast<double>(requests + 1);
    for (std::size_t i = 1; i <= requests; ++i)
      times_.push_back(window.begin + static_cast<std::int64_t>(step * static_cast<double>(i)));
  }

  double gap(const Window& window) {
    if (window.weibull) return math::pow(gaps_.exponential(), 1 / window.shape);
    return math::gamma_exceeded(window.shape, gaps_.unit());
  }

  TraceInput& input_;
  TraceMistakes& mistakes_;
  TraceFields fields_;
  std::vector<Window> windows_;
  ServegenLengths lengths_;
  Stream gaps_;
  double due_ = 0;  // a fraction of a request
  std::size_t window_ = 0;
  std::vector<std::int64_t> times_;  // ns, of the window before window_
  std::size_t next_ = 0;
};

std::unique_ptr<TraceRows> servegen_rows(TraceInput& input, TraceMistakes& mistakes) {
  return std::make_unique<ServegenRows>(input, mistakes);
}

}  // namespace

const TraceFormatInfo servegen_format{
    .format = TraceFormat::servegen,
    .name = "servegen",
    .summary = "a chunk of ServeGen: rates a window, from which requests are drawn; its lengths are the `dataset`",
    .shape = TraceShape::other,
    .rates = true,
    .rows = servegen_rows,
};

}  // namespace decodesim
