#pragma once
// The options of commands that read a trace outside of a scenario, and the files that traces are written to.

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/scenario/trace_settings.hpp"
#include "sim/workload/traces/trace_spec.hpp"
#include "sim/workload/traces/writer.hpp"

namespace decodesim {

/// --set and --seed.
void add_trace_options(boost::program_options::options_description_easy_init& add);

/// How `file` is read under --set, as a trace of `format` (absent: of what --set says, or its head). Throws ScenarioError or
/// UsageError where they are wrong.
TraceSpec trace_settings(const boost::program_options::variables_map& values, const std::string& file,
                         const std::optional<std::string>& format, TraceAsker asker);

/// --seed, or what a run's seed is where its scenario states none, so that what is drawn is what a run draws.
std::uint64_t trace_seed(const boost::program_options::variables_map& values);

/// Calls `read`, and shows the mistakes of a trace in the words of the command that asks. Returns what the process returns.
int with_trace_mistakes(TraceAsker asker, const std::function<void()>& read);

/// Throws UsageError, naming `option`, where `target` says that the trace is to be packed, which none is.
void refuse_packed(const std::string& option, const std::string& target);

/// Does the name of a trace to be written ask for its rows alone?
bool is_csv(const std::string& target);

/// The form that the name of a trace to be written asks for: its rows alone where it ends in .csv. Throws UsageError where that form
/// cannot say what `head` says, naming `option`, which the name was given by.
TraceForm trace_form(const std::string& option, const std::string& target, const TraceHead& head);

}  // namespace decodesim
