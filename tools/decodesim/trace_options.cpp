#include "tools/decodesim/trace_options.hpp"

#include <vector>

#include "sim/scenario/trace_settings.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace po = boost::program_options;

void add_trace_options(po::options_description_easy_init& add) {
  add("format", po::value<std::string>(),
      "of the trace, where its head does not tell it: burstgpt, vidur, aiperf, ...");
  add("set", po::value<std::vector<std::string>>()->composing(),
      "KEY=VALUE: how it is read, by the keys of workload.trace: zero_output=drop, start=1h, spread=uniform; may be "
      "repeated");
}

TraceSpec trace_settings(const po::variables_map& values, const std::string& file,
                         const std::optional<std::string>& format) {
  std::vector<std::string> settings = texts_of(values, "set");
  if (format) settings.insert(settings.begin(), "format=" + *format);
  return read_trace_settings(file, settings);
}

}  // namespace decodesim
