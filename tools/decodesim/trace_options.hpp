#pragma once
// The options of commands that read a trace outside of a scenario.

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>

#include "sim/workload/traces/trace_spec.hpp"

namespace decodesim {

/// --format and --set.
void add_trace_options(boost::program_options::options_description_easy_init& add);

/// How `file` is read under --set, as a trace of `format` (absent: of what --set says, or its head). Throws ScenarioError where
/// they are wrong.
TraceSpec trace_settings(const boost::program_options::variables_map& values, const std::string& file,
                         const std::optional<std::string>& format);

}  // namespace decodesim
