#include "tools/decodesim/trace_options.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/report/report_spec.hpp"
#include "tools/decodesim/command.hpp"
#include "tools/decodesim/options.hpp"

namespace decodesim {

namespace po = boost::program_options;

void add_trace_options(po::options_description_easy_init& add) {
  add("set", po::value<std::vector<std::string>>()->composing(),
      "KEY=VALUE: how a trace is read, by the keys of workload.trace: zero_output=drop, start=1h, spread=uniform; may "
      "be "
      "repeated");
  add("seed", po::value<std::string>(), "N: of what is drawn of a trace, as run.seed is of a run's (1)");
}

TraceSpec trace_settings(const po::variables_map& values, const std::string& file,
                         const std::optional<std::string>& format, TraceAsker asker) {
  const std::vector<std::string> settings = texts_of(values, "set");
  for (const std::string& one : settings) {
    if (one.starts_with("file="))
      throw UsageError("the trace is said twice, '" + file + "' and '--set " + one + "'", "keep one of them");
    if (one.starts_with("over_context="))
      throw UsageError(
          "describe and import know no server, so that over_context has no effect: no context is there to be passed",
          "take it out; of a scenario it is '--set workload.trace." + one + "'");
    if (format && one.starts_with("format="))
      throw UsageError("the format of the trace is said twice, '" + *format + "' and '--set " + one + "'",
                       "keep one of them");
  }
  return read_trace_settings(file, format, settings, asker);
}

std::uint64_t trace_seed(const po::variables_map& values) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 10 - 1;
  return static_cast<std::uint64_t>(number_of(values, "seed", static_cast<std::int64_t>(RunSpec{}.seed), most, 0));
}

int with_trace_mistakes(TraceAsker asker, const std::function<void()>& read) {
  try {
    read();
    return exit_done;
  } catch (const TraceError& error) {
    std::cerr << diagnostics_text(trace_diagnostics(error, asker));
    return error.unreadable() ? exit_failure : exit_usage;
  }
}

namespace {

bool ends_in(std::string_view name, std::string_view ending) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return name.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [&](char wanted, char c) { return same(c, wanted); });
}

}  // namespace

void refuse_packed(const std::string& option, const std::string& target) {
  if (!ends_in(target, ".gz")) return;
  const std::string plain = target.substr(0, target.size() - 3);
  throw UsageError(option + " writes no packed file, as '" + target + "' would be",
                   "write " + plain + " and pack it: gzip " + plain);
}

bool is_csv(const std::string& target) { return ends_in(target, ".csv"); }

TraceForm trace_form(const std::string& option, const std::string& target, const TraceHead& head) {
  if (!is_csv(target)) {
    const auto unwritable = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '"' || c == '\\';
    };
    if (std::any_of(head.name.begin(), head.name.end(), unwritable))
      throw UsageError("the name of the trace, '" + head.name +
                           "', holds a quote, a backslash or a control character, which its head cannot",
                       "give it another name, or write rows of CSV, which have none");
    return TraceForm::yaml;
  }
  const std::string yaml = std::filesystem::path(target).replace_extension(".yaml").string();
  if (head.max_concurrency || head.closes)
    throw UsageError("rows of CSV say neither max_concurrency nor closes_s, which this trace needs",
                     "name it .yaml: " + option + " " + yaml);
  return TraceForm::csv;
}

}  // namespace decodesim
