// splitwise-sim's traces: seconds. A row of a request_type other than 2 is not an LLM's, and one of a batch_size other than 1
// is several prompts; both are refused.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"request_id", Meaning::id},
    {"request_type", Meaning::request_type},
    {"batch_size", Meaning::batch_size},
    {"arrival_timestamp", Meaning::time, true},
    {"prompt_size", Meaning::input_tokens, true},
    {"token_size", Meaning::output_tokens, true},
};
}  // namespace

const TraceFormatInfo splitwise_sim_format{
    .format = TraceFormat::splitwise_sim,
    .name = "splitwise-sim",
    .summary = "splitwise-sim's traces: arrival_timestamp, prompt_size, token_size",
    .keys = keys,
    .others_ignored = true,
    .rows = csv_rows,
};

}  // namespace decodesim
