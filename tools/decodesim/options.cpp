#include "tools/decodesim/options.hpp"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <iostream>
#include <sstream>
#include <thread>

#include "sim/core/suggest.hpp"

namespace decodesim {

namespace po = boost::program_options;

namespace {

// What a command shows of its options: those that take arguments without a flag are in the usage line already.
std::vector<std::string> flag_names(const po::options_description& options, const std::string& positional) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) {
    if (option->long_name() != positional) names.push_back("--" + option->long_name());
  }
  return names;
}

std::string unknown_flag_help(const std::string& flag, const std::vector<std::string>& names) {
  return suggestion(flag.substr(0, flag.find('=')), std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

std::optional<po::variables_map> parse_options(const CommandLine& line, std::span<const std::string> args) {
  namespace style = po::command_line_style;
  // Guessing would take --seed for --seeds today and mean something else tomorrow.
  constexpr int exact = style::unix_style & ~style::allow_guessing;

  po::options_description visible(line.options);
  visible.add_options()("help,h", "show this text");
  po::options_description all(visible);
  po::positional_options_description places;
  if (!line.positional.empty()) {
    const bool declared = line.options.find_nothrow(line.positional, false) != nullptr;
    if (!declared) all.add_options()(line.positional.c_str(), po::value<std::vector<std::string>>());
    places.add(line.positional.c_str(), -1);
  }
  const std::vector<std::string> names = flag_names(visible, line.positional);
  po::variables_map values;
  try {
    const std::vector<std::string> copy(args.begin(), args.end());
    po::store(po::command_line_parser(copy).options(all).positional(places).style(exact).run(), values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    const std::string& flag = error.get_option_name();
    throw UsageError("unknown option '" + flag + "'", unknown_flag_help(flag, names));
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("this command takes no arguments", "usage: " + line.usage);
  } catch (const po::multiple_occurrences& error) {
    throw UsageError("'" + error.get_option_name() + "' is given twice", "keep one of them");
  } catch (const po::error& error) {
    throw UsageError(error.what(), "usage: " + line.usage);
  }
  if (values.count("help") > 0) {
    std::ostringstream text;
    text << "usage: " << line.usage << "\n\n" << line.summary << "\n\n" << visible;
    std::cout << text.str();
    return std::nullopt;
  }
  return values;
}

std::vector<std::string> texts_of(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 ? values[name].as<std::vector<std::string>>() : std::vector<std::string>();
}

std::string file_of(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return {};
  const auto file = values[name].as<std::string>();
  if (file.empty()) throw UsageError("--" + std::string(name) + " needs a file name");
  return file;
}

std::int64_t number_of(const boost::program_options::variables_map& values, const char* name, std::int64_t otherwise,
                       std::int64_t most, std::int64_t least) {
  if (values.count(name) == 0) return otherwise;
  const auto text = values[name].as<std::string>();
  std::int64_t number = 0;
  for (char c : text) number = c < '0' || c > '9' || number > most ? most + 1 : number * 10 + (c - '0');
  if (text.empty() || number < least || number > most) {
    throw UsageError("--" + std::string(name) + " needs a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", not '" + text + "'",
                     "--" + std::string(name) + " 4");
  }
  return number;
}

void add_jobs(po::options_description& options) {
  options.add_options()("jobs", po::value<std::string>(), "N: runs side by side (as many as there are processors)");
}

std::int64_t jobs_of(const po::variables_map& values) {
  constexpr std::int64_t most_jobs = 1024;
  return number_of(values, "jobs", std::max<std::int64_t>(1, std::thread::hardware_concurrency()), most_jobs);
}

}  // namespace decodesim
